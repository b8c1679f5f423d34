package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// Start starts the program under test. config is a YAML document, environ its
// whole environment as "name=value" entries. It gives the address that the
// program serves on and a function that stops it and waits.
type Start func(ctx context.Context, config []byte, environ []string) (address string, stop func(), err error)

// Runner runs scenarios.
type Runner struct {
	Start Start
	// Parallel is how many scenarios run at a time; 0 stands for 4.
	Parallel int
	// Match, if not nil, picks scenarios by name.
	Match func(name string) bool
}

// runTimeout bounds one run: the longest scripts sleep for six seconds.
const runTimeout = 20 * time.Second

// Run runs the files' scenarios and writes a line for each failure, in the order
// of the files, and a last line with the counts.
func (r *Runner) Run(ctx context.Context, files []*File, out io.Writer) (passed, failed int) {
	type job struct {
		prefix   string
		scenario *Scenario
		failures chan []string
	}
	var jobs []job
	for _, f := range files {
		for i := range f.Scenarios {
			if s := &f.Scenarios[i]; r.Match == nil || r.Match(s.Name) {
				jobs = append(jobs, job{"FAIL " + f.Name + " " + s.Name + " ", s, make(chan []string, 1)})
			}
		}
	}
	parallel := r.Parallel
	if parallel == 0 {
		parallel = 4
	}
	free := make(chan struct{}, parallel)
	go func() {
		for _, j := range jobs {
			free <- struct{}{}
			go func() {
				j.failures <- r.runScenario(ctx, j.scenario)
				<-free
			}()
		}
	}()
	for _, j := range jobs {
		failures := <-j.failures
		for _, f := range failures {
			fmt.Fprintln(out, j.prefix+f)
		}
		if len(failures) == 0 {
			passed++
		} else {
			failed++
		}
	}
	fmt.Fprintf(out, "%d passed, %d failed\n", passed, failed)
	return passed, failed
}

// runScenario gives the failures of all runs of a scenario, each beginning with its
// mode.
func (r *Runner) runScenario(ctx context.Context, s *Scenario) []string {
	e, err := startEngine()
	if err != nil {
		return []string{"start: want an engine, got " + err.Error()}
	}
	defer e.stop()
	address, stop, err := r.Start(ctx, s.programConfig(e.address), s.environ())
	if s.Want.StartError != nil {
		if err == nil {
			stop()
		}
		return s.Want.checkStart(err)
	}
	if err != nil {
		return []string{"start: want a start, got " + shorten(err.Error())}
	}
	defer stop()
	var failures []string
	for _, mode := range s.Runs {
		for _, cut := range s.Cuts {
			for _, f := range s.runOnce(ctx, e, address, mode, cut) {
				if cut != asIs {
					f += " (cut " + cut + ")"
				}
				failures = append(failures, mode+": "+f)
			}
		}
	}
	return failures
}

func (w *Want) checkStart(err error) []string {
	if err == nil {
		return []string{"start: want an error that says " + strings.Join(w.StartError, ", ") + ", got a start"}
	}
	var failures []string
	for _, text := range w.StartError {
		if !strings.Contains(err.Error(), text) {
			failures = append(failures, "start: want an error that says "+text+", got "+shorten(err.Error()))
		}
	}
	return failures
}

func (s *Scenario) runOnce(ctx context.Context, e *engine, address, mode, cut string) []string {
	lines, err := s.Engine.scriptLines(cut)
	if err != nil {
		return []string{"want a script, got " + err.Error()}
	}
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	e.beginRun(&s.Engine, lines)
	defer e.endRun()
	a, err := sendRequest(ctx, address, mode, s.request(mode), s.Client)
	var v verdict
	switch {
	case err != nil:
		v.recordFailure("an answer", shorten(err.Error()))
	case a.left:
		a.checkStream()
		v.addProtocolFaults(a)
	default:
		s.Want.checkAnswer(a, &v)
		s.checkBatchUsage(a, &v)
		s.checkTextIsAnswered(a, &v)
	}
	s.Want.checkEngine(e, &v)
	return v.failures
}

// checkTextIsAnswered: where the engine wrote something, a choice that ends in stop has
// something too, unless the scenario says otherwise.
func (s *Scenario) checkTextIsAnswered(a *answer, v *verdict) {
	text := map[string]string{} // of the engine, by choice
	for _, l := range s.Engine.Lines {
		var line struct {
			Choices []struct {
				Index int                        `json:"index"`
				Delta map[string]json.RawMessage `json:"delta"`
			} `json:"choices"`
		}
		if json.Unmarshal(l, &line) != nil {
			continue
		}
		for _, c := range line.Choices {
			var content string
			if json.Unmarshal(c.Delta["content"], &content) == nil {
				text[fmt.Sprint(c.Index)] += content
			}
		}
	}
	for index, o := range a.choices {
		if want := s.Want.Choices[index]; want.Events != nil && len(*want.Events) == 0 {
			continue
		}
		if len(o.events) == 0 && equalJSON(o.finish, "stop") && strings.TrimSpace(text[index]) != "" {
			v.recordFailure("something of the engine's text "+showJSON(text[index])+" in choice "+index, "an empty answer")
		}
	}
}

// checkBatchUsage: a batch answer has usage wherever the engine gave any.
func (s *Scenario) checkBatchUsage(a *answer, v *verdict) {
	if a.mode != batch || a.status != 200 || a.usage != nil {
		return
	}
	for _, l := range s.Engine.Lines {
		if o, _ := decodeJSON(l); containsJSON(o, map[string]any{}) && o.(map[string]any)["usage"] != nil {
			v.recordFailure("usage in a batch answer", "none")
			return
		}
	}
}

// request is the scenario's request with what it leaves to the runner.
func (s *Scenario) request(mode string) map[string]any {
	r := map[string]any{
		"model":    "m",
		"messages": []any{map[string]any{"role": "user", "content": "Go on."}},
	}
	copyAll(r, s.Request)
	if mode == stream {
		copyAll(r, s.RequestStream)
	}
	r["stream"] = mode == stream
	return r
}

func (s *Scenario) programConfig(engine string) []byte {
	model := map[string]any{}
	copyAll(model, s.Model)
	model["name"] = "m"
	policies := map[string]any{"blank_text": "keep"} // scenarios speak of every byte of an answer
	if own, ok := model["policies"].(map[string]any); ok {
		copyAll(policies, own)
	}
	model["policies"] = policies
	return encodeJSON(map[string]any{
		"listen":    "127.0.0.1:0",
		"log":       map[string]any{"level": "error"},
		"upstreams": []any{map[string]any{"name": "engine", "base_url": "http://" + engine + "/v1"}},
		"models":    []any{model},
	})
}

func (s *Scenario) environ() []string {
	var out []string
	for name, value := range s.Env {
		out = append(out, name+"="+string(value))
	}
	return out
}
