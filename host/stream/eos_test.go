package stream_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/builtin/beam"
	"github.com/turnkey-parsers/turnkey/host/chunk"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/host/route"
	"github.com/turnkey-parsers/turnkey/host/stream"
)

// listening is an engine that notes the reasons its sessions are finished with.
type listening struct {
	parser.Engine
	reasons *[]abi.Finish
	closed  *int
}

type listeningSource struct {
	parser.Source
	l    *listening
	done bool
}

func (l *listening) Open(s *abi.OpenBlock) (parser.Source, abi.Answer, error) {
	src, a, err := l.Engine.Open(s)
	return &listeningSource{Source: src, l: l}, a, err
}

func (s *listeningSource) Finish(off abi.RawOffset, reason abi.Finish) (abi.Answer, error) {
	*s.l.reasons = append(*s.l.reasons, reason)
	return s.Source.Finish(off, reason)
}

func (s *listeningSource) Close() {
	if !s.done {
		s.done = true
		*s.l.closed++
	}
	s.Source.Close()
}

// listen puts ears on the parser of a model.
func listen(t testing.TB, reasons *[]abi.Finish, closed *int, edit func(*stream.Model)) func(*stream.Model) {
	return func(m *stream.Model) {
		withHermes(t, route.Auto)(m)
		m.Route.Parsers.Unified = &listening{m.Route.Parsers.Unified, reasons, closed}
		m.EOSTokenIDs = []int64{2, 32000}
		if edit != nil {
			edit(m)
		}
	}
}

func end(reason, evidence string) string {
	return fmt.Sprintf(`{"choices":[{"index":0,"delta":{},"finish_reason":%q%s}]}`, reason, evidence)
}

func TestT85_T86_T87_T88_T91_WhyTheParserIsTold(t *testing.T) {
	for _, c := range []struct {
		profile, request, line string
		grammar                bool
		want                   abi.Finish
		stop                   string // nvext.stop_reason
	}{
		{"vllm", "", end("stop", `,"stop_reason":null`), true, abi.FinishEOS, ""},
		{"vllm", "", end("stop", `,"stop_reason":null`), false, abi.FinishUnknown, ""},
		{"vllm", "", end("stop", `,"stop_reason":32000`), true, abi.FinishEOS, ""},
		{"vllm", `"stop_token_ids":[32000]`, end("stop", `,"stop_reason":32000`), true, abi.FinishUserStop, "32000"},
		{"vllm", `"stop_token_ids":[777]`, end("stop", `,"stop_reason":777`), true, abi.FinishUserStop, "777"},
		{"vllm", `"stop":["User:"]`, end("stop", `,"stop_reason":"User:"`), false, abi.FinishUserStop, `"User:"`},
		{"vllm", `"ignore_eos":true`, end("stop", `,"stop_reason":null`), true, abi.FinishUnknown, ""},
		{"vllm", "", end("length", `,"stop_reason":null`), true, abi.FinishLength, ""},
		{"vllm", "", end("content_filter", ""), true, abi.FinishLength, ""},
		{"vllm", "", end("tool_calls", ""), true, abi.FinishUnknown, ""},
		{"sglang", "", end("stop", `,"matched_stop":2`), true, abi.FinishEOS, ""},
		{"sglang", "", end("stop", `,"matched_stop":91`), true, abi.FinishUserStop, "91"},
		{"sglang", "", end("stop", ""), true, abi.FinishUnknown, ""},
		{"openai", "", end("stop", ""), true, abi.FinishUnknown, ""},
	} {
		var reasons []abi.Finish
		closed := 0
		model := listen(t, &reasons, &closed, func(m *stream.Model) { m.Route.TurnGrammar = c.grammar })
		request := fields("stop_reason")
		if c.request != "" {
			request += "," + c.request
		}
		r := play(t, scene{profile: c.profile, model: model, request: request, lines: []string{text("Over."), c.line}})
		if !slices.Equal(reasons, []abi.Finish{c.want}) || closed != 1 {
			t.Errorf("%s %s %s, grammar %v: told %v, closed %d times", c.profile, c.request, c.line, c.grammar, reasons, closed)
		}
		if n := r.count(`"stop_reason":` + c.stop); (n == 1) != (c.stop != "") && c.stop != "" || c.stop == "" && r.count("stop_reason") != 0 {
			t.Errorf("%s %s: stop_reason\n%s", c.profile, c.line, r.text())
		}
	}
	// The clean end without a reason.
	var reasons []abi.Finish
	closed := 0
	play(t, scene{model: listen(t, &reasons, &closed, nil), lines: []string{text("Over.")}})
	if !slices.Equal(reasons, []abi.Finish{abi.FinishUnknown}) || closed != 1 {
		t.Errorf("told %v, closed %d times", reasons, closed)
	}
	// A broken connection: the session is closed, not finished.
	reasons, closed = nil, 0
	play(t, scene{model: listen(t, &reasons, &closed, nil), lines: []string{text("Over."), "cut"}})
	if len(reasons) != 0 || closed != 1 {
		t.Errorf("told %v, closed %d times", reasons, closed)
	}
}

