package stream_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/host/framing"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/host/route"
	"github.com/turnkey-parsers/turnkey/host/stream"
)

// What is held is bounded: beyond the limit it goes out as text, or the request
// fails, by policy.
func TestFS16_WhatIsHeldIsBounded(t *testing.T) {
	long := strings.Repeat("long ", 400)
	open := `<tool_call>{"name":"water_plant","arguments":{"bed":"`
	limited := func(model func(*stream.Model), policy parse.FaultPolicy) func(*stream.Model) {
		return func(m *stream.Model) {
			if model != nil {
				model(m)
			}
			m.Limits.Held, m.Arguments, m.OnFault = 1000, framing.Whole, policy
		}
	}
	for name, model := range routes(t) {
		for _, lines := range [][]string{{text(open + long + `"}}</tool_call>`)}, cuts([]string{text(open + long + `"}}</tool_call>`)})} {
			lines = append([]string{text("Yes. ")}, append(lines, finish("stop"))...)
			r, _ := both(t, scene{model: limited(model, parse.FaultToText), request: tools, lines: lines})
			if got := strings.Join(r.view(0).events, ""); len(lines) > 3 && (!strings.HasPrefix(got, "text:Yes. ") || strings.Count(got, long) != 1 || r.view(0).finish != "stop") {
				t.Errorf("%s: %q", name, got)
			}
			if len(lines) > 3 && r.counts["parser_fault"] != 1 {
				t.Errorf("%s: counted %v", name, r.counts)
			}
		}
		s, w := both(t, scene{model: limited(model, parse.FaultIsError), request: tools, lines: append(cuts([]string{text(open + long)}), finish("stop"))})
		if !errors.Is(s.err, parse.ErrHeld) || !errors.Is(w.err, parse.ErrHeld) {
			t.Errorf("%s: %v, %v", name, s.err, w.err)
		}
	}
	// Guided JSON, with and without a parser.
	array := `[{"name":"water_plant","parameters":{"bed":"` + long + `"}}]`
	for name, model := range map[string]func(*stream.Model){"no parser": nil, "jail": guided(t, route.V1), "unified": guided(t, route.Auto)} {
		r, _ := both(t, scene{model: limited(model, parse.FaultToText), request: tools + `,"tool_choice":"required"`, lines: append(cuts([]string{text(array)}), finish("stop"))})
		r.want(t, 0, "stop", "text:"+array)
		if r.counts["value_overlong"]+r.counts["parser_fault"] == 0 {
			t.Errorf("%s: counted %v", name, r.counts)
		}
	}
	// Reasoning that waits for an answer.
	r, _ := both(t, scene{model: limited(withHermes(t, route.Auto), parse.FaultToText), request: `"chat_template_kwargs":{"force_nonempty_content":true}`,
		lines: append(cuts([]string{text("<think>" + long)}), text("</think>"), finish("stop"))})
	r.want(t, 0, "stop", "reasoning:"+long)
}

// full is an engine without room for another session.
type full struct{ parser.Engine }

func (f full) Open(*abi.OpenBlock) (parser.Source, abi.Answer, error) {
	return nil, abi.Answer{}, &parser.BusyError{Parser: "p", Cause: errors.New("no room")}
}

func TestNoRoomForAParserIsNoText(t *testing.T) {
	for name, model := range routes(t) {
		s, w := both(t, scene{request: tools, lines: []string{text(call), finish("stop")}, model: func(m *stream.Model) {
			model(m)
			p := &m.Route.Parsers
			for _, e := range []*parser.Engine{&p.Unified, &p.Split, &p.Jailed} {
				if *e != nil {
					*e = full{*e}
				}
			}
		}})
		for _, r := range []*result{s, w} {
			e, f := stream.ErrorOf(r.err), stream.FrameOf(r.err)
			if r.err == nil || e.Status != 503 || e.Code != "limits.instances" || f.Status != 503 || r.count("tool_call") != 0 || r.counts["parser_fault"] != 0 {
				t.Errorf("%s: %v, %+v\n%s", name, r.err, e, r.text())
			}
		}
	}
}

func TestT22_T23_T24_FieldsThatBelongToOneChoice(t *testing.T) {
	models := routes(t)
	models["pass"] = nil
	for name, model := range models {
		for field, allowed := range map[string]bool{
			"engine_data": name != "jail", "routed_experts": name != "jail", "stop_reason": name != "jail",
			"timing": true, "worker_id": true, "completion_token_ids": false,
		} {
			for _, batch := range []bool{false, true} {
				request := fields(field) + `,"n":2`
				if name != "pass" {
					request += "," + tools
				}
				op, refused, sc, _ := prepare(t, &scene{model: model, request: request, batch: batch})
				switch {
				case allowed && (refused != nil || op.Plan().Route.String() != name):
					t.Errorf("%s, %s: %v", name, field, refused)
				case !allowed && (refused == nil || refused.Status != 400 || !strings.Contains(refused.Message, field)):
					t.Errorf("%s, %s: %v", name, field, refused)
				case sc.request != nil:
					t.Errorf("%s, %s: the engine was asked", name, field)
				}
			}
		}
	}
}

