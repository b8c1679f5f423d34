package conform

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/prompt"
)

// TemplateCheck says what CheckTemplates checks.
type TemplateCheck struct {
	// Folder holds chat templates (jinja/*.jinja), the families whose models answer in
	// their form (families.json) and what they render to (cases.jsonl.gz).
	Folder string
	// Engine gives the parser of a family, nil if no loaded module has one.
	Engine     func(family string) (parser.Engine, error)
	Exceptions []TemplateException
}

// templateClock is the time of all renderings, as the cases were made with it.
var templateClock = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// turnPrefix begins the names of cases whose last message is what a model is to have
// written.
const turnPrefix = "turn "

// templateCase is one conversation and what a template makes of it.
type templateCase struct {
	Template string      `json:"template"`
	Name     string      `json:"name"`
	Messages []jsonx.Raw `json:"messages"`
	Tools    []jsonx.Raw `json:"tools"`
	Kwargs   jsonx.Raw   `json:"kwargs"`
	BOS      string      `json:"bos_token"`
	EOS      string      `json:"eos_token"`
	Want     *string     `json:"want"`  // nil where the template refuses
	Error    string      `json:"error"` // why it refuses, in Python's words
}

// templateSuite is what a folder of templates holds.
type templateSuite struct {
	cases     []templateCase
	templates map[string]compiledTemplate
	families  map[string]familyNames // by template
}

type compiledTemplate struct {
	template *prompt.Template
	err      error
}

// familyNames is one name of a family or a list of them.
type familyNames []string

func (f *familyNames) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*f = familyNames{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(f))
}

// loadTemplates reads a folder of templates.
func loadTemplates(folder string) (*templateSuite, error) {
	s := &templateSuite{templates: map[string]compiledTemplate{}}
	text, err := os.ReadFile(filepath.Join(folder, "families.json"))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &s.families); err != nil {
		return nil, fmt.Errorf("families.json: %w", err)
	}
	if s.cases, err = readTemplateCases(filepath.Join(folder, "cases.jsonl.gz")); err != nil {
		return nil, err
	}
	for i := range s.cases {
		name := s.cases[i].Template
		if _, known := s.templates[name]; known {
			continue
		}
		source, err := os.ReadFile(filepath.Join(folder, "jinja", filepath.Base(name)+".jinja"))
		if err != nil {
			return nil, err
		}
		var c compiledTemplate
		c.template, c.err = prompt.Compile(string(source))
		s.templates[name] = c
	}
	return s, nil
}

func readTemplateCases(path string) ([]templateCase, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 16<<20)
	var list []templateCase
	for lines.Scan() {
		var c templateCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, len(list)+1, err)
		}
		if c.Want == nil && c.Error == "" {
			return nil, fmt.Errorf("%s: line %d: neither want nor error", path, len(list)+1)
		}
		list = append(list, c)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return list, nil
}

// TemplateSummary counts renderings and round trips.
type TemplateSummary struct {
	Equal, Differ          int // renderings
	Exact, Lenient, Failed int // round trips
	// Excepted of the round trips differ for a reason that an exception gives. They
	// count as lenient too.
	Excepted int
	// Stale are exceptions that no longer apply.
	Stale int
}

// Passed says that nothing differs without a reason.
func (s TemplateSummary) Passed() bool { return s.Differ == 0 && s.Failed == 0 && s.Stale == 0 }

// String is the last line of a check.
func (s TemplateSummary) String() string {
	return fmt.Sprintf("%d renderings: %d equal, %d differ; %d round trips: %d exact, %d lenient, %d failed",
		s.Equal+s.Differ, s.Equal, s.Differ, s.Exact+s.Lenient+s.Failed, s.Exact, s.Lenient, s.Failed)
}

// templateResult is what became of one case.
type templateResult struct {
	differs string // how the rendering differs; "" where it is equal
	trips   []tripResult
}