// TestStopStringThatClosesACall: the engine leaves the stop string out, on every route; in a
// text it stays out.
func TestStopStringThatClosesACall(t *testing.T) {
	const stop = `"stop":["</tool_call>"]`
	for _, model := range routes(t) {
		end := finish("stop")
		end = strings.Replace(end, `"stop_reason":null`, `"stop_reason":"</tool_call>"`, 1)
		open := text(`<tool_call>{"name":"open_vent","arguments":{"house":3}`)
		r, _ := both(t, scene{model: model, request: tools + "," + stop, lines: []string{open, text("}\n"), end}})
		r.want(t, 0, "tool_calls", `call:open_vent {"house":3}`)
		r, _ = both(t, scene{model: model, request: tools + "," + stop, lines: []string{text("Dry."), end}})
		r.want(t, 0, "stop", "text:Dry.")
	}
}

func TestT89_EachChoiceHasItsOwnReason(t *testing.T) {
	var reasons []abi.Finish
	closed := 0
	model := listen(t, &reasons, &closed, func(m *stream.Model) { m.Route.TurnGrammar = true })
	r := play(t, scene{model: model, request: `"n":2`, lines: []string{choiceText(0, "Red"), choiceText(1, "Blu"), choiceFinish(0, "stop"), choiceFinish(1, "length")}})
	if !slices.Equal(reasons, []abi.Finish{abi.FinishEOS, abi.FinishLength}) {
		t.Errorf("told %v", reasons)
	}
	r.want(t, 0, "stop", "text:Red")
	r.want(t, 1, "length", "text:Blu")
}

func beamModel(t testing.TB, grammar bool) func(*stream.Model) {
	return func(m *stream.Model) {
		list := engines(t, &beam.Module, "beam")
		f := parser.FamilyOf(list[0], list)
		m.Route.Parsers, m.Route.TurnGrammar = route.NewParsers(&f, &f), grammar
		m.EOSTokenIDs = []int64{200012}
	}
}

const potTool = `"tools":[{"type":"function","function":{"name":"pot_plant","parameters":{"type":"object","properties":{"kind":{"type":"string"}}}}}]`

func TestT90_MalformedCallUnderTheGrammar(t *testing.T) {
	lines := []string{choiceText(1, "<|channel|>final<|message|>fine"),
		text(" to=pot_plant<|channel|>analysis <|constrain|>xml<|message"),
		text(`|><rfl:parameter name="kind">fern</rfl:parameter> and also <rfl:parameter name="kind">moss</rfl:parameter><|call|>`),
		end("stop", `,"matched_stop":200012`)}
	s, w := both(t, scene{profile: "sglang", model: beamModel(t, true), request: potTool + `,"n":2`, lines: lines})
	for _, r := range []*result{s, w} {
		var strict *parse.StrictError
		if !errors.As(r.err, &strict) {
			t.Fatalf("got %v\n%s", r.err, r.text())
		}
		if r.count("fern")+r.count("moss")+r.count("tool_calls") != 0 {
			t.Errorf("\n%s", r.text())
		}
		if e := stream.FrameOf(r.err); e.Code != "tool_call_malformed" || e.Status != 500 || strings.Contains(e.Message, "moss") {
			t.Errorf("%+v", e)
		}
	}
	s, _ = both(t, scene{profile: "sglang", model: beamModel(t, false), request: potTool + `,"n":2`, lines: lines})
	if s.err != nil || s.count(`"tool_calls":[`) != 0 || s.view(0).finish != "stop" {
		t.Errorf("without the grammar: %v\n%s", s.err, s.text())
	}
}

