package route_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/openai"
	"github.com/turnkey-parsers/turnkey/host/prompt"
	"github.com/turnkey-parsers/turnkey/host/route"
)

// fake is a parser that is only described.
type fake struct{ parser manifest.Parser }

func (f *fake) Parser() *manifest.Parser { return &f.parser }

func (f *fake) Open(*abi.OpenBlock) (parser.Source, abi.Answer, error) {
	return nil, abi.Answer{}, errors.New("not to be opened")
}

func (f *fake) Constraint(s *abi.OpenBlock) ([]byte, error) {
	if s.Option("no_tag") != "" {
		return nil, nil
	}
	return []byte(`{"scope":"` + s.Option("scope") + `","structural_tag":{"for":"` + strings.Join(s.Tools, ",") + `"}}`), nil
}

// module makes parsers of a module, "name:kind".
func module(parsers ...string) []parser.Engine {
	var list []parser.Engine
	for _, p := range parsers {
		name, kind, _ := strings.Cut(p, ":")
		list = append(list, &fake{manifest.Parser{Name: name, Kind: manifest.Kind(kind), Guided: []string{"required", "named"}, Constraint: true}})
	}
	return list
}

func family(parsers ...string) *parser.Family {
	list := module(parsers...)
	f := parser.FamilyOf(list[0], list)
	return &f
}

// The kinds of families that a model can have.
var (
	whole = family("w:unified", "w_tools:tools", "w_reasoning:reasoning", "w_batch:batch")
	one   = family("o:unified")
	batch = family("b_batch:batch")
	split = family("s_tools:tools")
	mind  = family("r1:reasoning")
	wrap  = family("e:unified", "e_batch:batch", "e_reasoning:reasoning")
)

func init() {
	for _, e := range []parser.Engine{wrap.Unified, wrap.Batch, wrap.Reasoning} {
		e.Parser().Wrapped = true
	}
}

const tools = `"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}},{"type":"function","function":{"name":"g","parameters":{"type":"object"}}}]`

