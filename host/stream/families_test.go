package stream_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/builtin"
	"github.com/turnkey-parsers/turnkey/builtin/sample"
	"github.com/turnkey-parsers/turnkey/host/framing"
	"github.com/turnkey-parsers/turnkey/host/openai"
	"github.com/turnkey-parsers/turnkey/host/prompt"
	"github.com/turnkey-parsers/turnkey/host/route"
	"github.com/turnkey-parsers/turnkey/host/stream"
	"github.com/turnkey-parsers/turnkey/sdk/native"
)

// shippedFamily is a unified parser with its siblings, and how its models write.
type shippedFamily struct {
	sample.Grammar
	parser.Family
}

// shippedFamilies are made once: requests share engines, as in the server.
var shippedFamilies = sync.OnceValues(func() (all []*shippedFamily, err error) {
	for _, m := range builtin.Modules {
		d, err := manifest.Parse([]byte(m.Manifest))
		if err != nil {
			return nil, err
		}
		var engines []parser.Engine
		for _, p := range d.Parsers {
			e, err := native.Parser(m, p.Name)
			if err != nil {
				return nil, err
			}
			engines = append(engines, e)
		}
		for _, e := range engines {
			if e.Parser().Kind == manifest.Unified {
				all = append(all, &shippedFamily{sample.Grammars[e.Parser().Name], parser.FamilyOf(e, engines)})
			}
		}
	}
	return all, nil
})

// routes are the ways that a model of the family can be run.
func (f *shippedFamily) routes() map[string]func(*stream.Model) {
	unified := func(m *stream.Model) { m.Route.Parsers = route.NewParsers(&f.Family, &f.Family) }
	return map[string]func(*stream.Model){
		"unified": unified,
		"jail":    func(m *stream.Model) { unified(m); m.Route.Version = route.V1 },
		"split":   func(m *stream.Model) { unified(m); m.Route.Parsers.Unified = nil },
	}
}

// promptAfter makes the model's prompt end so that a session starts in the channel.
// It says whether the family has such a prompt.
func (f *shippedFamily) promptAfter(start abi.Channel, m *stream.Model) bool {
	p := f.Unified.Parser()
	if p.Prompt == nil {
		return false
	}
	for _, tail := range slices.Concat(p.Prompt.Reasoning, p.Prompt.Response) {
		if p.StartAfter(tail) == start {
			m.Route.Render = func(context.Context, *openai.ChatRequest, route.PromptRequest) (prompt.Prompt, bool) {
				return prompt.Prompt{Text: tail}, true
			}
			return true
		}
	}
	return false
}

const toolF = `"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a1":{"type":"integer"},"s":{"type":"string"}}}}}]`

