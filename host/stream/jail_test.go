package stream_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/framing"
	"github.com/turnkey-parsers/turnkey/host/route"
	"github.com/turnkey-parsers/turnkey/host/stream"
)

// The calls test runs texts on every route that reads calls, whole and in single
// characters, streamed and not.
func TestT29_T30_T31_T32_T33_T34_T36_T42_Calls(t *testing.T) {
	cases := []struct {
		name   string
		lines  []string
		finish string
		events []string
	}{
		{"T29 a call", []string{text("Yes. " + call), finish("stop")}, "tool_calls", []string{"text:Yes. ", `call:open_vent {"house":3}`}},
		{"T30 a false alarm", []string{text("2 < 3 in the <tool"), text("box> is fine"), finish("stop")}, "stop", []string{"text:2 < 3 in the <toolbox> is fine"}},
		{"T31 half a marker at the end", []string{text("Mind the <tool_"), finish("stop")}, "stop", []string{"text:Mind the <tool_"}},
		{"T32 text, call, text", []string{text("Look: " + call + " and done."), finish("stop")}, "tool_calls", []string{"text:Look: ", `call:open_vent {"house":3}`, "text: and done."}},
		{"T33 two calls in one chunk", []string{text(call + call), finish("stop")}, "tool_calls", []string{`call:open_vent {"house":3}`, `call:open_vent {"house":3}`}},
		{"T33 two calls in two chunks", []string{text(call), text(call), finish("stop")}, "tool_calls", []string{`call:open_vent {"house":3}`, `call:open_vent {"house":3}`}},
		{"T34 prose between two calls", []string{text("Sure." + call + " then " + call), finish("stop")}, "tool_calls", []string{"text:Sure.", `call:open_vent {"house":3}`, "text: then ", `call:open_vent {"house":3}`}},
		{"T36 all at once", []string{strings.Replace(text("<think>Hot.</think>On it."+call), "null", `"stop"`, 1)}, "tool_calls", []string{"reasoning:Hot.", "text:On it.", `call:open_vent {"house":3}`}},
		{"T42 no call", []string{text("Nothing to do."), finish("stop")}, "stop", []string{"text:Nothing to do."}},
		{"a closer inside a string", []string{text(`<tool_call>{"name":"water_plant","arguments":{"bed":"</tool_call>"}}</tool_call>`), finish("stop")}, "tool_calls", []string{`call:water_plant {"bed":"</tool_call>"}`}},
		{"unicode", []string{text("Größe 🌱 <tool_call>{\"name\":\"water_plant\",\"arguments\":{\"bed\":\"süd 🌱\"}}</tool_call>"), finish("stop")}, "tool_calls", []string{"text:Größe 🌱 ", `call:water_plant {"bed":"süd 🌱"}`}},
	}
	for name, model := range routes(t) {
		for _, c := range cases {
			t.Run(name+"/"+c.name, func(t *testing.T) {
				for _, lines := range [][]string{c.lines, cuts(c.lines)} {
					r, _ := both(t, scene{model: model, request: tools, lines: append([]string{role}, lines...)})
					r.want(t, 0, c.finish, c.events...)
					if n := r.count("finish_reason\":\""); n != 1 {
						t.Errorf("%d finish reasons:\n%s", n, r.text())
					}
				}
			})
		}
	}
}

// Every cut of a text at two places gives the same.
func TestT29_EverySplitGivesTheSame(t *testing.T) {
	const whole = "a < b <tool" + call + "x<tool_call>" + `{"name":"open_vent","arguments":{}}</tool_call> `
	for name, model := range routes(t) {
		want := ""
		for i := 0; i <= len(whole); i++ {
			for j := i; j <= len(whole); j += 7 {
				r := play(t, scene{model: model, request: tools, lines: []string{text(whole[:i]), text(whole[i:j]), text(whole[j:]), text("end"), finish("stop")}})
				got := fmt.Sprint(r.view(0).events, r.view(0).finish)
				if want == "" {
					want = got
				}
				if got != want {
					t.Fatalf("%s cut at %d and %d:\nwant %s\ngot  %s", name, i, j, want, got)
				}
			}
		}
	}
}