func request(t *testing.T, members string) *openai.ChatRequest {
	t.Helper()
	body := `{"model":"m","messages":[{"role":"user","content":"hi"}]`
	if members != "" {
		body += "," + members
	}
	r, err := openai.DecodeRequest([]byte(body + "}"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func model(tool, reasoning *parser.Family, v route.Version, edit ...func(*route.Model)) *route.Model {
	m := &route.Model{Parsers: route.NewParsers(tool, reasoning), Version: v, CanGuide: func(backend.GuidedKind) bool { return true }}
	for _, e := range edit {
		e(m)
	}
	return m
}

func byJSON(m *route.Model) { m.Guided = route.GuideByJSON }
func byTag(m *route.Model)  { m.Guided = route.GuideByTag }

const (
	required = tools + `,"tool_choice":"required"`
	named    = tools + `,"tool_choice":{"type":"function","function":{"name":"g"}}`
	none     = tools + `,"tool_choice":"none"`
)

func TestT23_T68_T69_T70_T71_Selection(t *testing.T) {
	cases := []struct {
		name    string
		model   *route.Model
		request string
		want    string // route, or "400 texts"
	}{
		{"auto, unified, auto", model(whole, whole, route.Auto), tools, "unified"},
		{"auto, unified, required by tag", model(whole, whole, route.Auto, byTag), required, "unified"},
		{"auto, unified, required by JSON", model(whole, whole, route.Auto, byJSON), required, "unified"},
		{"auto, unified, none", model(whole, whole, route.Auto), none, "unified"},
		{"auto, unified, no tools", model(whole, whole, route.Auto), "", "unified"},
		{"auto, batch only", model(batch, nil, route.Auto), tools, "jail"},
		{"auto, batch only, no tools", model(batch, nil, route.Auto), "", "pass"},
		{"auto, batch only, none", model(batch, nil, route.Auto), none, "pass"},
		{"auto, no parser, auto", model(nil, nil, route.Auto), tools, "pass"},
		{"auto, no parser, required", model(nil, nil, route.Auto), required, "jail"},
		{"auto, no parser, named", model(nil, nil, route.Auto), named, "jail"},
		{"1, unified with batch, required by JSON", model(whole, whole, route.V1, byJSON), required, "jail"},
		{"1, unified with batch, required by tag", model(whole, whole, route.V1, byTag), required, "jail"},
		{"1, no tools", model(whole, whole, route.V1), "", "pass"},
		{"2, unified", model(one, one, route.V2), required, "unified"},
		{"2, split family, auto", model(split, mind, route.V2), tools, "split"},
		{"2, split family, required by JSON", model(split, mind, route.V2, byJSON), required, "400 parser_version|2|required|jail"},
		{"2, split family, strict by tag", model(split, mind, route.V2, byTag), tools + `,"parallel_tool_calls":false`, "400 parser_version|2|auto|jail"},
		{"2, no parser, required", model(nil, nil, route.V2), required, "400 parser_version|2|required|jail"},
		{"2, no parser, named", model(nil, nil, route.V2), named, "400 parser_version|2|named|jail"},
		{"2, no parser, auto", model(nil, nil, route.V2), tools, "pass"},
		{"T70 only the reasoning half", model(nil, whole, route.Auto), tools, "unified"},
		{"T70 only the tool half", model(whole, nil, route.Auto), tools, "unified"},
		{"T71 halves of two families", model(whole, mind, route.Auto), tools, "split"},
		{"T71 the same, forced", model(whole, mind, route.Auto, byJSON), required, "jail"},
		{"T71 the same, 1", model(whole, mind, route.V1), tools, "jail"},
		{"wrapped replies, no tools", model(wrap, wrap, route.Auto), "", "unified"},
		{"wrapped replies, 1, no tools", model(wrap, wrap, route.V1), "", "jail"},
		{"A11 a named tool in another family's envelope", model(split, wrap, route.Auto), named, "400 tool parser e"},
		{"A6 engine_data with n on the jail", model(batch, nil, route.Auto), tools + `,"n":2,"nvext":{"extra_fields":["timing","engine_data"]}`, "400 n = 1|nvext.extra_fields|engine_data"},
		{"A6 stop_reason", model(batch, nil, route.Auto), tools + `,"n":2,"nvext":{"extra_fields":["stop_reason"]}`, "400 n = 1|nvext.extra_fields|stop_reason"},
		{"T22 timing with n on the jail", model(batch, nil, route.Auto), tools + `,"n":2,"nvext":{"extra_fields":["timing","worker_id"]}`, "jail"},
		{"T23 the same on the unified route", model(whole, whole, route.Auto), tools + `,"n":2,"nvext":{"extra_fields":["engine_data","stop_reason","routed_experts"]}`, "unified"},
		{"T23 and split", model(split, mind, route.Auto), tools + `,"n":2,"nvext":{"extra_fields":["engine_data"]}`, "split"},
		{"T23 and pass", model(batch, nil, route.Auto), `"n":2,"nvext":{"extra_fields":["engine_data"]}`, "pass"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p, err := c.model.Decide(t.Context(), request(t, c.request))
			texts, refused := strings.CutPrefix(c.want, "400 ")
			if !refused {
				if err != nil || p.Route.String() != c.want {
					t.Fatalf("want %s, got %v, %v", c.want, p, err)
				}
				return
			}
			if err == nil || err.Status != 400 || err.Param == "" || err.Code == "" {
				t.Fatalf("want 400, got %v, %+v", p, err)
			}
			for _, text := range strings.Split(texts, "|") {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("%q does not say %q", err.Error(), text)
				}
			}
		})
	}
}

func TestT66_CheckAtLoad(t *testing.T) {
	for _, c := range []struct {
		model *route.Model
		says  []string
	}{
		{model(whole, whole, route.V1), nil},
		{model(whole, whole, route.V2), nil},
		{model(one, one, route.Auto), nil},
		{model(one, one, route.V1), []string{"parser_version", "1", "tool parser o"}},
		{model(batch, nil, route.V2), []string{"parser_version", "2", "tool parser b", "reasoning parser none"}},
		{model(nil, mind, route.V2), []string{"parser_version", "2", "reasoning parser r1"}},
		{model(nil, mind, route.V1), nil},
		{model(batch, mind, route.Auto), nil},
		{model(nil, nil, route.V2), nil},
		{model(split, mind, route.V1), nil},
	} {
		err := c.model.Check()
		if (err != nil) != (c.says != nil) {
			t.Errorf("%+v: %v", c.model.Parsers, err)
			continue
		}
		for _, s := range c.says {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%q does not say %q", err, s)
			}
		}
	}
}

