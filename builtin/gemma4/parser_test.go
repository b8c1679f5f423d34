package gemma4

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/bench"
	"github.com/turnkey-parsers/turnkey/sdk"
)

// What the prompt left of the label is taken out, in guided modes too; other words
// are reasoning.
func TestLabelStillToCome(t *testing.T) {
	for _, c := range []struct{ tail, text, want string }{
		{"<|channel>", "thought\nhm", "hm"},
		{"<|channel>thought", "\nhm", "hm"},
		{"<|channel>", "thoughts", "thoughts"},
		{"<|channel>tho", "ught\nhm", "hm"},
		{"<|channel>", "thought", "thought"},
		{"", "thought\nhm", "thought\nhm"},
		{"<|channel>thought\nso far", "thought\nhm", "thought\nhm"},
	} {
		for _, mode := range []abi.Mode{abi.ModeNative, abi.ModeGuidedRequired} {
			s, _ := sdk.Open(&Module, &abi.OpenBlock{Parser: "gemma4", Mode: mode, Start: abi.ChannelReasoning, PromptTail: c.tail, Tools: []string{"f"}})
			got := ""
			read := func(a abi.Answer) {
				for _, e := range a.Events {
					if e.Kind == abi.Reasoning {
						got += c.text[e.Start : e.Start+e.Len]
					}
				}
			}
			for i := range c.text {
				read(s.Push(abi.RawOffset(i), 0, []byte(c.text[i:i+1])))
			}
			read(s.Finish(abi.RawOffset(len(c.text)), abi.FinishUnknown))
			if got != c.want {
				t.Errorf("%q + %q: reasoning %q", c.tail, c.text, got)
			}
		}
	}
}

// Everything of a call is said at the byte that makes it certain.
func TestEager(t *testing.T) {
	s, _ := sdk.Open(&Module, &abi.OpenBlock{Parser: "gemma4", Tools: []string{"f"}})
	text := ""
	push := func(more string) string {
		off := len(text)
		text += more
		var said strings.Builder
		for _, e := range s.Push(abi.RawOffset(off), 0, []byte(more)).Events {
			switch e.Kind {
			case abi.Call, abi.Key, abi.Value:
				fmt.Fprintf(&said, "[%s]", text[e.Start:e.Start+e.Len])
			case abi.Open:
				said.WriteString("(")
			case abi.Close:
				said.WriteString(")")
			case abi.CallEnd:
				said.WriteString("end")
			case abi.CallDrop:
				said.WriteString("drop")
			}
		}
		return said.String()
	}
	for _, c := range []struct{ push, want string }{
		{"<|tool_call>call:f", ""},
		{"{", "[f]"},
		{"a", ""},
		{":", "[a]"},
		{`<|"|>b`, "[b]"},
		{`c<|`, "[c]"},
		{`d`, "[<|d]"},
		{`<|tool_call>call:g`, ""}, // perhaps the string lost its closer
		{` is data`, "[<|tool_call>call:g is data]"},
		{`<|tool_call>call:g{}`, ""},
		{`x<|"|>`, ""},
		{`,`, "[<|tool_call>call:g{}x]"},
		{`n:{k:12`, "[n]([k]"},
		{`3}`, "[123])"},
		{`}`, ""},
		{`<tool_call|>`, "end"},
	} {
		if got := push(c.push); got != c.want {
			t.Errorf("%q says %q, want %q", c.push, got, c.want)
		}
	}
}

func TestConstraint(t *testing.T) {
	s := abi.OpenBlock{Parser: "gemma4", Start: abi.ChannelReasoning, ToolChoice: abi.ToolChoiceNamed, NamedTool: `f"`, Tools: []string{`f"`}}
	got := string(Module.Constraint(&s))
	const want = `{"scope":"calls","structural_tag":{"type":"structural_tag","format":{"type":"sequence","elements":[` +
		`{"type":"tag","begin":"","content":{"type":"any_text"},"end":"<channel|>"},` +
		`{"type":"tag","begin":"<|tool_call>call:f\"{","content":{"type":"any_text"},"end":"}<tool_call|>"}]}}}`
	if got != want || !json.Valid([]byte(got)) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// streams are long runs of one kind each: what leads to it, and what repeats.
var streams = []struct{ name, lead, body string }{
	{"prose", "", "The quick brown fox jumps over the lazy dog, and calls: no one. "},
	{"thought", "<|channel>thought\n", "First I look at the disk, then at the memory. "},
	{"string", `<|tool_call>call:f{a:<|"|>`, "if (a < b) {\n\treturn \"x\";\n}\n"},
	{"call", "<|tool_call>call:f{a:[", `{k:<|"|>some words<|"|>,n:12.5,b:true},`},
	{"calls", "", `<|tool_call>call:f{a:<|"|>x<|"|>,n:1}<tool_call|>`},
	{"lost", "<|tool_call>no ", `nothing <|"|> that > was asked for. `},
	{"string held", `<|tool_call>call:f{a:<|"|><|tool_call>call:g{`, "if (a < b) {\n\treturn \"x\";\n}\n"},
	{"bare call held", `call:f{a:[`, `{k:<|"|>some words<|"|>,n:12.5,b:true},`},
	{"broken held", `<|tool_call>call:f{"a`, `": {}, <|"|>}}}}<|"|>`},
}

func BenchmarkStream(b *testing.B) {
	var list []bench.Stream
	for _, c := range streams {
		list = append(list, bench.Stream{Name: c.name, Lead: c.lead, Body: c.body})
	}
	bench.Growing(b, &Module, "gemma4", list)
}

// BenchmarkFinish is a whole text whose calls are all unfinished, so that the end
// of the text settles them.
func BenchmarkFinish(b *testing.B) {
	for _, body := range []string{
		`<|tool_call>call:f{a:<|"|>x}<tool_call|>`,
		`<|tool_call>call:f{a:<|"|>x<|"|>y<|"|>`,
		`<|channel>thought\n<|tool_call>call:f{a:<|"|>x<channel|>`,
		`call:f{a:<|"|>`,
		`call:f{a:{`,
		`call:f{a:1,`,
		`<|tool_call>call:f{`,
		`say "a <|tool_call>call:f{}<tool_call|>, `,
	} {
		for size := 64 << 10; size <= 256<<10; size *= 2 {
			text := []byte(strings.Repeat(body, size/len(body)))
			b.Run(fmt.Sprintf("%s/%dKiB", body, size>>10), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					s, _ := sdk.Open(&Module, &abi.OpenBlock{Parser: "gemma4", Tools: []string{"f"}})
					s.Push(0, 0, text)
					s.Finish(abi.RawOffset(len(text)), abi.FinishUnknown)
				}
			})
		}
	}
}

// Once its buffers have grown, a session allocates nothing.
func TestPushAllocatesNothing(t *testing.T) {
	var list []bench.Stream
	for _, c := range streams {
		if strings.Contains(c.name, "held") {
			continue // what is held grows a buffer
		}
		list = append(list, bench.Stream{Name: c.name, Lead: c.lead, Body: c.body})
	}
	bench.AllocatesNothing(t, &Module, "gemma4", list)
}