func TestTextAfterTheFinishVoidsTheEvidence(t *testing.T) {
	list := engines(t, &beam.Module, "beam", "beam_batch")
	f := parser.FamilyOf(list[0], list)
	var reasons []abi.Finish
	closed := 0
	model := func(m *stream.Model) {
		m.Route.Parsers, m.Route.Version, m.Route.TurnGrammar = route.NewParsers(&f, nil), route.V1, true
		m.Route.Parsers.Jailed = &listening{m.Route.Parsers.Jailed, &reasons, &closed}
		m.EOSTokenIDs = []int64{200012}
	}
	play(t, scene{profile: "sglang", model: model, request: potTool, lines: []string{text(" to=pot_plant"), end("stop", `,"matched_stop":200012`), text("<|channel|>x")}})
	if !slices.Equal(reasons, []abi.Finish{abi.FinishUnknown}) {
		t.Errorf("told %v", reasons)
	}
}

func TestFS10_TextOfTheEndToken(t *testing.T) {
	ids := func(line, ids string) string {
		return strings.Replace(line, `"finish_reason"`, `"token_ids":`+ids+`,"finish_reason"`, 1)
	}
	stopped := func(line string) string { return strings.Replace(line, "null", `"stop"`, 1) }
	for name, model := range routes(t) {
		withIDs := func(m *stream.Model) { model(m); m.EOSTokenIDs = []int64{151645} }
		for _, c := range []struct {
			name   string
			lines  []string
			finish string
			events []string
		}{
			{"a", []string{ids(text("Done."), "[17,13]"), stopped(ids(text("<|im_end|>"), "[151645]"))}, "stop", []string{"text:Done."}},
			{"a, one chunk", []string{stopped(ids(text("Done.<|im_end|>"), "[17,13,151645]"))}, "stop", []string{"text:Done."}},
			{"a, no ids", []string{text("Done."), text("<|im_end|>"), finish("stop")}, "stop", []string{"text:Done."}},
			{"a, in pieces", []string{text("Done.<|im"), text("_end|>"), finish("stop")}, "stop", []string{"text:Done."}},
			{"b", []string{ids(text(call), "[1]"), stopped(ids(text("<|im_end|>"), "[151645]"))}, "tool_calls", []string{`call:open_vent {"house":3}`}},
			{"c", []string{ids(text("<think>Hm.</think>"), "[1]"), stopped(ids(text("<|im_end|>"), "[151645]"))}, "stop", []string{"reasoning:Hm."}},
			{"d", []string{ids(text("It ends with <|im"), "[1,2,3]"), ids(text("_end|>."), "[4,5]"), ids(finish("stop"), "[151645]")}, "stop", []string{"text:It ends with <|im_end|>."}},
			{"d, at the end", []string{ids(text("It ends with <|im"), "[1,2,3]"), ids(text("_end|>"), "[4]"), ids(finish("stop"), "[151645]")}, "stop", []string{"text:It ends with <|im_end|>"}},
			{"cut", []string{text("It ends with <|im_end|>"), finish("length")}, "length", []string{"text:It ends with <|im_end|>"}},
		} {
			for _, lines := range [][]string{c.lines, cuts(c.lines)} {
				r, _ := both(t, scene{model: withIDs, request: tools, lines: lines})
				t.Run(name+"/"+c.name, func(t *testing.T) { r.want(t, 0, c.finish, c.events...) })
			}
		}
	}
}