func TestT65_T67_SelectorFromTheEnvironment(t *testing.T) {
	for _, c := range []struct {
		env  string // "NAME=value" separated by blanks; %20 is a blank
		want route.Version
		says string // of the error
	}{
		{"", route.Auto, ""},
		{"TURNKEY_PARSER_VERSION=", route.Auto, ""},
		{"TURNKEY_PARSER_VERSION=auto", route.Auto, ""},
		{"TURNKEY_PARSER_VERSION=1", route.V1, ""},
		{"DYN_PARSER_VERSION=2", route.V2, ""},
		{"TURNKEY_PARSER_VERSION=2 DYN_PARSER_VERSION=2", route.V2, ""},
		{"TURNKEY_PARSER_VERSION=v2", 0, "TURNKEY_PARSER_VERSION|auto, 1 or 2"},
		{"TURNKEY_PARSER_VERSION=on", 0, "TURNKEY_PARSER_VERSION|auto"},
		{"TURNKEY_PARSER_VERSION=%202", 0, "TURNKEY_PARSER_VERSION"},
		{"TURNKEY_PARSER_VERSION=2\xff", 0, "TURNKEY_PARSER_VERSION|UTF-8"},
		{"DYN_PARSER_VERSION=v1", 0, "DYN_PARSER_VERSION"},
		{"TURNKEY_PARSER_VERSION=1 DYN_PARSER_VERSION=2", 0, "TURNKEY_PARSER_VERSION|DYN_PARSER_VERSION"},
		{"DYN_ENABLE_EXPERIMENTAL_PARSERS_V2=true", route.V2, ""},
		{"DYN_ENABLE_EXPERIMENTAL_PARSERS_V2=Yes", route.V2, ""},
		{"DYN_ENABLE_EXPERIMENTAL_PARSERS_V2=false", route.Auto, ""},
		{"DYN_ENABLE_EXPERIMENTAL_PARSERS_V2=0 TURNKEY_PARSER_VERSION=2", route.V2, ""},
		{"DYN_ENABLE_EXPERIMENTAL_PARSERS_V2=true TURNKEY_PARSER_VERSION=2", route.V2, ""},
		{"DYN_ENABLE_EXPERIMENTAL_PARSERS_V2=true TURNKEY_PARSER_VERSION=auto", route.V2, ""},
		{"DYN_ENABLE_EXPERIMENTAL_PARSERS_V2=perhaps", 0, "DYN_ENABLE_EXPERIMENTAL_PARSERS_V2|true|false"},
		{"DYN_ENABLE_EXPERIMENTAL_PARSERS_V2=true TURNKEY_PARSER_VERSION=1", 0, "DYN_ENABLE_EXPERIMENTAL_PARSERS_V2|TURNKEY_PARSER_VERSION"},
	} {
		env := map[string]string{}
		for _, pair := range strings.Fields(c.env) {
			name, value, _ := strings.Cut(pair, "=")
			env[name] = strings.ReplaceAll(value, "%20", " ")
		}
		got, err := route.VersionFromEnv(func(name string) (string, bool) { v, ok := env[name]; return v, ok })
		if (err != nil) != (c.says != "") || err == nil && got != c.want {
			t.Errorf("%q: %v, %v", c.env, got, err)
			continue
		}
		for _, s := range strings.Split(c.says, "|") {
			if err != nil && !strings.Contains(err.Error(), s) {
				t.Errorf("%q: %q does not say %q", c.env, err, s)
			}
		}
	}
}

