package stream_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/framing"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/host/stream"
)

// faulty is an engine whose sessions fail after a number of events, or with a
// push that holds a word.
type faulty struct {
	parser.Engine
	after int
	word  string
	given int
}

type faultySource struct {
	parser.Source
	f *faulty
}

var errTrap = errors.New("trap")

func (f *faulty) Open(s *abi.OpenBlock) (parser.Source, abi.Answer, error) {
	src, a, err := f.Engine.Open(s)
	wrapped := &faultySource{src, f}
	a, _ = wrapped.judge(a, err)
	return wrapped, a, err
}

func (s *faultySource) judge(a abi.Answer, err error) (abi.Answer, error) {
	// Without WATCH the parser sees all of the text.
	a.Events = slices.DeleteFunc(a.Events, func(e abi.Event) bool { return e.Kind == abi.Watch })
	if err != nil || s.f.after < 0 {
		return a, err
	}
	if s.f.given += len(a.Events); s.f.given > s.f.after {
		return abi.Answer{}, errTrap
	}
	return a, nil
}

func (s *faultySource) Push(off abi.RawOffset, back int, data []byte) (abi.Answer, error) {
	if s.f.word != "" && strings.Contains(string(data), s.f.word) {
		return abi.Answer{}, errTrap
	}
	return s.judge(s.Source.Push(off, back, data))
}

func (s *faultySource) Finish(off abi.RawOffset, reason abi.Finish) (abi.Answer, error) {
	return s.judge(s.Source.Finish(off, reason))
}

// faults puts the faulty engine in place of every parser of the route.
func faults(t testing.TB, name string, after int, word string, edit func(*stream.Model)) func(*stream.Model) {
	model := routes(t)[name]
	return func(m *stream.Model) {
		model(m)
		p := &m.Route.Parsers
		for _, e := range []*parser.Engine{&p.Unified, &p.Split, &p.Jailed} {
			if *e != nil {
				*e = &faulty{Engine: *e, after: after, word: word}
			}
		}
		if edit != nil {
			edit(m)
		}
	}
}

func TestT61_FS15_FaultLosesNothingAndRepeatsNothing(t *testing.T) {
	lines := []string{text("Valve B2 "), text("BOOM"), text(" is shut."), finish("stop")}
	for name := range routes(t) {
		r, _ := both(t, scene{model: faults(t, name, -1, "BOOM", nil), request: tools, lines: lines})
		r.want(t, 0, "stop", "text:Valve B2 BOOM is shut.")
		if r.counts["parser_fault"] != 1 {
			t.Errorf("%s: counted %v", name, r.counts)
		}
	}
}

func TestT62_FaultAsAnError(t *testing.T) {
	lines := []string{text("Valve B2 "), text("BOOM"), text(" is shut."), finish("stop")}
	asError := func(m *stream.Model) { m.OnFault = parse.FaultIsError }
	for name := range routes(t) {
		s, w := both(t, scene{model: faults(t, name, -1, "BOOM", asError), request: tools, lines: lines})
		var fault *parse.FaultError
		if !errors.As(s.err, &fault) || !errors.As(w.err, &fault) {
			t.Fatalf("%s: %v, %v", name, s.err, w.err)
		}
		if s.count("Valve B2 ") != 1 || s.count("is shut") != 0 || len(w.frames) != 0 {
			t.Errorf("%s:\n%s", name, s.text())
		}
		if e := stream.FrameOf(s.err); e.Status != 500 || e.Code != "parser_fault" || e.Message != "Internal server error" {
			t.Errorf("%s: the client reads %+v", name, e)
		}
	}
}

func TestT63_FaultInsideACall(t *testing.T) {
	lines := []string{text("Ok. "), text(`<tool_call>{"name":"water_plant","arguments":{"bed":"no`), text("BOOM"), text(`rth"}}</tool_call>`), finish("stop")}
	r := play(t, scene{model: faults(t, "unified", -1, "BOOM", nil), request: tools, lines: lines})
	if e := r.view(0).events; r.view(0).finish != "stop" || len(e) < 2 || e[0] != "text:Ok. " || e[1] != `call:water_plant {"bed":"no` {
		t.Errorf("eager: %q %q", e, r.view(0).finish)
	}
	if r.count("<tool_call>") != 0 || r.count(`"name":"water_plant"`) != 1 {
		t.Errorf("eager:\n%s", r.text())
	}
	// In one piece the call that was cut is not there at all.
	r = play(t, scene{model: faults(t, "unified", -1, "BOOM", nil), request: tools, lines: lines, batch: true})
	if e := r.view(0).events; r.count("tool_calls") != 0 || r.view(0).finish != "stop" || len(e) != 1 || !strings.HasPrefix(e[0], "text:Ok. ") || !strings.HasSuffix(e[0], `BOOMrth"}}</tool_call>`) {
		t.Errorf("batch: %q %q", e, r.view(0).finish)
	}
	whole := func(m *stream.Model) { m.Arguments = framing.Whole }
	r, _ = both(t, scene{model: faults(t, "unified", -1, "BOOM", whole), request: tools, lines: lines})
	// Nothing of the call went out: its text comes, from the opener on.
	r.want(t, 0, "stop", `text:Ok. <tool_call>{"name":"water_plant","arguments":{"bed":"noBOOMrth"}}</tool_call>`)
}

