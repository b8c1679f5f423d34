package tck

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"

	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/host/parse"
)

// Config says what Run runs.
type Config struct {
	Files []*File
	// Engine gives the parser of a family, nil if no loaded module has one.
	Engine func(family string) (parser.Engine, error)
	Name   string // the engine's name in result lines
	Splits Splits
	Family string // only cases of this family, or of files of this family; "" for all
	// Exceptions are cases that are known to fail, by "file/case", and why. They
	// are run and listed and count neither as passed nor as failed, unless one
	// passes after all: then the list is wrong, and it fails.
	Exceptions map[string]string
}

// Result is what became of a case.
type Result struct {
	File      string  `json:"file"`
	Case      string  `json:"case"`
	Family    string  `json:"family"`
	Engine    string  `json:"engine"`
	Passed    bool    `json:"passed"`
	Split     string  `json:"split,omitempty"` // the first split that failed
	Want      []Event `json:"want,omitempty"`
	WantError string  `json:"want_error,omitempty"`
	Got       []Event `json:"got,omitempty"`
	GotError  string  `json:"got_error,omitempty"`
	Reason    string  `json:"reason,omitempty"`    // where want and got differ
	Exception string  `json:"exception,omitempty"` // why the case is known to fail
}

// String gives the result's line.
func (r *Result) String() string {
	word := "FAIL"
	switch {
	case r.Exception != "":
		word = "EXCEPTION"
	case r.Passed:
		word = "PASS"
	}
	line := fmt.Sprintf("%s %s %s %s", word, r.File, r.Case, r.Engine)
	if r.Passed {
		return line
	}
	line += fmt.Sprintf(" %s: want %s got %s", r.Split, outcome(r.Want, r.WantError), outcome(r.Got, r.GotError))
	if r.Reason != "" {
		line += " (" + r.Reason + ")"
	}
	if r.Exception != "" {
		line += " known: " + r.Exception
	}
	return line
}

func outcome(events []Event, err string) string {
	if err == "" {
		return render(events)
	}
	return fmt.Sprintf("%s and error %q", render(events), err)
}

// Summary counts results.
type Summary struct {
	Passed     int `json:"passed"`
	Failed     int `json:"failed"`
	Exceptions int `json:"exceptions,omitempty"`
}

func (s Summary) String() string { return fmt.Sprintf("%d passed, %d failed", s.Passed, s.Failed) }

// Run runs the cases and writes the results in their order: a line for each case
// that failed, the exceptions, and the counts; as JSON, an object for every case
// and one for the counts. A case counts once: it passes if all of its splits do.
// The error is that of out.
func Run(cfg Config, out io.Writer, asJSON bool) (Summary, error) {
	var sum Summary
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for _, r := range runAll(cfg) {
		switch {
		case r.Exception != "":
			sum.Exceptions++
		case r.Passed:
			sum.Passed++
		default:
			sum.Failed++
		}
		var err error
		if asJSON {
			err = enc.Encode(r)
		} else if !r.Passed {
			_, err = fmt.Fprintln(out, &r)
		}
		if err != nil {
			return sum, err
		}
	}
	if asJSON {
		return sum, enc.Encode(sum)
	}
	_, err := fmt.Fprintln(out, sum)
	return sum, err
}

func runAll(cfg Config) []Result {
	type job struct {
		file *File
		c    *Case
	}
	var jobs []job
	for _, f := range cfg.Files {
		for i := range f.Cases {
			if c := &f.Cases[i]; cfg.takes(f.Family) || cfg.takes(c.Family) {
				jobs = append(jobs, job{f, c})
			}
		}
	}
	results := make([]Result, len(jobs))
	engines := engineCache{open: cfg.Engine, found: map[string]opened{}}
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				results[i] = runOne(&cfg, &engines, jobs[i].file.Name, jobs[i].c)
			}
		})
	}
	for i := range jobs {
		next <- i
	}
	close(next)
	workers.Wait()
	return results
}

func (cfg *Config) takes(family string) bool {
	return cfg.Family == "" || manifest.Normalise(family) == manifest.Normalise(cfg.Family)
}

type opened struct {
	e   parser.Engine
	err error
}

// engineCache opens each family's engine once.
type engineCache struct {
	sync.Mutex
	open  func(string) (parser.Engine, error)
	found map[string]opened
}

func (c *engineCache) get(family string) (parser.Engine, error) {
	c.Lock()
	defer c.Unlock()
	got, ok := c.found[family]
	if !ok {
		got.e, got.err = c.open(family)
		if got.e == nil && got.err == nil {
			got.err = fmt.Errorf("no loaded module has a parser for the family %q", family)
		}
		c.found[family] = got
	}
	return got.e, got.err
}

func runOne(cfg *Config, engines *engineCache, file string, c *Case) Result {
	r := Result{File: file, Case: c.Name, Family: c.Family, Engine: cfg.Name, Want: c.Want, WantError: c.WantError}
	known := cfg.Exceptions[file+"/"+c.Name]
	e, err := engines.get(c.Family)
	if err != nil {
		r.Split, r.GotError = "none", err.Error()
		r.Exception = known
		return r
	}
	fail := RunCase(e, c, cfg.Splits)
	switch {
	case fail == nil && known != "":
		r.Split, r.Got = "all", c.Want
		r.Reason = "it is among the exceptions, but passes; take it out"
	case fail == nil:
		return Result{File: file, Case: c.Name, Family: c.Family, Engine: cfg.Name, Passed: true}
	default:
		r.Split, r.Got, r.GotError, r.Reason, r.Exception = fail.Split, fail.Got, fail.Error, fail.Reason, known
	}
	return r
}

// Failure is how a case failed.
type Failure struct {
	Split  string
	Got    []Event
	Error  string // the error that surfaced, "" if none did
	Reason string // where it differs from what the case wants
}

// RunCase runs a case at the splits, or with its own chunks if it has any, and
// gives the first failure, nil if there is none.
func RunCase(e parser.Engine, c *Case, splits Splits) *Failure {
	if c.Chunks != nil {
		return runSplit(e, c, Split{"chunks", c.Chunks})
	}
	for split := range splits.of(c.Input) {
		if f := runSplit(e, c, split); f != nil {
			return f
		}
	}
	return nil
}

func runSplit(e parser.Engine, c *Case, split Split) *Failure {
	got, err := Assemble(e, c, split.Chunks)
	surfaced := errorWords(err)
	reason := diffEvents(c.Want, got)
	if surfaced != c.WantError {
		reason = "error"
	}
	if reason == "" {
		return nil
	}
	return &Failure{Split: split.Name, Got: got, Error: surfaced, Reason: reason}
}

// errorWords gives the words by which cases name an error.
func errorWords(err error) string {
	var strict *parse.StrictError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &strict):
		return "malformed tool call"
	}
	return err.Error()
}