func TestT74_T76_T77_Guidance(t *testing.T) {
	strict := strings.Replace(tools, `"name":"f"`, `"name":"f","strict":true`, 1)
	schema := `"response_format":{"type":"json_schema","json_schema":{"schema":{"type":"object"}}}`
	noTag := func(k backend.GuidedKind) bool { return k != backend.GuidedStructuralTag }
	for _, c := range []struct {
		name    string
		model   *route.Model
		request string
		kind    backend.GuidedKind
		mode    abi.Mode
		value   string // contained in the constraint
	}{
		{"auto", model(whole, whole, route.Auto), tools, backend.GuidedNone, 0, ""},
		{"T77 auto, strict", model(whole, whole, route.Auto), strict, backend.GuidedStructuralTag, 0, `"for":"f,g"`},
		{"T77 auto, parallel off", model(whole, whole, route.Auto), tools + `,"parallel_tool_calls":false`, backend.GuidedStructuralTag, 0, ""},
		{"auto, strict, JSON preferred", model(whole, whole, route.Auto, byJSON), strict, backend.GuidedNone, 0, ""},
		{"T76 auto, strict, response_format", model(whole, whole, route.Auto), strict + "," + schema, backend.GuidedNone, 0, ""},
		{"none", model(whole, whole, route.Auto), none, backend.GuidedNone, 0, ""},
		{"none, tools in the prompt", model(whole, whole, route.Auto, func(m *route.Model) { m.ToolsUnderNone = true }), none, backend.GuidedStructuralTag, 0, ""},
		{"required", model(whole, whole, route.Auto), required, backend.GuidedStructuralTag, 0, ""},
		{"required, JSON", model(whole, whole, route.Auto, byJSON), required, backend.GuidedJSON, abi.ModeGuidedRequired, `"minItems":1`},
		{"T74 required, response_format", model(whole, whole, route.Auto, byJSON), required + "," + schema, backend.GuidedJSON, abi.ModeGuidedRequired, `"enum":["g"]`},
		{"named, JSON", model(whole, whole, route.Auto, byJSON), named, backend.GuidedJSON, abi.ModeGuidedNamed, `{"type":"object"}`},
		{"required, one call", model(whole, whole, route.Auto, byJSON), required + `,"parallel_tool_calls":false`, backend.GuidedJSON, abi.ModeGuidedRequired, `"maxItems":1`},
		{"required, an engine without tags", model(whole, whole, route.Auto, func(m *route.Model) { m.CanGuide = noTag }), required, backend.GuidedJSON, abi.ModeGuidedRequired, ""},
		{"required, a family without a builder for it", model(whole, whole, route.Auto, func(m *route.Model) { m.Options = []abi.Option{{Key: "no_tag", Value: "1"}} }), required, backend.GuidedJSON, abi.ModeGuidedRequired, ""},
		{"required, no parser", model(nil, nil, route.Auto), required, backend.GuidedJSON, abi.ModeGuidedRequired, ""},
		{"required, an engine without any", model(nil, nil, route.Auto, func(m *route.Model) { m.CanGuide = func(backend.GuidedKind) bool { return false } }), required, backend.GuidedNone, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := c.model.Decide(t.Context(), request(t, c.request))
			if err != nil {
				t.Fatal(err)
			}
			if p.Guided.Kind != c.kind || p.Mode != c.mode || !strings.Contains(string(p.Guided.Value), c.value) {
				t.Errorf("kind %d, mode %d, %s", p.Guided.Kind, p.Mode, p.Guided.Value)
			}
		})
	}
}

func TestDefinitionsAreMerged(t *testing.T) {
	list := func(second string) string {
		return `"tool_choice":"required","tools":[
		{"type":"function","function":{"name":"f","parameters":{"type":"object","$defs":{"p":{"type":"string"}},"properties":{"x":{"$ref":"#/$defs/p"}}}}},
		{"type":"function","function":{"name":"g","parameters":{"$defs":{"p":` + second + `,"q":{}},"type":"object"}}}]`
	}
	m := model(nil, nil, route.Auto)
	p, err := m.Decide(t.Context(), request(t, list(`{"type":"string"}`)))
	if err != nil {
		t.Fatal(err)
	}
	got := string(p.Guided.Value)
	if !strings.HasSuffix(got, `,"$defs":{"p":{"type":"string"},"q":{}}}`) || strings.Count(got, "$defs\":") != 1 {
		t.Errorf("got %s", got)
	}
	_, err = m.Decide(t.Context(), request(t, list(`{"type":"integer"}`)))
	if err == nil || err.Status != 400 || !strings.Contains(err.Message, `"p"`) || !strings.Contains(err.Message, "$defs") {
		t.Errorf("conflict: %v", err)
	}
}

func TestSettled15_TurnGrammar(t *testing.T) {
	scope := func(s string) func(*route.Model) {
		return func(m *route.Model) { byTag(m); m.Options = []abi.Option{{Key: "scope", Value: s}} }
	}
	for _, c := range []struct {
		model   *route.Model
		request string
		want    bool
	}{
		{model(whole, whole, route.Auto, scope("turn")), required, true},
		{model(whole, whole, route.Auto, scope("calls")), required, false},
		{model(whole, whole, route.Auto, scope("turn")), tools, false},
		{model(whole, whole, route.Auto, func(m *route.Model) { m.TurnGrammar = true }), tools, true},
	} {
		p, err := c.model.Decide(t.Context(), request(t, c.request))
		if err != nil || p.TurnGrammar != c.want {
			t.Errorf("%v, %v: want %v", p, err, c.want)
		}
	}
	strict := family("x:unified")
	strict.Unified.Parser().Strict = true
	for _, f := range []*parser.Family{strict, whole} {
		for _, grammar := range []bool{true, false} {
			p, err := model(f, f, route.Auto, func(m *route.Model) { m.TurnGrammar = grammar }).Decide(t.Context(), request(t, tools))
			if err != nil {
				t.Fatal(err)
			}
			open := p.Open(p.Unified)
			if got := open.Flags&abi.OpenTurnGrammar != 0; got != (grammar && f == strict) {
				t.Errorf("%s, grammar %v, is told: %v", f.Name, grammar, got)
			}
		}
	}
}