// CheckTemplates renders every conversation and compares the prompt, byte for byte;
// and where a conversation ends with an assistant's message, it cuts what the model
// would have written out of the prompt, has the template's families parse it, and
// compares the message. It writes a line for each that differs without a reason, and
// the counts.
func CheckTemplates(ctx context.Context, check TemplateCheck, out io.Writer) (TemplateSummary, error) {
	var sum TemplateSummary
	suite, err := loadTemplates(check.Folder)
	if err != nil {
		return sum, err
	}
	engines := &engineCache{open: check.Engine, found: map[string]openedEngine{}}
	applied := make([]bool, len(check.Exceptions))
	report := &templateReport{out: out}
	for i, r := range suite.runCases(ctx, engines) {
		c := &suite.cases[i]
		if r.differs == "" {
			sum.Equal++
		} else {
			sum.Differ++
			report.printf("DIFFER %s %q: %s\n", c.Template, c.Name, r.differs)
		}
		for _, trip := range r.trips {
			sum.addTrip(c, &trip, check.Exceptions, applied, report)
		}
	}
	for i, e := range check.Exceptions {
		if !applied[i] && e.concerns(suite) {
			sum.Stale++
			report.printf("STALE exception %s %q: nothing differs so any more\n", e.Template, e.Case)
		}
	}
	report.printf("%s\n", sum)
	return sum, report.err
}

// addTrip counts a round trip, and reports it where it failed.
func (s *TemplateSummary) addTrip(c *templateCase, trip *tripResult, exceptions []TemplateException, applied []bool, report *templateReport) {
	switch {
	case trip.outcome == tripExact:
		s.Exact++
		return
	case trip.outcome == tripLenient:
		s.Lenient++
		return
	}
	for i := range exceptions {
		if exceptions[i].covers(c, trip) {
			applied[i] = true
			s.Lenient++
			s.Excepted++
			return
		}
	}
	s.Failed++
	report.printf("FAIL %s %q %s: want %s got %s (%s)\n", c.Template, c.Name, trip.family, trip.want, trip.got, trip.reason)
}

// templateReport writes lines and keeps the first error.
type templateReport struct {
	out io.Writer
	err error
}

func (r *templateReport) printf(format string, args ...any) {
	if r.err == nil {
		_, r.err = fmt.Fprintf(r.out, format, args...)
	}
}

// runCases checks all cases on all processors and gives the results in their order.
func (s *templateSuite) runCases(ctx context.Context, engines *engineCache) []templateResult {
	results := make([]templateResult, len(s.cases))
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				results[i] = s.runCase(ctx, &s.cases[i], engines)
			}
		})
	}
	for i := range s.cases {
		next <- i
	}
	close(next)
	workers.Wait()
	return results
}

// runCase renders a case, and where it ends with a model's turn takes that turn back.
func (s *templateSuite) runCase(ctx context.Context, c *templateCase, engines *engineCache) (r templateResult) {
	compiled := s.templates[c.Template]
	if compiled.err != nil {
		r.differs = compiled.err.Error()
		return r
	}
	got, err := compiled.template.Render(ctx, c.input())
	switch {
	case c.Want == nil && err == nil:
		r.differs = fmt.Sprintf("want a refusal (%s) got %q", c.Error, got)
	case c.Want == nil:
	case err != nil:
		r.differs = fmt.Sprintf("want %q got a refusal (%v)", *c.Want, err)
	case got != *c.Want:
		r.differs = differenceBetween(*c.Want, got)
	}
	if c.Want == nil || !strings.HasPrefix(c.Name, turnPrefix) {
		return r
	}
	for _, family := range s.families[c.Template] {
		r.trips = append(r.trips, c.roundTrip(ctx, compiled.template, family, engines))
	}
	return r
}

// input is what the template is given of the conversation.
func (c *templateCase) input() prompt.Input {
	return prompt.Input{Messages: c.Messages, Tools: c.Tools, Args: jsonx.Members(c.Kwargs), BOS: c.BOS, EOS: c.EOS, Now: templateClock}
}

// differenceBetween shows two texts from a little before the place where they begin to
// differ.
func differenceBetween(want, got string) string {
	const before, shown = 20, 120
	at := max(0, commonPrefix(want, got)-before)
	return fmt.Sprintf("from byte %d on: want %q got %q", at, shorten(want[at:], shown), shorten(got[at:], shown))
}

func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return text[:limit] + "…"
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