// What a constraint makes of the output counts, whatever the prompt left open: engines
// bind it from the first token, or behind the thought. In a native call under a
// structural tag the model may close its thought, or leave that out.
func TestEveryFamilyConstrained(t *testing.T) {
	families, err := shippedFamilies()
	if err != nil {
		t.Fatal(err)
	}
	const required = toolF + `,"tool_choice":"required"`
	const structured = `"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":{"type":"object"}}}`
	checked := map[string]bool{}
	for _, f := range families {
		if p := f.Unified.Parser(); f.Thought == (sample.Pair{}) || p.Thinking != nil && len(p.Thinking.Off) > 0 {
			continue // the family has no thoughts, or none under a constraint
		}
		native := f.Call.Around(strings.ReplaceAll(f.Argument, "#", "1") + f.String.Around("x"))
		for _, c := range []struct {
			name, request, output string
			policy                route.GuidedPolicy
			want                  string
		}{
			{"json", required, `[{"name":"f","parameters":{"a1":1}}]`, route.GuideByJSON, `call:f {"a1":1}`},
			{"tag", required, native, route.GuideByTag, `call:f {"a1":1,"s":"x"}`},
			{"response format", structured, `{"a1": 1}`, route.GuideByJSON, `text:{"a1": 1}`},
		} {
			for name, model := range f.routes() {
				for _, prompt := range []struct {
					name, lead string
					start      abi.Channel
					thought    []string
				}{
					{"closed thought", "", abi.ChannelResponse, nil},
					{"open thought, bound from the first token", "", abi.ChannelReasoning, nil},
					{"open thought, bound behind it", "Hm." + f.Thought[1], abi.ChannelReasoning, []string{"reasoning:Hm."}},
				} {
					lead, thought := prompt.lead, prompt.thought
					switch {
					case lead == "":
					case c.name == "tag":
						lead = strings.TrimSuffix(lead, "<|start|>assistant") // the call's own header
					case c.name == "json" && f.Name == "muse_glimmer": // what is addressed to the user is no payload
					default:
						lead += f.Text[0]
					}
					started := true
					set := func(m *stream.Model) {
						model(m)
						m.Route.Guided = c.policy
						m.BlankText = stream.BlankDrop
						started = f.promptAfter(prompt.start, m)
					}
					t.Run(f.Name+"/"+c.name+"/"+name+"/"+prompt.name, func(t *testing.T) {
						for _, l := range [][]string{{text(lead + c.output)}, cuts([]string{text(lead + c.output)})} {
							r, _ := both(t, scene{model: set, request: c.request, lines: append(l, finish("stop"))})
							if !started {
								return // the family has no such prompt
							}
							checked[f.Name] = true
							reason := "stop"
							if strings.HasPrefix(c.want, "call") {
								reason = "tool_calls"
							}
							for _, v := range r.choices { // the spaces are each family's own
								for i := range v.events {
									if strings.HasPrefix(v.events[i], "call:f ") {
										v.events[i] = "call:f " + strings.ReplaceAll(v.events[i][len("call:f "):], " ", "")
									}
								}
							}
							r.want(t, 0, reason, append(thought, c.want)...)
						}
					})
				}
			}
		}
	}
	if len(checked) < 8 {
		t.Errorf("only %d families were checked", len(checked))
	}
}

// Of two families, the parser of reasoning takes the thought out first: a call in one
// that is closed is part of it, and one in a thought that never is closed is a call.
func TestCallInAThoughtOfAnotherFamily(t *testing.T) {
	families, err := shippedFamilies()
	if err != nil {
		t.Fatal(err)
	}
	thoughts := families[slices.IndexFunc(families, func(f *shippedFamily) bool { return f.Name == "deepseek_r1" })]
	mixed := func(m *stream.Model) { m.Route.Parsers = route.NewParsers(hermesFamily(t), &thoughts.Family) }
	vent := `call:open_vent {"house":3}`
	for _, c := range []struct {
		name, text, reason string
		want               []string
	}{
		{"closed", "<think>I could " + call + " but no.</think>Cool.", "stop", []string{"reasoning:I could " + call + " but no.", "text:Cool."}},
		{"never closed", "<think>Hm. " + call, "tool_calls", []string{"reasoning:Hm. ", vent}},
		{"never closed, and goes on", "<think>Hm. " + call + " So.", "tool_calls", []string{"reasoning:Hm. ", vent, "reasoning: So."}},
		{"a false alarm", "<think>a <tool_box> b < c</think>d", "stop", []string{"reasoning:a <tool_box> b < c", "text:d"}},
		{"behind the thought", "<think>Hm.</think>" + call, "tool_calls", []string{"reasoning:Hm.", vent}},
		{"no marker", "<think>Hm.", "stop", []string{"reasoning:Hm."}},
	} {
		for _, v := range []route.Version{route.Auto, route.V1} {
			t.Run(fmt.Sprint(c.name, " ", v), func(t *testing.T) {
				model := func(m *stream.Model) { mixed(m); m.Route.Version = v }
				for _, l := range [][]string{{text(c.text)}, cuts([]string{text(c.text)})} {
					r, _ := both(t, scene{model: model, request: tools, lines: append(l, finish("stop"))})
					r.want(t, 0, c.reason, c.want...)
				}
			})
		}
	}
}