func TestT79_ThinkingControls(t *testing.T) {
	args := func(s string) string { return `"chat_template_kwargs":{` + s + `}` }
	for _, c := range []struct {
		request string
		model   openai.Thinking
		off     bool
		args    string
	}{
		{"", 0, false, ""},
		{args(`"enable_thinking":false,"thinking":true`), 0, false, `{"enable_thinking":true,"thinking":true}`},
		{args(`"enable_thinking":false`), 0, true, `{"enable_thinking":false,"thinking":false}`},
		{args(`"thinking":0`), 0, true, `{"thinking":false,"enable_thinking":false}`},
		{args(`"thinking":2`), 0, false, `{"thinking":true,"enable_thinking":true}`},
		{args(`"thinking":"Off"`), 0, true, `{"thinking":false,"enable_thinking":false}`},
		{args(`"thinking_mode":"Disabled","x":1`), 0, true, `{"thinking_mode":"disabled","x":1,"thinking":false,"enable_thinking":false}`},
		{args(`"thinking":"adaptive"`), 0, false, `{"thinking":"adaptive"}`},
		{args(`"thinking":"sometimes","enable_thinking":false`), 0, false, `{"thinking":"sometimes","enable_thinking":false}`},
		{`"thinking":{"type":"disabled"},` + args(`"thinking":true`), 0, true, `{"thinking":false,"enable_thinking":false}`},
		{`"thinking":true`, openai.ThinkingOff, false, `{"thinking":true,"enable_thinking":true}`},
		{`"reasoning_effort":"none"`, 0, true, `{"thinking":false,"enable_thinking":false}`},
		{`"reasoning_effort":"low"`, openai.ThinkingOff, false, `{"thinking":true,"enable_thinking":true}`},
		{"", openai.ThinkingOff, true, `{"thinking":false,"enable_thinking":false}`},
		{args(`"thinking":"adaptive"`), openai.ThinkingOff, false, `{"thinking":"adaptive"}`},
		{`"thinking":{"type":"adaptive"}`, openai.ThinkingOff, false, ""},
		{args(`"thinking":null,"enable_thinking":true`), openai.ThinkingOff, false, `{"thinking":true,"enable_thinking":true}`},
		{"", openai.ThinkingOn, false, `{"thinking":true,"enable_thinking":true}`},
	} {
		p, err := model(whole, whole, route.Auto, func(m *route.Model) { m.Thinking = c.model }).Decide(t.Context(), request(t, c.request))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range p.TemplateArgs {
			got = append(got, `"`+a.Name+`":`+string(a.Value))
		}
		joined := ""
		if got != nil {
			joined = "{" + strings.Join(got, ",") + "}"
		}
		if p.ReasoningOff != c.off || joined != c.args {
			t.Errorf("%s with %d: off %v, %s", c.request, c.model, p.ReasoningOff, joined)
		}
	}
}

func TestFamiliesThatCantThinkUnderAConstraint(t *testing.T) {
	on := `"thinking":true,`
	schema := `"response_format":{"type":"json_object"}`
	for _, c := range []struct {
		when, request string
		off           bool
	}{
		{"named", named, true},
		{"named", on + named, true},
		{"named", required, false},
		{"constrained", required, true},
		{"constrained", on + required, false},
		{"constrained", schema, true},
		{"constrained", tools, false},
		{"", named, false},
	} {
		f := family("t:unified")
		f.Unified.Parser().Thinking = &manifest.Thinking{Default: "on", Off: []string{c.when}}
		p, err := model(f, f, route.Auto, byJSON, func(m *route.Model) { m.Thinking = openai.ThinkingOn }).Decide(t.Context(), request(t, c.request))
		if err != nil || p.ReasoningOff != c.off {
			t.Errorf("%s, %s: %+v, %v", c.when, c.request, p, err)
		}
	}
}