// Each choice's stop stands on its own chunk, also where one chunk of the engine
// ends both; a stop behind the finish reason is nobody's.
func TestT86_StopReasonOfEachChoice(t *testing.T) {
	ends := func(index int, stop string) string {
		b := strings.Replace(choiceFinish(index, "stop"), `"stop_reason":null`, `"stop_reason":`+stop, 1)
		return strings.TrimSuffix(strings.TrimPrefix(b, `{"choices":[`), `]}`)
	}
	one := `{"choices":[` + ends(0, `"red"`) + `,` + ends(1, `7`) + `]}`
	request := fields("stop_reason") + `,"n":2,"stop":["red"],"stop_token_ids":[7]`
	s := play(t, scene{request: request, model: func(m *stream.Model) { m.EOSTokenIDs = []int64{2} }, lines: []string{choiceText(0, "a"), choiceText(1, "b"), one, `{"choices":[` + ends(0, `"blue"`) + `]}`}})
	for index, want := range map[string]string{`"index":0`: `"nvext":{"stop_reason":"red"}`, `"index":1`: `"nvext":{"stop_reason":7}`} {
		if s.frame(index, `"finish_reason":"stop"`, want) < 0 {
			t.Errorf("%s without %s:\n%s", index, want, s.text())
		}
	}
	if s.count("stop_reason") != 2 {
		t.Errorf("\n%s", s.text())
	}
	// A jailed call: the stop waits with the finish reason.
	jailed := []string{text(`<tool_call>{"name":"open_vent","arguments":{"house":5}}`),
		`{"choices":[{"index":0,"delta":{"reasoning":"Hm."},"finish_reason":"stop","stop_reason":"red"}]}`}
	s, w := both(t, scene{request: tools + "," + fields("stop_reason") + `,"stop":["red"]`, model: withHermes(t, route.V1), lines: jailed})
	if s.frame(`"finish_reason":"tool_calls"`, `"stop_reason":"red"`) < 0 || s.count("stop_reason") != 1 || w.count(`"nvext":{"stop_reason":"red"}`) != 1 {
		t.Errorf("\n%s\n%s", s.text(), w.text())
	}
	// An engine that says it in its nvext says it once.
	s, w = both(t, scene{profile: "dynamo", request: fields("stop_reason"), lines: []string{text("a"), with(finish("stop"), `"nvext":{"stop_reason":"red"}`)}})
	if s.count(`"nvext":{"stop_reason":"red"}`) != 1 || w.count(`"nvext":{"stop_reason":"red"}`) != 1 {
		t.Errorf("\n%s\n%s", s.text(), w.text())
	}
}

func TestStopInTheMiddleOfTheOnlyCall(t *testing.T) {
	cut := []string{text("Ok. "), text(`<tool_call>{"name":"water_plant","arguments":{"bed":"no`), finish("stop")}
	for name, model := range routes(t) {
		for rewrite, want := range map[bool]string{false: "stop", true: "length"} {
			edit := func(m *stream.Model) { model(m); m.CutIsLength, m.Arguments = rewrite, framing.Whole }
			r, _ := both(t, scene{model: edit, request: tools, lines: cut})
			r.want(t, 0, want, "text:Ok. ")
			if r.counts["call_dropped"]+r.counts["call_cut"] != 1 {
				t.Errorf("%s: counted %v", name, r.counts)
			}
			r, _ = both(t, scene{model: edit, request: tools, lines: append([]string{text(call)}, cut...)})
			r.want(t, 0, "tool_calls", `call:open_vent {"house":3}`, "text:Ok. ")
			r, _ = both(t, scene{model: edit, request: tools, lines: []string{text("Ok."), finish("stop")}})
			r.want(t, 0, "stop", "text:Ok.")
		}
	}
}

// described is an engine whose manifest says something else.
type described struct {
	parser.Engine
	parser *manifest.Parser
}

func (d described) Parser() *manifest.Parser { return d.parser }

func TestWarnsOfAClientThatWantsNoSpecialTokens(t *testing.T) {
	for insists, want := range map[bool]int{true: 1, false: 0} {
		count := 0
		log := &offsets{each: func(string) { count++ }}
		var warned sync.Map
		model := func(m *stream.Model) {
			withHermes(t, route.Auto)(m)
			needs := *m.Route.Parsers.Unified.Parser()
			needs.SpecialTokens = true
			m.Route.Parsers.Unified = described{m.Route.Parsers.Unified, &needs}
			m.Hooks.Log, m.Hooks.Warned = slog.New(log), &warned
		}
		for range 2 {
			request := `"skip_special_tokens":false`
			if insists {
				request = `"skip_special_tokens":true`
			}
			r := play(t, scene{model: model, request: request, lines: []string{finish("stop")}})
			if !r.script.request.SpecialTokens {
				t.Error("the engine is not asked for special tokens")
			}
		}
		if count != want {
			t.Errorf("%d warnings, want %d", count, want)
		}
	}
}

// A client that leaves in the middle of a held call: its session is closed once,
// and not finished.
func TestFS11_T102_LeavingClosesTheSessionOnce(t *testing.T) {
	var reasons []abi.Finish
	closed := 0
	s := scene{model: listen(t, &reasons, &closed, nil), request: tools, lines: []string{text("Ok. "), text(`<tool_call>{"name":"open_vent","argu`), text(`ments":{}}</tool_call>`), finish("stop")}}
	op, _, sc, _ := prepare(t, &s)
	if err := op.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := op.Next(); err != nil {
		t.Fatal(err)
	}
	op.Close()
	op.Close()
	if _, err := op.Next(); !errors.Is(err, context.Canceled) {
		t.Errorf("after it was closed: %v", err)
	}
	if closed != 1 || len(reasons) != 0 || sc.closed != 1 || sc.at != 1 {
		t.Errorf("closed %d times, finished %v, the engine closed %d times after %d lines", closed, reasons, sc.closed, sc.at)
	}
}
