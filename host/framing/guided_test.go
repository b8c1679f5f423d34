package framing

import (
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/host/typing"
)

func TestGuidedRequired(t *testing.T) {
	cfg := Config{Guided: abi.ModeGuidedRequired, Tools: toolsNamed("f", "g")}
	for _, c := range []struct {
		name string
		in   []event
		want []string
	}{
		{"array", sequence(payloadText(`[{"name":"f","parameters":{"a" : 1.0}}, {"arguments":{},"name":"g"}]`)), []string{`call 0 f * {"a" : 1.0}`, "call 1 g * {}"}},
		{"one object", sequence(payloadText(` {"name":"f","arguments":{"x":"} ] \" {"}} `)), []string{`call 0 f * {"x":"} ] \" {"}`}},
		{"no arguments", sequence(payloadText(`[{"name":"f"}]`)), []string{"call 0 f * {}"}},
		{"other members", sequence(payloadText(`[{"name":"f","id":"x","arguments":{}}]`)), []string{"call 0 f * {}"}},
		{"escaped name", sequence(payloadText(`[{"name":"\u0066"}]`)), []string{"call 0 f * {}"}},
		{"raw line feed in a string", sequence(payloadText("{\"name\":\"f\",\"arguments\":{\"a\":\"x\ny\"}}")), []string{`call 0 f * {"a":"x\ny"}`}},
		{"empty array", sequence(payloadText(`[]`)), []string{`text []`}},
		{"not a call", sequence(payloadText(`{"mood": "sunny"}`)), []string{`text {"mood": "sunny"}`}},
		{"one bad element", sequence(payloadText(`[{"name":"f","arguments":{}}, {"arguments":{}}]`)), []string{`text [{"name":"f","arguments":{}}, {"arguments":{}}]`}},
		{"name is no string", sequence(payloadText(`[{"name":7}]`)), []string{`text [{"name":7}]`}},
		{"empty name", sequence(payloadText(`[{"name":""}]`)), []string{`text [{"name":""}]`}},
		{"element is no object", sequence(payloadText(`[{"name":"f"}, 5]`)), []string{`text [{"name":"f"}, 5]`}},
		{"both spellings", sequence(payloadText(`{"name":"f","arguments":{},"parameters":{}}`)), []string{`text {"name":"f","arguments":{},"parameters":{}}`}},
		{"arguments null", sequence(payloadText(`{"name":"f","arguments":null}`)), []string{`text {"name":"f","arguments":null}`}},
		{"arguments a string", sequence(payloadText(`{"name":"f","arguments":"{}"}`)), []string{`text {"name":"f","arguments":"{}"}`}},
		{"cut", sequence(payloadText(`[{"name": "f", "arguments": {"a": "O`)), []string{`text [{"name": "f", "arguments": {"a": "O`}},
		{"broken", sequence(payloadText(`[{"name": "f", "arguments": {"a": ]`)), []string{`text [{"name": "f", "arguments": {"a": ]`}},
		{"a payload after a broken one", sequence(payloadText(`[draft] [{"name":"f"}]`)), []string{"text [draft] ", "call 0 f * {}"}},
		{"an opener is the impossible byte", sequence(payloadText(`{[{"name":"f"}]`)), []string{"text {", "call 0 f * {}"}},
		{"no JSON", sequence(text("I would rather not.")), []string{"text I would rather not."}},
		{"no JSON in the payload", sequence(payloadText("I would rather not.")), []string{"text I would rather not."}},
		{"white space around", sequence(reasoning("hm"), text(" \n"), payloadText(`[{"name":"f"}]`), text("\n"), payloadText(" ")), []string{"think hm", "call 0 f * {}"}},
		{"white space between two", sequence(payloadText(`[{"name":"f"}]`), text("\n"), payloadText(`{"name":"g"}`)), []string{"call 0 f * {}", "call 1 g * {}"}},
		{"white space, then a thought", sequence(payloadText(`[{"name":"f"}]`), text("\n"), reasoning("x"), text("\n"), reasoning("y")), []string{"call 0 f * {}", "think x", "text \n", "think y"}},
		{"text around keeps its white space", sequence(text(" a "), payloadText(`[{"name":"f"}]`), text(" b ")), []string{"text  a ", "call 0 f * {}", "text  b "}},
		{"white space and a void payload", sequence(text("\n"), payloadText(`[]`), text("\n")), []string{"text \n[]\n"}},
		{"a thought in the middle voids it", sequence(payloadText(`[{"name":`), reasoning("x"), payloadText(`"f"}]`)), []string{`text [{"name":`, "think x", `text "f"}]`}},
		{"blocks", sequence(reasoning("a"), withFlags(abi.FlagNewBlock, reasoning("b")), text("x"), withFlags(abi.FlagNewBlock, text("y"))), []string{"think a\nb", "text x\ny"}},
		{"native call", sequence(text("a"), callOpens(0, "f"), argsEvent(`{}`), callEnd, text(" ")), []string{"text a", "call 0 f * {}", "text  "}},
	} {
		t.Run(c.name, func(t *testing.T) { checkFramed(t, cfg, c.in, c.want...) })
	}
}