func TestT80_T81_PromptTails(t *testing.T) {
	f := family("p:unified")
	f.Unified.Parser().Prompt = &manifest.Prompt{Reasoning: []string{"<think>", "<|open|>think<|sep|>"}, Response: []string{"</think>"}}
	quiet := family("q:unified")
	quiet.Unified.Parser().Prompt = &manifest.Prompt{Reasoning: []string{"<think>"}, Response: []string{"</think>"}, ClosedPair: "none"}
	for _, c := range []struct {
		family *parser.Family
		prompt string
		want   abi.Channel
	}{
		{f, "user: hi\nassistant: <think>\n\n", abi.ChannelReasoning},
		{f, "assistant: <think>\n\n</think>\n\n", abi.ChannelResponse},
		{quiet, "assistant: <think>\n\n</think>\n\n", abi.ChannelContent},
		{f, "user: what is <think> for?\nassistant: ", abi.ChannelContent},
		{f, "<think>earlier</think> now\nassistant: ", abi.ChannelContent},
		{f, "<|open|> think \u00a0\n<|sep|>\n", abi.ChannelReasoning},
		{one, "<think>", abi.ChannelContent},
	} {
		m := model(c.family, c.family, route.Auto, func(m *route.Model) {
			m.Render = promptOf(c.prompt)
		})
		p, err := m.Decide(t.Context(), request(t, ""))
		if err != nil {
			t.Fatal(err)
		}
		if open := p.Open(p.Unified); open.Start != c.want || open.PromptTail != c.prompt {
			t.Errorf("%q: start %d, tail %q", c.prompt, open.Start, open.PromptTail)
		}
	}
}

type renderer = func(context.Context, *openai.ChatRequest, route.PromptRequest) (prompt.Prompt, bool)

// promptOf renders one prompt.
func promptOf(text string) renderer {
	return func(context.Context, *openai.ChatRequest, route.PromptRequest) (prompt.Prompt, bool) {
		return prompt.Prompt{Text: text, Whole: true, Turn: len(text)}, true
	}
}

func TestUnknownPromptLeavesTheStartOpen(t *testing.T) {
	for _, render := range []renderer{nil, func(context.Context, *openai.ChatRequest, route.PromptRequest) (prompt.Prompt, bool) {
		return prompt.Prompt{}, false
	}} {
		p, err := model(whole, whole, route.Auto, func(m *route.Model) { m.Render = render }).Decide(t.Context(), request(t, ""))
		if err != nil {
			t.Fatal(err)
		}
		if open := p.Open(p.Unified); open.Start != abi.ChannelUnknown || open.PromptTail != "" {
			t.Errorf("%+v", open)
		}
	}
}