// What could become the end token's text is held, over several chunks too; the ids of the
// piece that it began with tell whether it is.
func TestFS10_IDsOfTheEndTokenOverHeldText(t *testing.T) {
	ids := func(s, ids string) string {
		return fmt.Sprintf(`{"choices":[{"index":0,"delta":{"content":%q},"token_ids":%s,"finish_reason":null}]}`, s, ids)
	}
	const stopAt = `,"stop_reason":"Bye"`
	for _, c := range []struct {
		name, request string
		lines         []string
		want          string
	}{
		{"the id with the first piece", "", []string{ids("Done.", "[13]"), ids("<|im", "[151645]"), ids("_end|>", "[]"), finish("stop")}, "Done."},
		{"the id with the first of three", "", []string{ids("<|im", "[151645]"), text("_en"), ids("d|>", "[]"), finish("stop")}, ""},
		{"the id with the last piece", "", []string{ids("Done.<|im", "[13]"), ids("_end|>", "[151645]"), finish("stop")}, "Done."},
		{"text behind its id", "", []string{ids("Done.", "[13]"), ids("", "[151645]"), text("<|im"), text("_end|>"), finish("stop")}, "Done."},
		{"no id of the end token", "", []string{ids("Done.<|im", "[13,27]"), ids("_end|>", "[29]"), finish("stop")}, "Done.<|im_end|>"},
		{"the id of text that is no end token's", "", []string{ids("a <|im", "[151645]"), ids("possible <|im_end|>", "[7]"), finish("stop")}, "a <|impossible <|im_end|>"},
		{"a user's stop behind the token's text", `"stop":["Bye"]`, []string{text("It is <|im_end|>"), end("stop", stopAt)}, "It is <|im_end|>"},
		{"half of the token's text, and a user's stop", `"stop":["Bye"]`, []string{text("It is <|im"), end("stop", stopAt)}, "It is <|im"},
		{"half of the token's text", "", []string{text("It is <|im"), finish("stop")}, "It is <|im"},
		{"length behind the token's id", "", []string{ids("Done.", "[13]"), ids("<|im_end|>", "[151645]"), finish("length")}, "Done."},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := func(m *stream.Model) { withHermes(t, route.Auto)(m); m.EOSTokenIDs = []int64{151645} }
			s, w := both(t, scene{model: model, request: c.request, lines: c.lines})
			for _, r := range []*result{s, w} {
				if got := strings.TrimPrefix(strings.Join(r.view(0).events, ""), "text:"); got != c.want || r.err != nil {
					t.Errorf("got %q, want %q\n%s", got, c.want, r.text())
				}
			}
		})
	}
}

func TestT84_NothingOfTheLastChunkComesTwice(t *testing.T) {
	// Every place that makes a chunk of its own, each behind a last chunk that
	// carries all there is.
	open := `<tool_call>{"name":"open_vent","arguments":{"house":5}}`
	models := routes(t)
	places := []struct {
		name, route, request string
		last                 string
		finish               string
	}{
		{"the jail's end, a call", "jail", tools, open, ""},
		{"the jail's end, text", "jail", tools, "Mind the <tool_", ""},
		{"the backstop of the jail", "jail", tools, call, ""},
		{"the backstop of the unified route", "unified", tools, call, ""},
		{"the end of the split route", "split", tools, "Mind the <tool_", ""},
		{"the backstop of the split route", "split", tools, call, ""},
		{"one input, many outputs", "unified", tools, "<think>a</think>b" + call + "c", "stop"},
		{"content that must not be empty", "unified", `"chat_template_kwargs":{"force_nonempty_content":true}`, "<think>a</think>", ""},
		{"a cut call", "unified", tools, `<tool_call>{"name":"water_plant","arguments":{"bed":"no`, "length"},
		{"pass", "", "", "Fine.", ""},
	}
	for _, p := range places {
		t.Run(p.name, func(t *testing.T) {
			line := with(text(p.last), `"nvext":{"completion_token_ids":[42],"engine_data":{"only":"once"}},"usage":{"prompt_tokens":3,"completion_tokens":77,"total_tokens":80},"model_eos":[0],"x_extra":"mark"`)
			if p.finish != "" {
				line = strings.Replace(line, "null", `"`+p.finish+`"`, 1)
			}
			line = strings.Replace(line, `"finish_reason"`, `"logprobs":{"content":[{"token":"lp"}]},"finish_reason"`, 1)
			request := fields("completion_token_ids", "engine_data") + `,"stream_options":{"include_usage":true},"logprobs":true`
			if p.request != "" {
				request += "," + p.request
			}
			s := scene{profile: "dynamo", model: models[p.route], request: request, lines: []string{role, line}}
			s.edit = func(at int, it *chunk.Item) {
				if at == 1 {
					it.Event, it.Comments = "note", []string{"annotated"}
					it.Metrics = &chunk.Metrics{ChunkTokens: 9}
				}
			}
			r := play(t, s)
			for _, once := range []string{"[42]", `{"only":"once"}`, `"completion_tokens":77`, `"token":"lp"`, `"x_extra":"mark"`} {
				if r.count(once) != 1 {
					t.Errorf("%s comes %d times:\n%s", once, r.count(once), r.text())
				}
			}
			if r.notes != 1 || r.count("model_eos") != 0 {
				t.Errorf("%d notes:\n%s", r.notes, r.text())
			}
			sum := int64(0)
			for _, m := range r.metrics {
				sum += m.ChunkTokens
			}
			if sum != 9 {
				t.Errorf("metrics sum to %d: %v", sum, r.metrics)
			}
		})
	}
}