func TestT35_ChoicesAreIndependent(t *testing.T) {
	lines := []string{
		choiceText(0, "<tool_call>\n{\"name\": \"open_vent\", "), choiceText(1, "No need "),
		choiceText(0, "\"arguments\": {\"house\": 2}}\n</tool_"), choiceText(1, "to."), choiceFinish(1, "stop"),
		choiceText(0, "call>"), choiceText(2, call+call), choiceFinish(0, "stop"), choiceFinish(2, "length"),
	}
	for name, model := range routes(t) {
		r, _ := both(t, scene{model: model, request: tools + `,"n":3`, lines: lines})
		r.want(t, 0, "tool_calls", `call:open_vent {"house": 2}`)
		r.want(t, 1, "stop", "text:No need to.")
		r.want(t, 2, "length", `call:open_vent {"house":3}`, `call:open_vent {"house":3}`)
		if r.frame(`"index":1`, `"finish_reason":"stop"`) > r.frame(`"index":0`, `"finish_reason":"tool_calls"`) {
			t.Errorf("%s: choice 1 waits for choice 0:\n%s", name, r.text())
		}
		ids := map[string]bool{}
		for _, part := range strings.Split(r.text(), `"id":"call_`)[1:] {
			ids[part[:10]] = true
		}
		if len(ids) != 3 {
			t.Errorf("%s: %d call ids of 3", name, len(ids))
		}
	}
	// Both choices in one engine chunk.
	one := `{"choices":[{"index":0,"delta":{"content":"left"}},{"index":1,"delta":{"content":"right"}}]}`
	r, _ := both(t, scene{request: `"n":2`, lines: []string{one, choiceFinish(0, "stop"), choiceFinish(1, "stop")}})
	r.want(t, 0, "stop", "text:left")
	r.want(t, 1, "stop", "text:right")
}

func TestT37_FormattingAfterTheLastCall(t *testing.T) {
	terminal := strings.Replace(text(call+"\n"), "null", `"stop"`, 1)
	lines := []string{text("Sure."), terminal}
	for name, model := range routes(t) {
		for _, l := range [][]string{lines, cuts(lines)} {
			r, _ := both(t, scene{model: model, request: tools, lines: l})
			want := []string{"text:Sure.", `call:open_vent {"house":3}`, "text:\n"}
			if name == "jail" {
				want = want[:2]
			}
			r.want(t, 0, "tool_calls", want...)
		}
	}
}

func TestT38_T39_T40_T55_FinishWaitsForTheJailedCall(t *testing.T) {
	open := text(`<tool_call>{"name":"open_vent","arguments":{"house":5}}`)
	half := text(`<tool_call>{"name":"open_vent","arguments":{"hou`)
	for name, tail := range map[string][]string{
		"T38 finish only":          {finish("stop"), usage},
		"T39 finish with a role":   {`{"choices":[{"index":0,"delta":{"role":"assistant"},"finish_reason":"stop"}]}`, usage},
		"T39 finish and reasoning": {`{"choices":[{"index":0,"delta":{"reasoning":"good"},"finish_reason":"stop"}]}`, usage},
		"T40 text follows":         {finish("stop"), text("</tool_call>"), usage},
		"T40 half a call follows":  {finish("stop"), text(`se":5}}</tool_call>`), usage},
		"T55 usage before":         {usage, text("</tool_call>"), finish("stop")},
	} {
		t.Run(name, func(t *testing.T) {
			begin := open
			if strings.Contains(name, "half") {
				begin = half
			}
			both(t, scene{model: withHermes(t, route.V1), request: tools, lines: append([]string{role, begin}, tail...)})
			s := play(t, scene{model: withHermes(t, route.V1), request: tools + `,"stream_options":{"include_usage":true}`, lines: append([]string{role, begin}, tail...)})
			want := []string{`call:open_vent {"house":5}`}
			if strings.Contains(name, "reasoning") {
				want = append([]string{"reasoning:good"}, want...)
			}
			s.want(t, 0, "tool_calls", want...)
			if c, f, u := s.frame("open_vent"), s.frame("finish_reason\":\"tool_calls"), s.frame(`"usage":{`); c > f || f > u || s.count(`"usage":{`) != 1 || s.count(`"role"`) != 1 {
				t.Errorf("call %d, finish %d, usage %d:\n%s", c, f, u, s.text())
			}
		})
	}
}

