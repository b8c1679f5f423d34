package conform

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"sync"

	"github.com/turnkey-parsers/turnkey/abi/cases"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/abi/tck"
)

// Config says what Run runs.
type Config struct {
	Files []*cases.File
	// Engine gives the parser of a family, nil if no loaded module has one.
	Engine func(family string) (parser.Engine, error)
	Name   string // the engine's name in result lines
	Splits tck.Splits
	Family string // only cases of this family, or of files of this family; "" for all
	// Exceptions are cases that are known to fail, by "file/case", and why. They
	// are run and listed and count neither as passed nor as failed, unless one
	// passes after all: then the list is wrong, and it fails.
	Exceptions map[string]string
}

// Result is what became of a case.
type Result struct {
	File      string        `json:"file"`
	Case      string        `json:"case"`
	Family    string        `json:"family"`
	Engine    string        `json:"engine"`
	Passed    bool          `json:"passed"`
	Split     string        `json:"split,omitempty"` // the first split that failed
	Want      []cases.Piece `json:"want,omitempty"`
	WantError string        `json:"want_error,omitempty"`
	Got       []cases.Piece `json:"got,omitempty"`
	GotError  string        `json:"got_error,omitempty"`
	Reason    string        `json:"reason,omitempty"`    // where want and got differ
	Exception string        `json:"exception,omitempty"` // why the case is known to fail
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
	line += fmt.Sprintf(" %s: want %s got %s", r.Split, cases.RenderOutcome(r.Want, r.WantError), cases.RenderOutcome(r.Got, r.GotError))
	if r.Reason != "" {
		line += " (" + r.Reason + ")"
	}
	if r.Exception != "" {
		line += " known: " + r.Exception
	}
	return line
}

// Summary counts results.
type Summary struct {
	Passed     int `json:"passed"`
	Failed     int `json:"failed"`
	Exceptions int `json:"exceptions,omitempty"`
}

// String is the last line of a run.
func (s Summary) String() string { return fmt.Sprintf("%d passed, %d failed", s.Passed, s.Failed) }

// Run runs the cases and writes the results in their order: a line for each case
// that failed, the exceptions, and the counts; as JSON, an object for every case
// and one for the counts. A case counts once: it passes if all of its splits do.
// The error is that of out.
func Run(cfg Config, out io.Writer, asJSON bool) (Summary, error) {
	var sum Summary
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for _, r := range runCases(cfg) {
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

// runCases runs the cases on all processors, and gives the results in the cases'
// order.
func runCases(cfg Config) []Result {
	type job struct {
		file *cases.File
		c    *cases.Case
	}
	var jobs []job
	for _, f := range cfg.Files {
		for i := range f.Cases {
			if c := &f.Cases[i]; cfg.selects(f.Family) || cfg.selects(c.Family) {
				jobs = append(jobs, job{f, c})
			}
		}
	}
	results := make([]Result, len(jobs))
	engines := engineCache{open: cfg.Engine, found: map[string]openedEngine{}}
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

// selects says whether cases of a family are to be run.
func (cfg *Config) selects(family string) bool {
	return cfg.Family == "" || manifest.Normalise(family) == manifest.Normalise(cfg.Family)
}

type openedEngine struct {
	engine parser.Engine
	err    error
}

// engineCache opens each family's engine once.
type engineCache struct {
	sync.Mutex
	open  func(string) (parser.Engine, error)
	found map[string]openedEngine // by family
}

// engine gives the engine of a family, or why there is none.
func (c *engineCache) engine(family string) (parser.Engine, error) {
	c.Lock()
	defer c.Unlock()
	got, ok := c.found[family]
	if !ok {
		got.engine, got.err = c.open(family)
		if got.engine == nil && got.err == nil {
			got.err = fmt.Errorf("no loaded module has a parser for the family %q", family)
		}
		c.found[family] = got
	}
	return got.engine, got.err
}

// runOne runs a case, and says of one of the exceptions whether it still fails.
func runOne(cfg *Config, engines *engineCache, file string, c *cases.Case) Result {
	r := Result{File: file, Case: c.Name, Family: c.Family, Engine: cfg.Name, Want: c.Want, WantError: c.WantError}
	known := cfg.Exceptions[file+"/"+c.Name]
	e, err := engines.engine(c.Family)
	if err != nil {
		r.Split, r.GotError = "none", err.Error()
		r.Exception = known
		return r
	}
	fail := cases.Check(Assemble, e, c, cfg.Splits)
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