func TestGuidedNamed(t *testing.T) {
	tools := typing.NewTools([]typing.Tool{
		{Name: "f", Parameters: []byte(`{"properties":{"meter":{"type":"integer"}}}`)},
		{Name: "add_rule", Parameters: []byte(`{"properties":{"name":{"type":"string"},"arguments":{"type":"object"}}}`)},
	})
	cfg := Config{Guided: abi.ModeGuidedNamed, NamedTool: "f", Tools: tools}
	for _, c := range []struct {
		name, in string
		want     string
	}{
		{"arguments", " {\"meter\" :7, \"meter\": 8}\n", `call 0 f * {"meter" :7, "meter": 8}`},
		{"nothing", `{}`, `call 0 f * {}`},
		{"wrapper", `{"name":"f","parameters":{"meter":7}}`, `call 0 f * {"meter":7}`},
		{"wrapper with a third member", `{"name":"f","parameters":{},"x":1}`, `call 0 f * {"name":"f","parameters":{},"x":1}`},
		{"wrapper of another tool", `{"name":"g","arguments":{}}`, `call 0 f * {"name":"g","arguments":{}}`},
		{"wrapper without arguments", `{"name":"f"}`, `call 0 f * {"name":"f"}`},
		{"array of wrappers", `[{"name":"g"},{"name":"f","arguments":{"meter":1}}]`, `call 0 f * {"meter":1}`},
		{"array of something else", `[1]`, `text [1]`},
		{"cut", `{"meter":`, `text {"meter":`},
	} {
		t.Run(c.name, func(t *testing.T) { checkFramed(t, cfg, sequence(payloadText(c.in)), c.want) })
	}
	cfg.NamedTool = "add_rule"
	in := `{"name":"add_rule","arguments":{"door":2}}`
	checkFramed(t, cfg, sequence(payloadText(in)), `call 0 add_rule * `+in)
	checkFramed(t, cfg, sequence(callOpens(0, "f"), argsEvent("{}"), callEnd))
}

func TestGuidedPolicies(t *testing.T) {
	in := sequence(payloadText(`[{"name":"f"}, {"name":"x","arguments":{}}, {"name":"g"}]`))
	for _, c := range []struct {
		name string
		cfg  Config
		want []string
	}{
		{"unknown passes", Config{}, []string{"call 0 f * {}", "call 1 x * {}", "call 2 g * {}"}},
		{"unknown dropped", Config{Unknown: UnknownDrop}, []string{"call 0 f * {}", "call 1 g * {}"}},
		{"unknown is text", Config{Unknown: UnknownText}, []string{"call 0 f * {}", `text {"name":"x","arguments":{}}`, "call 1 g * {}"}},
		{"only one", Config{Single: true}, []string{"call 0 f * {}"}},
		{"whole", Config{Arguments: Whole}, []string{"call 0 f * {}", "call 1 x * {}", "call 2 g * {}"}},
	} {
		c.cfg.Guided, c.cfg.Tools = abi.ModeGuidedRequired, toolsNamed("f", "g")
		t.Run(c.name, func(t *testing.T) { checkFramed(t, c.cfg, in, c.want...) })
	}
}