// The first finish reason counts, and its evidence, also while it waits for held text.
func TestASecondFinishReasonChangesNothing(t *testing.T) {
	const open = `<tool_call>{"name":"open_vent","arguments":{"house":5}}`
	for _, c := range []struct {
		name, held    string
		first, second string
		finish        string
		stop          string // nvext.stop_reason
		events        []string
	}{
		{"a call, length first", open, finish("length"), finish("stop"), "length", "", []string{`call:open_vent {"house":5}`}},
		{"a call, stop first", open, end("stop", `,"stop_reason":"Bye"`), end("length", ""), "tool_calls", `"Bye"`, []string{`call:open_vent {"house":5}`}},
		{"a call, two stops", open, end("stop", `,"stop_reason":"Bye"`), end("stop", `,"stop_reason":777`), "tool_calls", `"Bye"`, []string{`call:open_vent {"house":5}`}},
		{"half a marker", "Mind <tool_", finish("length"), finish("stop"), "length", "", []string{"text:Mind <tool_"}},
		{"nothing held", "Dry.", finish("length"), finish("stop"), "length", "", []string{"text:Dry."}},
	} {
		for name, model := range routes(t) {
			s, w := both(t, scene{model: model, request: tools + `,"stop":["Bye"],"stop_token_ids":[777],` + fields("stop_reason"), lines: []string{text(c.held), c.first, c.second}})
			for _, r := range []*result{s, w} {
				r.want(t, 0, c.finish, c.events...)
				if n := r.count(`"stop_reason":`); n > 1 || (n == 1) != (c.stop != "") || c.stop != "" && r.count(`"stop_reason":`+c.stop) != 1 {
					t.Errorf("%s, %s: stop reason\n%s", name, c.name, r.text())
				}
			}
		}
	}
}

func TestT41_OnlyStopBecomesToolCalls(t *testing.T) {
	for name, model := range routes(t) {
		for engine, want := range map[string]string{"stop": "tool_calls", "length": "length", "content_filter": "content_filter"} {
			r, _ := both(t, scene{model: model, request: tools, lines: []string{text(call), finish(engine)}})
			if r.view(0).finish != want {
				t.Errorf("%s: %s became %s", name, engine, r.view(0).finish)
			}
		}
	}
}

func TestT44_T45_MissingFinishReason(t *testing.T) {
	request := tools + `,"stream_options":{"include_usage":true},` + fields("completion_token_ids")
	for name, model := range routes(t) {
		lines := []string{with(text(call), `"nvext":{"completion_token_ids":[1]}`), usage}
		r := play(t, scene{profile: "dynamo", model: model, request: request, lines: lines})
		r.want(t, 0, "tool_calls", `call:open_vent {"house":3}`)
		f := r.frame(`"finish_reason":"tool_calls"`)
		if r.frames[f] != strings.Split(r.frames[f], `"choices"`)[0]+`"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}` {
			t.Errorf("%s: the made-up chunk holds more: %s", name, r.frames[f])
		}
		if f != len(r.frames)-2 || r.count("[1]") != 1 {
			t.Errorf("%s:\n%s", name, r.text())
		}
		r, _ = both(t, scene{model: model, request: tools, lines: []string{text("Dry."), usage}})
		r.want(t, 0, "", "text:Dry.")
	}
}