// A fault after every event: what was said before is said once, the rest of the
// raw text is there once, and no call is there twice.
func TestT61_FaultAfterEveryEvent(t *testing.T) {
	const prose = "One. "
	whole := "<think>Hm.</think>" + prose + call + " two " + strings.Replace(call, "3", "4", 1) + " end."
	whole2 := func(m *stream.Model) { m.Arguments = framing.Whole }
	for name := range routes(t) {
		for n := 0; n < 40; n++ {
			var lines []string
			for i := 0; i < len(whole); i += 5 {
				lines = append(lines, text(whole[i:min(i+5, len(whole))]))
			}
			r, _ := both(t, scene{model: faults(t, name, n, "", whole2), request: tools, lines: append(lines, finish("stop"))})
			if r.counts["parser_fault"] == 0 {
				if n == 0 {
					t.Fatalf("%s: no fault", name)
				}
				break
			}
			check := strings.Join(r.view(0).events, " ")
			for _, part := range []string{"Hm.", "One.", "two", "end."} {
				if strings.Count(check, part) != 1 {
					t.Errorf("%s after %d events: %q occurs %d times in %q", name, n, part, strings.Count(check, part), check)
				}
			}
			for _, house := range []string{`"house":3`, `"house":4`} {
				if strings.Count(check, house) != 1 {
					t.Errorf("%s after %d events: %s occurs %d times in %q", name, n, house, strings.Count(check, house), check)
				}
			}
		}
	}
}

func TestT64_FaultOfOneChoiceLeavesTheOther(t *testing.T) {
	lines := []string{choiceText(0, "BOOM"), choiceText(1, call), choiceText(0, " "+call), choiceFinish(0, "stop"), choiceFinish(1, "stop")}
	for name := range routes(t) {
		r, _ := both(t, scene{model: faults(t, name, -1, "BOOM", nil), request: tools + `,"n":2`, lines: lines})
		r.want(t, 0, "stop", "text:BOOM "+call)
		r.want(t, 1, "tool_calls", `call:open_vent {"house":3}`)
	}
}

func TestErrorsForClients(t *testing.T) {
	for _, c := range []struct {
		err            error
		status, frame  int
		code, contains string
	}{
		{errCut, http.StatusBadGateway, 500, "engine_broken", "broke off"},
		{&parse.StrictError{}, 500, 500, "tool_call_malformed", "malformed"},
		{fmt.Errorf("wrapped: %w", &stream.LimitError{Limit: "limits.text_per_choice", Status: 500}), 500, 500, "limits.text_per_choice", "limits.text_per_choice"},
		{errors.New("inner detail"), 500, 500, "", "Internal server error"},
		{&backend.Error{Status: 503, Code: "engine_overloaded", Message: "inner"}, 503, 503, "engine_overloaded", "overloaded"},
		{&backend.Error{Status: 529, Code: "engine_overloaded", Message: "inner"}, 529, 529, "engine_overloaded", "overloaded"},
		{&backend.Error{Status: 504, Code: "engine_timeout", Message: "inner"}, 504, 500, "engine_timeout", "in time"},
		{&backend.Error{Status: 502, Code: "upstream_auth", Message: "inner"}, 502, 500, "upstream_auth", "own key"},
		{&backend.Error{Status: 500, Code: "engine_error", Message: "inner"}, 500, 500, "engine_error", "Internal server error"},
		{&backend.Error{Status: 400, Code: "engine_error", Message: "max_tokens", Public: true}, 400, 400, "engine_error", "max_tokens"},
		{&stream.LimitError{Limit: "timeouts.idle", Status: 504}, 504, 500, "engine_timeout", "timeouts.idle"},
		{&parser.TooLargeError{Parser: "p", Limit: "fuel_most", Cause: errors.New("inner")}, 400, 400, "limits.fuel_most", "fuel_most"},
		{context.Canceled, 499, 499, "request_cancelled", "cancelled"},
	} {
		e, f := stream.ErrorOf(c.err), stream.FrameOf(c.err)
		if e.Status != c.status || e.Code != c.code || f.Status != c.frame || !strings.Contains(e.Message, c.contains) || strings.Contains(e.Message, "inner") {
			t.Errorf("%v: %+v, %+v", c.err, e, f)
		}
	}
}

// Of the engine's chunk that brings the failure nothing goes out any more.
func TestT18_AFailureDropsWhatItsChunkBrought(t *testing.T) {
	one := `{"choices":[{"index":0,"delta":{"content":"fine"}},{"index":1,"delta":{"content":"far too long"}}]}`
	r := play(t, scene{model: func(m *stream.Model) { m.Limits.Text = 10 }, request: `"n":2`, lines: []string{choiceText(1, "ok"), one}})
	if r.err == nil || r.count("ok") != 1 || r.count("fine") != 0 {
		t.Errorf("%v\n%s", r.err, r.text())
	}
}

func TestLimitOfTextPerChoice(t *testing.T) {
	s, w := both(t, scene{model: func(m *stream.Model) { m.Limits.Text = 10 }, lines: []string{text("12345678"), text("9012"), finish("stop")}})
	for _, r := range []*result{s, w} {
		var limit *stream.LimitError
		if !errors.As(r.err, &limit) || limit.Limit != "limits.text_per_choice" {
			t.Errorf("got %v", r.err)
		}
	}
	if !slices.Equal(s.view(0).events, []string{"text:12345678"}) {
		t.Errorf("got %q", s.view(0).events)
	}
}
