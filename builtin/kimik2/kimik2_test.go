package kimik2_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/familytest"
	"github.com/turnkey-parsers/turnkey/builtin/kimik2"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

var vocabulary = []string{
	"<think>", "</think>",
	"<|tool_calls_section_begin|>", "<|tool_calls_section_end|>",
	"<|tool_call_section_begin|>", "<|tool_call_section_end|>",
	"<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>",
	"functions.", "f:0", "0", "functions.f", "f", "functions.lookup:1", ":2", "functions.f:0<|tool_call_argument_begin|>",
	"<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{\"a\":\"",
	`{"a":"b"}`, `{"a":`, `"unfinished`, `}`, `{}`, `[{"name":"f","arguments":{}}]`, `\`, `\"`, "12", "null",
	" ", "\n", "\n\n", `"`, `'`, "`", "isn't", "é", "雪",
}

var config = sdktest.Config{Vocabulary: vocabulary, MaxHold: 1 << 20}

func TestFamily(t *testing.T) { familytest.Run(t, &kimik2.Module, config) }

// A call's name and id are said at the argument marker, its arguments as they
// come, up to what may yet be something else.
func TestEager(t *testing.T) {
	s, _ := sdk.Open(&kimik2.Module, &abi.OpenBlock{Parser: "kimi_k2", Tools: []string{"f"}})
	text := ""
	push := func(more string) string {
		off := len(text)
		text += more
		var said strings.Builder
		for _, e := range s.Push(abi.RawOffset(off), 0, []byte(more)).Events {
			switch e.Kind {
			case abi.Call, abi.CallID, abi.Args:
				said.WriteString("[" + text[e.Start:e.Start+e.Len] + "]")
			case abi.CallEnd:
				said.WriteString("end")
			}
		}
		return said.String()
	}
	for _, c := range []struct{ push, want string }{
		{"<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>", "[f][functions.f:0]"},
		{` {"a": "b`, `[{"a": "b]`},
		{`c<`, `[c]`},
		{`d`, `[<d]`},
		{`<|tool_call_end|>", "e`, ``}, // a closer in a string: perhaps the JSON is broken
		{`": 1}`, ``},
		{` <|tool_call_end|>`, `[<|tool_call_end|>", "e": 1}]end`},
	} {
		if got := push(c.push); got != c.want {
			t.Errorf("%q says %q, want %q", c.push, got, c.want)
		}
	}
}

func TestConstraint(t *testing.T) {
	s := abi.OpenBlock{
		Parser: "kimi_k2", Start: abi.ChannelReasoning, ToolChoice: abi.ToolChoiceRequired, Tools: []string{"f", "g"}, Flags: abi.OpenParallel,
		Schemas: []abi.Schema{{Tool: 0, JSON: `{"type":"object","properties":{"a":{"type":"string"}}}`}},
	}
	var got struct {
		Scope         string
		StructuralTag struct {
			Type   string
			Format struct {
				Type     string
				Elements []struct {
					Begin, End string
					Content    struct {
						Type           string
						StopAfterFirst bool `json:"stop_after_first"`
						AtLeastOne     bool `json:"at_least_one"`
						Tags           []struct {
							Begin, End string
							Content    struct {
								Type     string
								Elements []map[string]any
							}
						}
					}
				}
			}
		} `json:"structural_tag"`
	}
	raw := kimik2.Module.Constraint(&s)
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	parts := got.StructuralTag.Format.Elements
	if got.Scope != "calls" || len(parts) != 2 || parts[0].End != "</think>" {
		t.Fatalf("%s", raw)
	}
	section := parts[1]
	if section.Begin != "<|tool_calls_section_begin|>" || section.End != "<|tool_calls_section_end|>" ||
		section.Content.Type != "tags_with_separator" || !section.Content.AtLeastOne || section.Content.StopAfterFirst || len(section.Content.Tags) != 2 {
		t.Errorf("section: %s", raw)
	}
	if tag := section.Content.Tags[0]; tag.Begin != "<|tool_call_begin|>functions.f:" || tag.End != "<|tool_call_end|>" || len(tag.Content.Elements) != 3 {
		t.Errorf("call: %s", raw)
	}
	s.ToolChoice, s.NamedTool, s.Flags = abi.ToolChoiceNamed, "g", 0
	if raw := string(kimik2.Module.Constraint(&s)); !strings.Contains(raw, "functions.g:") || strings.Contains(raw, "functions.f:") || !strings.Contains(raw, `"stop_after_first":true`) {
		t.Errorf("named: %s", raw)
	}
	s.ToolChoice, s.Start = abi.ToolChoiceAuto, abi.ChannelContent
	if raw := string(kimik2.Module.Constraint(&s)); !strings.Contains(raw, `"triggered_tags"`) || strings.Contains(raw, `"sequence","elements":[{"type":"tag"`) {
		t.Errorf("auto: %s", raw)
	}
	s.Tools = nil
	if raw := kimik2.Module.Constraint(&s); !json.Valid(raw) || !strings.Contains(string(raw), `"any_text"`) {
		t.Errorf("none: %s", raw)
	}
}

func FuzzFamily(f *testing.F) { familytest.Fuzz(f, &kimik2.Module, config) }

// Pushes of 16 bytes, native.
func BenchmarkPush(b *testing.B) {
	const header = "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{\"a\":\""
	for _, c := range []struct{ name, head, body string }{
		{"prose", "", "The quick brown fox jumps over the lazy dog, again and again, as foxes do. "},
		{"thought", "<think>", "So first I look at the file, then at its tests, and then decide what to do. "},
		{"arguments", header, "package main\\n\\nfunc main() {\\n\\tprintln(1)\\n}\\n"},
		{"calls", "", header + "b\"}<|tool_call_end|><|tool_calls_section_end|>"},
	} {
		b.Run(c.name, func(b *testing.B) {
			text := []byte(strings.Repeat(c.body, 16*4096/len(c.body)))
			s, off := start(c.head)
			b.SetBytes(16)
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				if off > 1<<30 {
					s, off = start(c.head)
				}
				at := i * 16 % (len(text) - 16)
				s.Push(off, 0, text[at:at+16])
				off += 16
			}
		})
	}
}

func start(head string) (*sdk.Session, abi.RawOffset) {
	s, _ := sdk.Open(&kimik2.Module, &abi.OpenBlock{Parser: "kimi_k2", Tools: []string{"f"}})
	s.Push(0, 0, []byte(head))
	return s, abi.RawOffset(len(head))
}

func TestPushAllocatesNothing(t *testing.T) {
	for _, head := range []string{"", "<think>", "<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{\"a\":\""} {
		s, off := start(head)
		text := []byte("sixteen bytes …")
		push := func() {
			s.Push(off, 0, text)
			off += abi.RawOffset(len(text))
		}
		for range 100 {
			push()
		}
		if n := testing.AllocsPerRun(1000, push); n > 0 {
			t.Errorf("behind %q: %v allocations a push", head, n)
		}
	}
}