// An end without a finish reason is an error where the model was in the middle of something,
// on every route; what closes at the end, and a marker's mere beginning, are none.
func TestEndWithoutAFinishReason(t *testing.T) {
	thinks := func(prefix string) string {
		return `{"choices":[{"index":0,"delta":{"reasoning_content":"` + prefix + `"}}]}`
	}
	calls := func(arguments string) string {
		return `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"open_vent","arguments":"` + arguments + `"}}]}}]}`
	}
	forced := []struct{ name, text, open string }{
		{"guided JSON", `[{"name":"open_vent","parameters":{"house":3}}]`, ""},
		{"guided JSON that is cut", `[{"name":"open_vent","parameters":{"ho`, "a call"},
	}
	for _, c := range forced {
		for name, model := range routes(t) {
			byJSON := func(m *stream.Model) { model(m); m.Route.Guided = route.GuideByJSON }
			s, w := both(t, scene{model: byJSON, request: tools + `,"tool_choice":"required"`, lines: []string{text(c.text), usage}})
			for _, r := range []*result{s, w} {
				if (r.err != nil) != (c.open != "") {
					t.Errorf("%s, %s: %v\n%s", name, c.name, r.err, r.text())
				}
			}
		}
	}
	for _, c := range []struct {
		name string
		last []string
		open string // "" for none
	}{
		{"text", []string{text("Dry.")}, ""},
		{"a closed thought", []string{text("<think>Pale.</think>")}, ""},
		{"a closed thought and white space", []string{text("<think>Pale.</think>"), text("\n\n")}, ""},
		{"text behind a thought", []string{text("<think>Pale.</think>Dry.")}, ""},
		{"a thought", []string{text("<think>Pale")}, "a thought"},
		{"a thought and white space", []string{text("<think>Pale"), text(" \n")}, "a thought"},
		{"a thought whose closer is cut", []string{text("<think>Pale</thi")}, "a thought"},
		{"text and the beginning of a marker", []string{text("Dry <tool_")}, ""},
		{"text and a bracket", []string{text("a <")}, ""},
		{"an opener", []string{text("Dry. <tool_call>")}, "a call"},
		{"a name", []string{text(`<tool_call>{"name":"open_vent"`)}, "a call"},
		{"arguments", []string{text(`<tool_call>{"name":"open_vent","arguments":{"house":`)}, "a call"},
		{"a call behind a call", []string{text(call), text(`<tool_call>{"name":"open_vent","arguments":{`)}, "a call"},
		{"a call that misses its closer only", []string{text(`<tool_call>{"name":"open_vent","arguments":{"house":3}}`)}, ""},
		{"a thought of the engine", []string{thinks("Pale")}, "a thought"},
		{"text behind a thought of the engine", []string{thinks("Pale"), text("Dry.")}, ""},
		{"a call of the engine", []string{calls(`{\"house\":3}`)}, ""},
		{"a call of the engine that is cut", []string{calls(`{\"house\":`)}, "a call"},
	} {
		for name, model := range routes(t) {
			s, w := both(t, scene{model: model, request: tools, lines: append(slices.Clone(c.last), usage)})
			for _, r := range []*result{s, w} {
				engine := (*backend.Error)(nil)
				switch {
				case c.open == "" && r.err != nil:
					t.Errorf("%s, %s: %v", name, c.name, r.err)
				case c.open == "":
				case !errors.As(r.err, &engine) || engine.Code != backend.CodeIncomplete || engine.Status != 502 || !strings.HasSuffix(engine.Message, c.open):
					t.Errorf("%s, %s: %v\n%s", name, c.name, r.err, r.text())
				}
			}
		}
	}
}

// The order at the end: what the choices still have, the finish reasons that the
// host gives, metadata without an output, usage.
func TestT14_T44_OrderAtTheEnd(t *testing.T) {
	lines := []string{text(call), `{"choices":[],"nvext":{"completion_token_ids":[7]}}`, usage}
	for name, model := range routes(t) {
		r := play(t, scene{profile: "dynamo", model: model, request: tools + "," + fields("completion_token_ids") + `,"stream_options":{"include_usage":true}`, lines: lines})
		c, f, m, u := r.frame("open_vent"), r.frame(`"finish_reason":"tool_calls"`), r.frame(`"choices":[]`, "[7]"), r.frame(`"usage":{`)
		if c < 0 || f != c+1 || m != f+1 || u != m+1 || u != len(r.frames)-1 || strings.Contains(r.frames[f], "nvext") {
			t.Errorf("%s: call %d, finish %d, metadata %d, usage %d:\n%s", name, c, f, m, u, r.text())
		}
	}
}

func TestT46_T50_RequiredByGuidedJSON(t *testing.T) {
	models := map[string]func(*stream.Model){
		"no parser": nil,
		"jail":      guided(t, route.V1),
		"unified":   guided(t, route.Auto),
	}
	cases := []struct {
		text, finish string
		events       []string
	}{
		{`[{"name":"water_plant","parameters":{ "bed" : "caf\u00e9 [x" , "n":2.50 }},{"name":"open_vent","parameters":{"house":3}}]`, "tool_calls",
			[]string{`call:water_plant { "bed" : "caf\u00e9 [x" , "n":2.50 }`, `call:open_vent {"house":3}`}},
		{` [{"name":"open_vent","arguments":{"house":3}}] ` + "\n", "tool_calls", []string{`call:open_vent {"house":3}`}},
		{`All beds are wet: [north, south] {ok}.`, "stop", []string{"text:All beds are wet: [north, south] {ok}."}},
		{`[]`, "stop", []string{"text:[]"}},
	}
	for name, model := range models {
		for _, c := range cases {
			for _, lines := range [][]string{{text(c.text)}, cuts([]string{text(c.text)})} {
				r, _ := both(t, scene{model: model, request: tools + `,"tool_choice":"required"`, lines: append(lines, finish("stop"))})
				t.Run(name, func(t *testing.T) { r.want(t, 0, c.finish, c.events...) })
				if r.script.request.Guided.Kind == 0 {
					t.Errorf("%s: the engine is not constrained", name)
				}
			}
		}
	}
}