func TestPromptTailIsCutAtACharacter(t *testing.T) {
	long := strings.Repeat("ü", abi.MaxPromptTail) + "x<think>"
	p, err := model(whole, whole, route.Auto, func(m *route.Model) {
		m.Render = promptOf(long)
	}).Decide(t.Context(), request(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	tail := p.Open(p.Unified).PromptTail
	if len(tail) > abi.MaxPromptTail || len(tail) < abi.MaxPromptTail-3 || !strings.HasPrefix(tail, "ü") || !strings.HasSuffix(long, tail) {
		t.Errorf("%d bytes, %q…", len(tail), tail[:4])
	}
}

func TestToolsUnderNoneStayOutOfThePrompt(t *testing.T) {
	for _, show := range []bool{false, true} {
		p, err := model(whole, whole, route.Auto, func(m *route.Model) { m.ToolsUnderNone = show }).Decide(t.Context(), request(t, none))
		if err != nil || p.ShowTools != show || !p.CallsOff {
			t.Errorf("%+v, %v", p, err)
		}
	}
}

func TestT72_FamiliesOfOneModule(t *testing.T) {
	list := module("k2:unified", "k3:unified", "k3_batch:batch", "k2-tools:tools", "other:reasoning")
	k2, k3, other := parser.FamilyOf(list[0], list), parser.FamilyOf(list[1], list), parser.FamilyOf(list[4], list)
	if k2.Unified != list[0] || k2.Tools != list[3] || k2.Batch != nil || k2.Reasoning != nil {
		t.Errorf("k2: %+v", k2)
	}
	if k3.Unified != list[1] || k3.Batch != list[2] || k3.Tools != nil {
		t.Errorf("k3: %+v", k3)
	}
	if other.Reasoning != list[4] || other.Unified != nil {
		t.Errorf("other: %+v", other)
	}
	if f := parser.FamilyOf(list[2], list); f.Name != "k3" || f.Unified != list[1] {
		t.Errorf("by a sibling: %+v", f)
	}
}

func TestWhatAStructuredAnswerBeginsWith(t *testing.T) {
	for format, want := range map[string]string{
		"":                       "",
		`{"type":"text"}`:        "",
		`{"type":"json_object"}`: "{",
		`{"type":"json_schema","json_schema":{"schema":{"type":"object"}}}`:   "{",
		`{"type":"json_schema","json_schema":{"schema":{"type":"array"}}}`:    "[",
		`{"type":"json_schema","json_schema":{"schema":{"enum":["a",true]}}}`: `{["-0123456789tfn`,
	} {
		members := ""
		if format != "" {
			members = `"response_format":` + format
		}
		p, err := model(whole, whole, route.Auto).Decide(t.Context(), request(t, members))
		if err != nil || p.JSONStarts != want {
			t.Errorf("%s: %q, %v", format, p.JSONStarts, err)
		}
	}
	// A forced choice goes before the format, also where nothing can enforce it.
	m := model(whole, whole, route.Auto, func(m *route.Model) { m.CanGuide = func(backend.GuidedKind) bool { return false } })
	p, err := m.Decide(t.Context(), request(t, required+`,"response_format":{"type":"json_object"}`))
	if err != nil || p.JSONStarts != "" || p.Open(p.Unified).Flags&abi.OpenStructured != 0 {
		t.Errorf("forced: %+v, %v", p, err)
	}
}

func TestEndTokensThatCloseACall(t *testing.T) {
	f := family("c:unified")
	parser := f.Unified.Parser()
	parser.EOS, parser.Jail = []string{"<|return|>", "<|call|>"}, &manifest.Jail{Open: []string{"to="}, Close: []string{"<|call|>"}}
	for _, c := range []struct {
		request string
		visible bool
	}{{tools, true}, {none, false}, {"", false}} {
		p, err := model(f, f, route.Auto).Decide(t.Context(), request(t, c.request))
		if err != nil {
			t.Fatal(err)
		}
		if p.StopText() != c.visible || slices.Contains(p.EOSTexts(), "<|call|>") == c.visible || !slices.Contains(p.EOSTexts(), "<|return|>") {
			t.Errorf("%s: stop text %v, stripped %q", c.request, p.StopText(), p.EOSTexts())
		}
	}
}

// Without a chat template the family's default decides what the prompt leaves
// open, where its template opens the thought, and the engine is told that default.
func TestTheDefaultDecidesWithoutATemplate(t *testing.T) {
	for _, c := range []struct {
		thinking manifest.Thinking
		request  string
		opens    abi.Channel
		start    abi.Channel
		args     string
	}{
		{manifest.Thinking{Default: "on", Opens: true, Controls: []string{"thinking"}}, ``, 0, abi.ChannelReasoning, "thinking=true enable_thinking=true"},
		{manifest.Thinking{Default: "off", Opens: true, Controls: []string{"thinking"}}, ``, 0, abi.ChannelResponse, "thinking=false enable_thinking=false"},
		{manifest.Thinking{Default: "on", Opens: true}, ``, 0, abi.ChannelReasoning, ""},
		{manifest.Thinking{Default: "on", Opens: true}, `"chat_template_kwargs":{"thinking":false}`, 0, abi.ChannelResponse, "thinking=false enable_thinking=false"},
		{manifest.Thinking{Default: "off", Opens: true}, `"chat_template_kwargs":{"thinking":true}`, 0, abi.ChannelReasoning, "thinking=true enable_thinking=true"},
		{manifest.Thinking{Default: "off", Opens: true, Controls: []string{"thinking"}}, `"chat_template_kwargs":{"thinking":"adaptive"}`, 0, abi.ChannelResponse, `thinking="adaptive"`},
		{manifest.Thinking{Default: "on"}, ``, 0, abi.ChannelUnknown, ""},
		{manifest.Thinking{Default: "on"}, ``, abi.ChannelReasoning, abi.ChannelReasoning, ""},
		{manifest.Thinking{Default: "on", Opens: true}, ``, abi.ChannelContent, abi.ChannelContent, ""},
	} {
		f := family("p:unified")
		f.Unified.Parser().Thinking = &c.thinking
		p, err := model(f, f, route.Auto, byJSON, func(m *route.Model) { m.Opens = c.opens }).Decide(t.Context(), request(t, c.request))
		if err != nil {
			t.Fatal(err)
		}
		var args []string
		for _, a := range p.TemplateArgs {
			args = append(args, a.Name+"="+string(a.Value))
		}
		if got := p.Open(f.Unified).Start; got != c.start || strings.Join(args, " ") != c.args {
			t.Errorf("%+v, %s, %d: start %d, arguments %v", c.thinking, c.request, c.opens, got, args)
		}
	}
}

// TestStartWithoutATemplate: the request's word, then the model's name, as the manifest
// says, decide where an answer begins; the word goes to the template as well.
func TestStartWithoutATemplate(t *testing.T) {
	m, err := manifest.Parse([]byte(`{"abi":"1.0","module":"m","version":"1.0.0","parsers":[{"name":"p","kind":"unified",
		"thinking":{"default":"on","controls":["enable_thinking","reasoning_effort"],"opens_if_asked":true,"opens_for":["(?i)thinking"],"none_for":["(?i)instruct"]},
		"prompt":{"reasoning":["<think>"]}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	engine := parser.Engine(&fake{m.Parsers[0]})
	f := parser.FamilyOf(engine, []parser.Engine{engine})
	for _, c := range []struct {
		names, request string
		start          abi.Channel
		args           string // contained in the template's arguments
	}{
		{"m", "", abi.ChannelUnknown, ""},
		{"m", `"chat_template_kwargs":{"enable_thinking":true}`, abi.ChannelReasoning, "true"},
		{"m", `"chat_template_kwargs":{"thinking":true}`, abi.ChannelReasoning, "true"},
		{"m", `"thinking":{"type":"enabled"}`, abi.ChannelReasoning, "true"},
		{"m", `"reasoning_effort":"high"`, abi.ChannelReasoning, "true"},
		{"m", `"reasoning_effort":"none"`, abi.ChannelResponse, "false"},
		{"m", `"chat_template_kwargs":{"enable_thinking":false}`, abi.ChannelResponse, "false"},
		{"m", `"thinking":{"type":"adaptive"}`, abi.ChannelUnknown, ""},
		{"Oak-Thinking m", "", abi.ChannelReasoning, "true"},
		{"Oak-Thinking m", `"chat_template_kwargs":{"enable_thinking":false}`, abi.ChannelResponse, "false"},
		{"Oak-Instruct oak-thinking", "", abi.ChannelContent, ""},
	} {
		plan, refused := model(&f, &f, route.Auto, func(m *route.Model) { m.Names = strings.Fields(c.names) }).Decide(t.Context(), request(t, c.request))
		if refused != nil {
			t.Fatal(refused)
		}
		args := string(jsonOf(plan.TemplateArgs))
		if open := plan.Open(plan.Unified); open.Start != c.start || !strings.Contains(args, c.args) || c.args == "" && args != "" {
			t.Errorf("%s %s: starts in %d with %s", c.names, c.request, open.Start, args)
		}
	}
}

func jsonOf(members []openai.Member) (b []byte) {
	for _, m := range members {
		b = append(append(append(b, m.Name...), '='), m.Value...)
	}
	return b
}

// small is a parser for which some requests are too large.
type small struct{ fake }

func (s *small) Admit(open *abi.OpenBlock) error {
	if len(open.Tools) > 1 {
		return &parser.TooLargeError{Parser: s.parser.Name, Limit: "fuel_most"}
	}
	return nil
}

func (s *small) Constraint(open *abi.OpenBlock) ([]byte, error) {
	return nil, &parser.TooLargeError{Parser: s.parser.Name, Limit: "fuel_constraint"}
}

// TestRequestsThatAreTooLarge: 400 with the limit's name, before the engine is asked.
func TestRequestsThatAreTooLarge(t *testing.T) {
	e := parser.Engine(&small{fake{manifest.Parser{Name: "p", Kind: manifest.Unified, Constraint: true}}})
	f := parser.FamilyOf(e, []parser.Engine{e})
	for members, limit := range map[string]string{
		"":       "",
		tools:    "fuel_most",
		required: "fuel_constraint",
	} {
		_, err := model(&f, &f, route.Auto).Decide(t.Context(), request(t, members))
		switch {
		case limit == "" && err != nil:
			t.Error(err)
		case limit == "":
		case err == nil || err.Status != 400 || err.Param != "tools" || err.Code != "limits."+limit || !strings.Contains(err.Message, limit):
			t.Errorf("%s: %v", limit, err)
		}
	}
}
