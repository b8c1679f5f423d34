package museglimmer

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/bench"
	"github.com/turnkey-parsers/turnkey/sdk"
)

// Everything of a call is said at the byte that makes it certain.
func TestEager(t *testing.T) {
	s, _ := sdk.Open(&Module, &abi.OpenBlock{Parser: "muse_glimmer", Tools: []string{"f"}})
	text := ""
	push := func(more string) string {
		off := len(text)
		text += more
		var said strings.Builder
		for _, e := range s.Push(abi.RawOffset(off), 0, []byte(more)).Events {
			switch e.Kind {
			case abi.Reasoning:
				fmt.Fprintf(&said, "%s", text[e.Start:e.Start+e.Len])
			case abi.Call, abi.Key, abi.Value:
				fmt.Fprintf(&said, "[%s]", text[e.Start:e.Start+e.Len])
			case abi.CallEnd:
				said.WriteString("end")
			case abi.CallDrop:
				said.WriteString("drop")
			}
		}
		return said.String()
	}
	for _, c := range []struct{ push, want string }{
		{" to=self<|message|>I th", "I th"},
		{"ink so, to", "ink so, "},
		{"=f<", ""},
		{"|message|>", ""},
		{blockOpen + "\n<atem:invoke name=\"f.f", ""},
		{`">`, "[f]"},
		{`<atem:parameter name="a">`, "[a]"},
		{"some", "[some]"},
		{" words<", "[ words]"},
		{"b>", "[<b>]"},
		{"<|eom|>", ""}, // perhaps the parameter never closes
		{"more", ""},
		{parameterClose, ""}, // perhaps it is data
		{invokeClose, "[<|eom|>more]end"},
	} {
		if got := push(c.push); got != c.want {
			t.Errorf("%q says %q, want %q", c.push, got, c.want)
		}
	}
}

func TestConstraint(t *testing.T) {
	s := abi.OpenBlock{Parser: "muse_glimmer", Start: abi.ChannelReasoning, ToolChoice: abi.ToolChoiceRequired, Tools: []string{`f"`}, Flags: abi.OpenParallel}
	got := string(Module.Constraint(&s))
	const want = `{"scope":"calls","structural_tag":{"type":"structural_tag","format":{"type":"sequence","elements":[` +
		`{"type":"tag","begin":"","content":{"type":"any_text"},"end":"<|eom|>"},{"type":"const_string","value":"<|start|>assistant"},` +
		`{"type":"triggered_tags","triggers":[" to=f\"<|message|>"],"tags":[` +
		`{"type":"tag","begin":" to=f\"<|message|><atem:function_calls>\u000a<atem:invoke name=\"f\"\">\u000a","content":{"type":"any_text"},` +
		`"end":"</atem:invoke>\u000a</atem:function_calls>"}],"at_least_one":true,"stop_after_first":false}]}}}`
	if got != want || !json.Valid([]byte(got)) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

const openValue = start + assistant + " to=f" + message + `<atem:invoke name="f"><atem:parameter name="a">`

// streams are long runs of one kind each: what leads to it, and what repeats.
var streams = []struct{ name, lead, body string }{
	{"opening", "", "The quick brown fox jumps over the lazy dog, to no end. "},
	{"thought", start + assistant + " to=self" + message, "First I look at the disk, then to=the memory. "},
	{"answer", start + assistant + " to=user" + message, "The quick brown fox jumps over the lazy dog, to no end. "},
	{"value", openValue, "if (a < b) {\n\treturn \"x\";\n}\n"},
	{"parameters", start + assistant + " to=f" + message + `<atem:invoke name="f">`, `<atem:parameter name="a">12</atem:parameter>` + "\n"},
	{"calls", start + assistant + " to=f" + message, `<atem:invoke name="f"><atem:parameter name="a">12</atem:parameter></atem:invoke>` + "\n"},
	{"messages", "", start + assistant + " to=user" + message + "some words" + eom},
	{"words to a tool", start + assistant + " to=f" + message, "words < words. "},
	{"value held", openValue + eom, "if (a < b) {\n\treturn \"x\";\n}\n"},
	{"quotation held", `say "` + eom, "a word or two more. "},
}

func BenchmarkStream(b *testing.B) {
	var list []bench.Stream
	for _, c := range streams {
		list = append(list, bench.Stream{Name: c.name, Lead: c.lead, Body: c.body})
	}
	bench.Growing(b, &Module, "muse_glimmer", list)
}

// BenchmarkFinish is a whole text whose calls are all unfinished, so that the end
// of the text settles them.
func BenchmarkFinish(b *testing.B) {
	for _, body := range []string{
		openValue,
		openValue + eom,
		start + assistant + " to=self",
		" to=self",
		start + assistant + " to=f" + message + `<atem:invoke name="f"`,
		`say "a ` + eom + ` b, `,
	} {
		for size := 64 << 10; size <= 256<<10; size *= 2 {
			text := []byte(strings.Repeat(body, size/len(body)))
			b.Run(fmt.Sprintf("%s/%dKiB", body, size>>10), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					s, _ := sdk.Open(&Module, &abi.OpenBlock{Parser: "muse_glimmer", Tools: []string{"f"}})
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
		if strings.Contains(c.name, "held") || c.name == "messages" {
			continue // what is held, and a message's first markers, grow a buffer
		}
		list = append(list, bench.Stream{Name: c.name, Lead: c.lead, Body: c.body})
	}
	bench.AllocatesNothing(t, &Module, "muse_glimmer", list)
}