func guided(t testing.TB, v route.Version) func(*stream.Model) {
	return func(m *stream.Model) {
		withHermes(t, v)(m)
		m.Route.Guided = route.GuideByJSON
	}
}

func TestT43_T47_T48_NamedByGuidedJSON(t *testing.T) {
	models := map[string]func(*stream.Model){"no parser": nil, "jail": guided(t, route.V1), "unified": guided(t, route.Auto)}
	const wrapper = `"tools":[{"type":"function","function":{"name":"add_rule","parameters":{"type":"object","properties":{"name":{"type":"string"},"arguments":{"type":"object"}}}}}],"tool_choice":{"type":"function","function":{"name":"add_rule"}}`
	for name, model := range models {
		r, _ := both(t, scene{model: model, request: tools + `,"tool_choice":{"type":"function","function":{"name":"water_plant"}}`,
			lines: []string{text(" { \"n\": 1,\n"), text("  \"bed\": \"a\" }\n"), finish("stop")}})
		r.want(t, 0, "tool_calls", "call:water_plant { \"n\": 1,\n  \"bed\": \"a\" }")
		for _, inner := range []string{"open_door", "add_rule"} {
			r, _ = both(t, scene{model: model, request: wrapper, lines: []string{text(`{"name":"` + inner + `",`), text(`"arguments":{"door":2}}`), finish("stop")}})
			r.want(t, 0, "tool_calls", `call:add_rule {"name":"`+inner+`","arguments":{"door":2}}`)
		}
		if t.Failed() {
			t.Fatal(name)
		}
	}
	stop := func(m *stream.Model) { m.NamedStop = true }
	r, _ := both(t, scene{model: stop, request: tools + `,"tool_choice":{"type":"function","function":{"name":"water_plant"}}`, lines: []string{text("{}"), finish("stop")}})
	r.want(t, 0, "stop", "call:water_plant {}")
}

func TestT49_NativeMarkupUnderGuidedJSON(t *testing.T) {
	named := tools + `,"tool_choice":{"type":"function","function":{"name":"water_plant"}}`
	other := []string{text("Now. " + call), finish("stop")}
	for _, l := range [][]string{other, cuts(other)} {
		r, _ := both(t, scene{model: guided(t, route.V1), request: named, lines: l})
		r.want(t, 0, "stop", "text:Now. ")
	}
	r, _ := both(t, scene{model: guided(t, route.V1), request: named, lines: []string{text(call), finish("stop")}})
	r.want(t, 0, "stop", "text:"+call) // all that the client can get
	r, _ = both(t, scene{model: guided(t, route.V1), request: tools + `,"tool_choice":"required"`, lines: other})
	r.want(t, 0, "tool_calls", "text:Now. ", `call:open_vent {"house":3}`)
}

// The same where the engine works under a structural tag that it does not keep:
// only what the parser calls text survives.
func TestT49_CallOfAnotherToolUnderAStructuralTag(t *testing.T) {
	named := tools + `,"tool_choice":{"type":"function","function":{"name":"water_plant"}}`
	wanted := `<tool_call>{"name":"water_plant","arguments":{}}</tool_call>`
	for _, v := range []route.Version{route.Auto, route.V1} {
		model := func(m *stream.Model) {
			withHermes(t, v)(m)
			m.Route.Guided = route.GuideByTag
		}
		for _, l := range [][]string{{text("Now. " + call + wanted)}, cuts([]string{text("Now. " + call + wanted)})} {
			r, _ := both(t, scene{model: model, request: named, lines: append(l, finish("stop"))})
			r.want(t, 0, "tool_calls", "text:Now. ", "call:water_plant {}")
			if r.counts["call_suppressed"] != 1 {
				t.Errorf("counted %v", r.counts)
			}
		}
	}
}

func TestT51_ImmediateModeAfterReasoning(t *testing.T) {
	lines := []string{`{"choices":[{"index":0,"delta":{"role":"assistant","reasoning":"Hot."}}]}`, text(`[{"name":"open_vent",`), text(`"parameters":{"house":4}}]`), finish("stop")}
	for _, model := range []func(*stream.Model){nil, guided(t, route.V1)} {
		r, _ := both(t, scene{model: model, request: tools + `,"tool_choice":"required"`, lines: lines})
		r.want(t, 0, "tool_calls", "reasoning:Hot.", `call:open_vent {"house":4}`)
	}
}

