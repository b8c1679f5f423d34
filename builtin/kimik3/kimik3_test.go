package kimik3

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/familytest"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

var vocabulary = []string{
	"<|open|>think<|sep|>", "<|close|>think<|sep|>", "<|close|>think", "<|open|>response<|sep|>", "<|close|>response<|sep|>",
	"<|open|>tools<|sep|>", "<|close|>tools<|sep|>", "<|open|> tools <|sep|>",
	`<|open|>call tool="f" index="1"<|sep|>`, `<|open|>call tool="word" index="raw"<|sep|>`, `<|open|>call`, `<|open|>call tool="`, "<|close|>call<|sep|>",
	`<|open|>argument key="a" type="string"<|sep|>`, `<|open|>argument key="f" type="number"<|sep|>`, "<|close|>argument<|sep|>", "<|close|> argument <|sep|>",
	`<|open|>json type="object"<|sep|>`, "<|close|>json<|sep|>", `{"a":"b"}`, `{"a":"`, `"}`, "12", "null",
	"<|close|>message<|sep|>", `<|open|>message role="assistant"<|sep|>`, "<|end_of_msg|>", "<|open|>", "<|close|>", "<|sep|>",
	`<|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|><|open|>argument key="a" type="string"<|sep|>`,
	"<|close|>argument<|sep|><|close|>call<|sep|>", "<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>",
	`"`, "'", "\n", "\n\n", " ",
}

var config = sdktest.Config{Vocabulary: vocabulary, MaxHold: 1 << 20, Leaks: leaks}

// leaks finds the whole marker of the turn's end in what was said, though no quotation could
// protect them.
func leaks(s *abi.OpenBlock, input, text, reasoning string) string {
	if len(s.Tools) == 0 || s.Mode != abi.ModeNative || strings.HasSuffix(s.Parser, "_reasoning") || strings.ContainsAny(input, "\"'`") {
		return ""
	}
	for _, marker := range markTexts(closeMessage) {
		if strings.Contains(text+reasoning, marker) {
			return marker
		}
	}
	return ""
}

func TestFamily(t *testing.T) { familytest.Run(t, &Module, config) }

func FuzzFamily(f *testing.F) { familytest.Fuzz(f, &Module, config) }

// What is said of a call as it comes.
func TestEager(t *testing.T) {
	s, _ := sdk.Open(&Module, &abi.OpenBlock{Parser: "kimi_k3", Tools: []string{"f"}})
	text := ""
	for _, c := range []struct{ push, want string }{
		{`<|open|>tools<|sep|><|open|>call tool="f" index="1"`, ""},
		{"<|sep|>", "[f][id f:0]"},
		{`<|open|>argument key="a" type="string"<|sep|>` + strings.Repeat("x", repetitionRange), "[a][" + strings.Repeat("x", repetitionRange) + "]"},
		{"y<|clo", "[y]"},
		{"se|>argument<|sep|>z", "[<|close|>argument<|sep|>z]"},
		{"<|close|>argument<|sep|><|close|>call<|sep|>", ""},
		{"<|close|>tools<|sep|>", "[]end"},
	} {
		off := len(text)
		text += c.push
		a := s.Push(abi.RawOffset(off), 0, []byte(c.push))
		var said strings.Builder
		literal := ""
		for _, e := range a.Events {
			switch e.Kind {
			case abi.Literal:
				literal = string(a.Literals[e.Start : e.Start+e.Len])
			case abi.CallID:
				said.WriteString("[id " + literal + "]")
			case abi.Call, abi.Key, abi.Value:
				said.WriteString("[" + text[e.Start:e.Start+e.Len] + "]")
			case abi.CallEnd:
				said.WriteString("end")
			}
		}
		if got := said.String(); got != c.want {
			t.Errorf("%q says %q, want %q", c.push, got, c.want)
		}
	}
}

func TestConstraint(t *testing.T) {
	s := &abi.OpenBlock{
		Parser: "kimi_k3", Tools: []string{`f"&`, "g"}, ToolChoice: abi.ToolChoiceRequired, Start: abi.ChannelReasoning,
		Schemas: []abi.Schema{
			{Tool: 0, JSON: `{"type":"object","$defs":{"d":{"type":"integer"}},"properties":{"a b":{"type":"string"},"n":{"type":"integer"},"o":{"type":"array","items":{"$ref":"#/$defs/d"}}}}`},
			{Tool: 1, JSON: `{"type":"object","properties":{"u":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`},
		},
	}
	tag := func(s *abi.OpenBlock) string {
		t.Helper()
		raw := Module.Constraint(s)
		if !json.Valid(raw) {
			t.Fatalf("no JSON: %s", raw)
		}
		return string(raw)
	}
	got := tag(s)
	for _, want := range []string{
		`{"type":"tag","begin":"","content":{"type":"any_text","excludes":["<|close|>think<|sep|>","<|end_of_msg|>"]},"end":"<|close|>think<|sep|>"},{"type":"const_string","value":"<|open|>response<|sep|>"}`,
		`"begin":"<|open|>call tool=\"f&quot;&amp;\" index=\""`,
		`"begin":"<|open|>argument key=\"a b\" type=\"string\"<|sep|>","content":{"type":"any_text","excludes":["<|close|>argument<|sep|>","<|close|>call<|sep|>"]}`,
		`"begin":"<|open|>argument key=\"n\" type=\"number\"<|sep|>","content":{"type":"json_schema","json_schema":{"$defs":{"d":{"type":"integer"}},"type":"integer"}}`,
		`"begin":"<|open|>json type=\"object\"<|sep|>","content":{"type":"json_schema","json_schema":{"type":"object","properties":{"u":{"anyOf"`,
		`"at_least_one":true,"stop_after_first":true`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("missing %s in %s", want, got)
		}
	}
	if strings.Contains(got, `"optional","content":{"type":"tag","begin":"<|open|>tools`) {
		t.Errorf("required calls are optional: %s", got)
	}
	s.ToolChoice, s.NamedTool = abi.ToolChoiceNamed, "g"
	if got := tag(s); strings.Contains(got, "f&quot;") || !strings.Contains(got, `tool=\"g\"`) {
		t.Errorf("named: %s", got)
	}
	s.ToolChoice, s.Start = abi.ToolChoiceAuto, abi.ChannelContent
	if got := tag(s); !strings.Contains(got, `{"type":"optional","content":{"type":"tag","begin":"<|open|>tools<|sep|>"`) {
		t.Errorf("auto: %s", got)
	}
	s.ToolChoice = abi.ToolChoiceNone
	if got := tag(s); strings.Contains(got, `"begin":"<|open|>tools`) {
		t.Errorf("none: %s", got)
	}
}