func TestGuidedEager(t *testing.T) {
	cfg := Config{Guided: abi.ModeGuidedRequired, GuidedEager: true, Tools: toolsNamed("f", "g")}
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"array", ` [{"name":"f","parameters":{"a" : {"b":1.0}}} , {"name":"g","arguments":{}}] `, []string{`call 0 f * {"a" : {"b":1.0}}`, "call 1 g * {}"}},
		{"object", `{"name":"f","arguments":{"x":"} ] \" {"}}`, []string{`call 0 f * {"x":"} ] \" {"}`}},
		{"arguments first", `[{"arguments":{"a":1},"name":"f"}]`, []string{`call 0 f * {"a":1}`}},
		{"no arguments", `[{"name":"f"},{"name":"g"}]`, []string{"call 0 f * {}", "call 1 g * {}"}},
		{"other members", `[{"id":{"name":"x"},"name":"f","arguments":{},"z":[{}]}]`, []string{"call 0 f * {}"}},
		{"empty array", `[]`, []string{`text []`}},
		{"bad first element", `[{"arguments":{}},{"name":"f"}]`, []string{`text [{"arguments":{}},{"name":"f"}]`}},
		{"bad second element", `[{"name":"f"},{"arguments":{}}]`, []string{"call 0 f * {}", `text ,{"arguments":{}}]`}},
		{"no object second", `[{"name":"f"}, 5]`, []string{"call 0 f * {}", `text , 5]`}},
		{"array second", `[{"name":"f"}, []]`, []string{"call 0 f * {}", `text , []]`}},
		{"arguments null", `{"name":"f","arguments":null}`, []string{`text {"name":"f","arguments":null}`}},
		{"cut before a call", `[{"name": "f"`, []string{`text [{"name": "f"`}},
		{"cut in the second", `[{"name": "f"}, {"name`, []string{"call 0 f * {}", `text , {"name`}},
		{"not a call", `{"mood": {"name":"f"}}`, []string{`text {"mood": {"name":"f"}}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkFramed(t, cfg, sequence(text("\n"), payloadText(c.in), text("\n")), around(c.want)...)
		})
	}
}

// JSON that breaks after something of a call was sent leaves the call cut, and what
// follows is text.
func TestGuidedEagerBreaks(t *testing.T) {
	cfg := Config{Guided: abi.ModeGuidedRequired, GuidedEager: true, Tools: toolsNamed("f")}
	for _, c := range []struct {
		name, in string
		unknown  UnknownTools
		want     []string
	}{
		{"in the arguments", `[{"name":"f","arguments":{"a":[1,x`, UnknownPass, []string{`call 0 f * {"a":[1 cut`, "text x"}},
		{"after the arguments", `[{"name":"f","arguments":{}, x`, UnknownPass, []string{`call 0 f * {} cut`, "text x"}},
		{"cut after the arguments", `[{"name":"f","arguments":{}`, UnknownPass, []string{`call 0 f * {} cut`}},
		{"a repeated name", `[{"name":"f","arguments":{},"name":"g"}]`, UnknownPass, []string{`call 0 f * {} cut`, `text :"g"}]`}},
		{"in a call that becomes text", `[{"name":"x","arguments":{"a":[1,x`, UnknownText, []string{`text {"name":"x","arguments":{"a":[1,x`}},
		{"after its arguments", `[{"name":"x","arguments":{}, x`, UnknownText, []string{`text {"name":"x","arguments":{}, x`}},
		{"a repeated name in it", `[{"name":"x","arguments":{},"name":"g"}]`, UnknownText, []string{`text {"name":"x","arguments":{},"name":"g"}]`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := cfg
			cfg.Unknown = c.unknown
			got, _ := frameAll(cfg, cutIntoPieces(sequence(payloadText(c.in)), 1), false)
			if strings.Join(got, "|") != strings.Join(c.want, "|") {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestGuidedEagerUnknownTools(t *testing.T) {
	cfg := Config{Guided: abi.ModeGuidedRequired, GuidedEager: true, Tools: toolsNamed("f"), Unknown: UnknownText}
	in := sequence(payloadText(`[{"name":"x","arguments":{"a":1}},{"name":"f"}]`))
	checkFramed(t, cfg, in, `text {"name":"x","arguments":{"a":1}}`, "call 0 f * {}")
	off := cfg
	off.CallsOff = true
	checkFramed(t, off, in)
	cfg.MaxHeld = 30
	got, counts := frameAll(cfg, cutIntoPieces(in, 1), false)
	if len(got) != 1 || got[0] != `text {"name":"x","arguments":{"a":1}},{"name":"f"}]` || counts.Overlong != 1 {
		t.Errorf("longer than may be held: %q, %+v", got, counts)
	}
}

// around adds the white space that stands around a payload that became text.
func around(want []string) []string {
	if want[0][:4] == "text" {
		want[0] = "text \n" + want[0][5:]
	}
	if last := len(want) - 1; want[last][:4] == "text" {
		want[last] += "\n"
	}
	return want
}

func TestGuidedEagerNamed(t *testing.T) {
	tools := typing.NewTools([]typing.Tool{{Name: "f", Parameters: []byte(`{"properties":{"meter":{}}}`)}, {Name: "n", Parameters: []byte(`{"properties":{"name":{}}}`)}})
	cfg := Config{Guided: abi.ModeGuidedNamed, GuidedEager: true, NamedTool: "f", Tools: tools}
	for _, c := range []struct{ name, in, want string }{
		{"arguments", `{"meter" :{"x":"}"}, "name": 8}`, `call 0 f * {"meter" :{"x":"}"}, "name": 8}`},
		{"nothing", `{}`, `call 0 f * {}`},
		{"wrapper", `{"name":"f","arguments":{"meter":7}}`, `call 0 f * {"meter":7}`},
		{"wrapper of another tool", `{"name":"g","arguments":{"meter":7}}`, `call 0 f * {"name":"g","arguments":{"meter":7}}`},
		{"array of wrappers", `[{"name":"f","arguments":{}}]`, `call 0 f * {}`},
		{"cut", `{"name":`, `text {"name":`},
	} {
		t.Run(c.name, func(t *testing.T) { checkFramed(t, cfg, sequence(payloadText(c.in)), c.want) })
	}
	f := New(cfg)
	if got := assembled(f.Apply(sequence(payloadText(`{"meter":"abc`)), nil)); len(got) != 1 || got[0] != `call 0 f * {"meter":"abc …` {
		t.Errorf("arguments don't stream: %q", got)
	}
	cfg.NamedTool = "n"
	f = New(cfg)
	if got := assembled(f.Apply(sequence(payloadText(`{"name":"n`)), nil)); len(got) != 1 || got[0] != `call 0 n * {"name":"n …` {
		t.Errorf("arguments with a name don't stream: %q", got)
	}
}

// Each call of guided JSON comes from its own part of the raw text, also where
// the parser left something out in the middle.
func TestGuidedCallsKnowTheirText(t *testing.T) {
	const raw = `[{"name":"f","parameters":{"a":1}}, <!>{"parameters":{"b": 2},"name":"g"},{"name":"f","arguments":{}}]`
	gap := strings.Index(raw, "<!>")
	for _, eager := range []bool{false, true} {
		for step := 1; step <= len(raw); step++ {
			f := New(Config{Guided: abi.ModeGuidedRequired, Tools: toolsNamed("f", "g"), GuidedEager: eager})
			var deltas []Delta
			for at := 0; at < len(raw); {
				end := min(at+step, len(raw))
				switch {
				case at < gap && end > gap:
					end = gap
				case at == gap:
					at += len("<!>")
					continue
				}
				deltas = f.Apply([]parse.CheckedEvent{{Kind: abi.Text, Flags: abi.FlagPayload, Data: []byte(raw[at:end]), Start: abi.RawOffset(at), End: abi.RawOffset(end)}}, deltas)
				at = end
			}
			deltas = f.Finish(deltas)
			from, to, emitted := map[int]abi.RawOffset{}, map[int]abi.RawOffset{}, map[int]string{}
			for _, d := range deltas {
				if d.Kind == CallArgs {
					if _, begun := from[d.Index]; !begun {
						from[d.Index] = d.Start
					}
					to[d.Index], emitted[d.Index] = d.End, emitted[d.Index]+d.Text
				}
				if d.Kind == CallHead && strings.Trim(raw[d.Start:d.End], `"`) != d.Name {
					t.Errorf("eager %v, by %d: the name %s from %q", eager, step, d.Name, raw[d.Start:d.End])
				}
			}
			for i, want := range []string{`{"a":1}`, `{"b": 2}`, `{}`} {
				if got := raw[from[i]:to[i]]; got != want || emitted[i] != want {
					t.Errorf("eager %v, by %d: call %d from %q: %q", eager, step, i, got, emitted[i])
				}
			}
		}
	}
}