func TestT52_StructuralTagIsReadAsMarkup(t *testing.T) {
	for _, v := range []route.Version{route.Auto, route.V1} {
		model := func(m *stream.Model) {
			withHermes(t, v)(m)
			m.Route.Guided = route.GuideByTag
		}
		r, _ := both(t, scene{model: model, request: tools + `,"tool_choice":"required"`, lines: []string{text(call), finish("stop")}})
		r.want(t, 0, "tool_calls", `call:open_vent {"house":3}`)
		if g := r.script.request.Guided; !strings.Contains(string(g.Value), "<tool_call>") {
			t.Errorf("constraint %s", g.Value)
		}
	}
}

func TestT53_ParallelOffLetsOneCallThrough(t *testing.T) {
	for name, model := range routes(t) {
		r, _ := both(t, scene{model: model, request: tools + `,"parallel_tool_calls":false`, lines: []string{text(call + strings.Replace(call, "3", "4", 1)), finish("stop")}})
		r.want(t, 0, "tool_calls", `call:open_vent {"house":3}`)
		if r.counts["call_suppressed"] != 1 {
			t.Errorf("%s: counted %v", name, r.counts)
		}
	}
}

func TestT54_FS13_ToolChoiceNoneLetsNoCallThrough(t *testing.T) {
	request := tools + `,"tool_choice":"none"`
	made := []string{text("All is well."), `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"x","type":"function","function":{"name":"open_vent","arguments":"{}"}}]}}]}`, finish("tool_calls")}
	models := routes(t)
	models["pass"] = nil
	for name, model := range models {
		r, _ := both(t, scene{model: model, request: request, lines: made})
		r.want(t, 0, "stop", "text:All is well.")
		if r.counts["call_suppressed"] != 1 {
			t.Errorf("%s: counted %v", name, r.counts)
		}
		if model == nil {
			continue
		}
		for _, l := range [][]string{{text("Hm. " + call)}, cuts([]string{text("Hm. " + call)})} {
			r, _ = both(t, scene{model: model, request: request, lines: append(l, finish("stop"))})
			r.want(t, 0, "stop", "text:Hm. ")
			if r.counts["call_suppressed"] != 1 {
				t.Errorf("%s: counted %v", name, r.counts)
			}
		}
	}
}