// A call in a thought is a call on every route, as where one parser reads both.
func TestCallInAThought(t *testing.T) {
	vent := `call:open_vent {"house":3}`
	for _, c := range []struct {
		text string
		want []string
	}{
		{"<think>Hm. " + call, []string{"reasoning:Hm. ", vent}},
		{"<think>Hm. " + call + " So.</think>Dry.", []string{"reasoning:Hm. ", vent, "reasoning: So.", "text:Dry."}},
		{"<think>Hm. " + call + "\n</think>Dry.", []string{"reasoning:Hm. ", vent, "text:Dry."}},
	} {
		for name, model := range routes(t) {
			t.Run(name+"/"+c.text, func(t *testing.T) {
				drop := func(m *stream.Model) { model(m); m.BlankText = stream.BlankDrop }
				for _, l := range [][]string{{text(c.text)}, cuts([]string{text(c.text)})} {
					r, _ := both(t, scene{model: drop, request: tools, lines: append(l, finish("stop"))})
					r.want(t, 0, "tool_calls", c.want...)
				}
			})
		}
	}
}

// Choices are answers that know nothing of each other: each counts its calls for itself.
func TestIDsAreCountedPerChoice(t *testing.T) {
	families, err := shippedFamilies()
	if err != nil {
		t.Fatal(err)
	}
	kimi := families[slices.IndexFunc(families, func(f *shippedFamily) bool { return f.Name == "kimi_k2" })]
	output := kimi.LongCall(1)
	lines := []string{choiceText(0, output), choiceText(1, output), choiceFinish(1, "stop"), choiceFinish(0, "stop")}
	s, w := both(t, scene{model: kimi.routes()["unified"], request: toolF + `,"n":2`, lines: lines})
	for _, r := range []*result{s, w} {
		if n := r.count(`"id":"functions.f:0"`); n != 2 {
			t.Errorf("functions.f:0 is there %d times:\n%s", n, r.text())
		}
	}
}

// A closed call whose arguments can't be read has one policy in all families.
func TestEveryFamilyWithArgumentsThatCantBeRead(t *testing.T) {
	families, err := shippedFamilies()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if !strings.HasSuffix(f.Call[0], "{") || !strings.HasPrefix(f.Argument, `"`) || f.Name == "llama3_json" || f.Name == "markers" {
			continue // no JSON, or what can't be read is no call, or the closers are options
		}
		for _, body := range []string{`"a1": oops`, `"a1": 1 "s": 2`} {
			output := f.Call.Around(body)
			shown := output // of a call that is text: what follows the call's own closer is not part of it
			switch f.Name {
			case "deepseek_v3", "deepseek_r1":
				shown = strings.TrimSuffix(output, "<｜tool▁calls▁end｜>")
			case "inkling":
				shown = strings.TrimPrefix(output, "<|message_model|>f")
			}
			for _, c := range []struct {
				name   string
				policy framing.InvalidArguments
				want   string
			}{
				{"raw", framing.InvalidRaw, "call:f {" + body + "}"},
				{"empty", framing.InvalidEmpty, "call:f {}"},
				{"text", framing.InvalidText, "text:" + shown},
				{"drop", framing.InvalidDrop, "text:" + output}, // else the answer is empty
			} {
				for name, model := range f.routes() {
					t.Run(f.Name+"/"+body+"/"+name+"/"+c.name, func(t *testing.T) {
						set := func(m *stream.Model) { model(m); m.Invalid, m.Arguments = c.policy, framing.Whole }
						for _, l := range [][]string{{text(output)}, cuts([]string{text(output)})} {
							r, _ := both(t, scene{model: set, request: toolF, lines: append(l, finish("stop"))})
							reason := "stop"
							if strings.HasPrefix(c.want, "call") {
								reason = "tool_calls"
							}
							r.want(t, 0, reason, c.want)
						}
					})
				}
			}
		}
	}
}