func TestSettled13_WithoutToolsMarkupIsText(t *testing.T) {
	for name, model := range routes(t) {
		r, _ := both(t, scene{model: model, lines: []string{text("<think>Hm.</think>Write " + call + "."), finish("stop")}})
		r.want(t, 0, "stop", "reasoning:Hm.", "text:Write "+call+".")
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

func TestT56_RunningUsageStandsOnOneDelta(t *testing.T) {
	for name, model := range routes(t) {
		line := with(text("Left. "+call+" Right."), `"usage":{"prompt_tokens":9,"completion_tokens":18,"total_tokens":27}`)
		r := play(t, scene{model: model, request: tools + `,"stream_options":{"include_usage":true,"continuous_usage_stats":true}`, lines: []string{role, line, finish("stop"), usage}})
		if r.count(`"completion_tokens":18`) != 1 || r.count(`"completion_tokens":5`) != 1 {
			t.Errorf("%s:\n%s", name, r.text())
		}
	}
}

// Running usage of a chunk that says nothing is not that of a later one.
func TestT56_RunningUsageOfAnEmptyChunk(t *testing.T) {
	void := with(text(""), `"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}`)
	r := play(t, scene{request: `"stream_options":{"include_usage":true,"continuous_usage_stats":true}`, model: withHermes(t, route.Auto), lines: []string{role, void, text("Dry."), finish("stop"), usage}})
	if at := r.frame("Dry."); strings.Contains(r.frames[at], "usage") || r.count(`"completion_tokens":5`) != 1 {
		t.Errorf("\n%s", r.text())
	}
}

func TestT57_FS07_LogprobsComeOnce(t *testing.T) {
	entry := func(p string) string {
		return `"logprobs":{"content":[{"token":"x","logprob":` + p + `}]}`
	}
	line := func(s, p string) string {
		return strings.Replace(text(s), `"finish_reason"`, entry(p)+`,"finish_reason"`, 1)
	}
	lines := []string{role, line("<think>Heavy.</think>", "-0.5"), line("Yes. <tool_call>", "-1.5"), line(`{"name":"open_vent",`, "-2.5"), line(`"arguments":{}}`, "-3.5"), line("</tool_call>", "-4.5"),
		strings.Replace(finish("stop"), `"finish_reason"`, entry("-5.5")+`,"finish_reason"`, 1)}
	for name, model := range routes(t) {
		s, w := both(t, scene{model: model, request: tools + `,"logprobs":true`, lines: lines})
		for _, r := range []*result{s, w} {
			at := -1
			for _, p := range []string{"-0.5", "-1.5", "-2.5", "-3.5", "-4.5", "-5.5"} {
				next := strings.Index(r.text(), p)
				if r.count(p) != 1 || next < at {
					t.Errorf("%s: %s is there %d times, at %d after %d", name, p, r.count(p), next, at)
				}
				at = next
			}
		}
	}
	// Held to the end, with a finish reason and no closer.
	r, _ := both(t, scene{model: routes(t)["unified"], request: tools + `,"logprobs":true`, lines: []string{line("a <tool_call>", "-1.5"), line("{", "-2.5"), finish("stop")}})
	if r.count("-2.5") != 1 {
		t.Errorf("lost:\n%s", r.text())
	}
	// Two lists, which are put together each for itself.
	both := func(s, content, refusal string) string {
		lists := `"logprobs":{"content":[` + content + `],"refusal":[` + refusal + `],"other":null},`
		return strings.Replace(text(s), `"finish_reason"`, lists+`"finish_reason"`, 1)
	}
	r = play(t, scene{model: routes(t)["jail"], request: tools + `,"logprobs":true`, lines: []string{
		both("<tool_call>", "1", "-1"), both(`{"name":"open_vent",`, "2,3", "-2"), line(`"arguments":{}}`, "-3.5"), both("</tool_call>", "4", ""), finish("stop")}})
	if want := `"logprobs":{"content":[1,2,3,{"token":"x","logprob":-3.5},4],"refusal":[-1,-2],"other":null}`; r.count(want) != 1 {
		t.Errorf("want %s\n%s", want, r.text())
	}
}

func TestT58_FS01_LengthWinsAndACutCallIsNotClosed(t *testing.T) {
	lines := []string{text("Let me check. "), text(call), text(`<tool_call>{"name":"water_plant","arguments":{"bed":"no`), finish("length")}
	for name, model := range routes(t) {
		for _, arguments := range []framing.Arguments{framing.Eager, framing.Whole} {
			edit := func(m *stream.Model) { model(m); m.Arguments = arguments }
			w := play(t, scene{model: edit, request: tools, lines: lines, batch: true})
			w.want(t, 0, "length", "text:Let me check. ", `call:open_vent {"house":3}`)
			s := play(t, scene{model: edit, request: tools, lines: lines})
			events := s.view(0).events
			if s.view(0).finish != "length" || s.count("<tool_call") != 0 {
				t.Errorf("%s:\n%s", name, s.text())
			}
			switch last := events[len(events)-1]; {
			case len(events) == 2:
			case arguments == framing.Whole || name == "jail":
				t.Errorf("%s: something of the cut call went out: %q", name, last)
			case len(events) != 3 || strings.HasSuffix(last, "}") || !strings.HasPrefix(last, "call:water_plant "):
				t.Errorf("%s: %q", name, events)
			}
		}
	}
}

func TestT59_PartsPassAsTheyAre(t *testing.T) {
	lines := []string{role, `{"choices":[{"index":0,"delta":{"content":[{"type":"text","text":"A leaf."}]}}]}`, `{"choices":[{"index":0,"delta":{"refusal":"No."}}]}`, finish("stop")}
	models := routes(t)
	models["pass"] = nil
	for name, model := range models {
		s, w := both(t, scene{model: model, request: tools, lines: lines})
		for _, r := range []*result{s, w} {
			if r.count(`"content":[{"type":"text","text":"A leaf."}]`) != 1 || r.count(`"refusal":"No."`) != 1 {
				t.Errorf("%s:\n%s", name, r.text())
			}
		}
	}
}

func TestSettled8_CallsOfTheEnginePassAndTakeAnIndex(t *testing.T) {
	made := `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"made","type":"function","function":{"name":"water_plant","arguments":"{\"bed\":"}}]}}]}`
	rest := `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"made","type":"function","function":{"name":"water_plant","arguments":"1}"}}]}}]}`
	for name, model := range routes(t) {
		r, _ := both(t, scene{model: model, request: tools, lines: []string{text(call), made, rest, text(call), finish("tool_calls")}})
		r.want(t, 0, "tool_calls", `call:open_vent {"house":3}`, `call:water_plant {"bed":1}`, `call:open_vent {"house":3}`)
		if r.count(`"id":"made"`) != 1 || r.count(`"index":2`) == 0 {
			t.Errorf("%s:\n%s", name, r.text())
		}
		r, _ = both(t, scene{model: model, request: tools, lines: []string{made, rest, text(call), finish("tool_calls")}})
		r.want(t, 0, "tool_calls", `call:water_plant {"bed":1}`, `call:open_vent {"house":3}`)
	}
}

// A call of the engine begins when it has its name; without one it is none, and
// no reason to say tool_calls.
func TestFS09_CallsOfTheEngineBeginWithTheirNames(t *testing.T) {
	part := func(index int, call string) string {
		return fmt.Sprintf(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,%s}]}}]}`, index, call)
	}
	for name, model := range routes(t) {
		r, _ := both(t, scene{model: model, request: tools, lines: []string{
			part(3, `"id":"made","type":"function","function":{"name":null,"arguments":""}`),
			part(3, `"function":{"arguments":"{\"bed\":"}`), part(9, `"function":{"arguments":"{}"}`),
			part(3, `"function":{"name":"water_plant","arguments":"1"}`), part(3, `"function":{"name":"again","arguments":"}"}`), finish("tool_calls")}})
		r.want(t, 0, "tool_calls", `call:water_plant {"bed":1}`)
		if r.count(`"id":"made"`) != 1 || r.counts["call_nameless"] != 1 {
			t.Errorf("%s: %v\n%s", name, r.counts, r.text())
		}
		r, _ = both(t, scene{model: model, request: tools, lines: []string{part(0, `"id":"made","function":{"name":"","arguments":"{}"}`), finish("tool_calls")}})
		r.want(t, 0, "stop")
	}
}

func TestWhatTheEngineReadsItselfCountsAsText(t *testing.T) {
	limited := func(m *stream.Model) { m.Limits.Text = 1000 }
	for _, delta := range []string{`"reasoning":%q`, `"refusal":%q`, `"tool_calls":[{"index":0,"id":"a","function":{"name":"water_plant","arguments":%q}}]`, `"content":[%q]`} {
		line := fmt.Sprintf(`{"choices":[{"index":0,"delta":{`+delta+`}}]}`, strings.Repeat("x", 600))
		s, w := both(t, scene{model: limited, request: tools, lines: []string{line, line, finish("stop")}})
		if s.err == nil || w.err == nil {
			t.Errorf("%s: no limit", delta)
		}
	}
}

func TestT60_RoleOnceAndFirst(t *testing.T) {
	repeat := strings.NewReplacer(`{"content"`, `{"role":"assistant","content"`)
	for name, model := range routes(t) {
		for _, lines := range [][]string{
			{text("Now. "), text(call), finish("stop")},
			{repeat.Replace(text("Now. ")), repeat.Replace(text(call)), finish("stop")},
			{role, text(call), finish("stop")},
		} {
			r := play(t, scene{model: model, request: tools, lines: lines})
			if r.count(`"role":"assistant"`) != 1 || r.frame(`"role"`) != 0 {
				t.Errorf("%s:\n%s", name, r.text())
			}
		}
	}
}

func TestNothingFollowsTheFinishReason(t *testing.T) {
	made := `{"choices":[{"index":0,"delta":{"reasoning":"Late.","tool_calls":[{"index":0,"id":"x","type":"function","function":{"name":"open_vent","arguments":"{}"}}]}}]}`
	lines := []string{text("Done."), finish("stop"), with(text(" More."), `"nvext":{"completion_token_ids":[9]}`), made, finish("length"), usage}
	for name, model := range routes(t) {
		r, _ := both(t, scene{profile: "dynamo", model: model, request: tools + "," + fields("completion_token_ids"), lines: lines})
		r.want(t, 0, "stop", "text:Done.")
		if r.count("[9]") != 1 {
			t.Errorf("%s: the ids are lost:\n%s", name, r.text())
		}
	}
}

func TestReasoningTokens(t *testing.T) {
	lines := []string{text("<think>Hm."), text(" So.</think>Dry."), text(" Very."), finish("stop"), usage}
	r := play(t, scene{model: routes(t)["unified"], request: `"stream_options":{"include_usage":true}`, lines: lines})
	if r.count(`"reasoning_tokens":2`) != 1 {
		t.Errorf("estimated:\n%s", r.text())
	}
	lines[4] = `{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14,"completion_tokens_details":{"reasoning_tokens":3}}}`
	r = play(t, scene{model: routes(t)["unified"], request: `"stream_options":{"include_usage":true}`, lines: lines})
	if r.count(`"reasoning_tokens":3`) != 1 {
		t.Errorf("the engine's figure is lost:\n%s", r.text())
	}
}
