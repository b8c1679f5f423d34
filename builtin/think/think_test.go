package think

import (
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/familytest"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

var config = sdktest.Config{
	Vocabulary: []string{"<think>", "</think>", "◁think▷", "◁/think▷", "<think>\n", "</think>\n\n", "`</think>`", "\n"},
	Leaks: func(s *abi.OpenBlock, _, text, _ string) string {
		if s.Parser != "kimi" && s.Start != abi.ChannelResponse && !strings.ContainsAny(text, "\"'`") && strings.Contains(text, "</think>") {
			return "the text has a closer"
		}
		return ""
	},
}

func TestFamily(t *testing.T) { familytest.Run(t, &Module, config) }

func FuzzFamily(f *testing.F) { familytest.Fuzz(f, &Module, config) }

// said is what a session says of a text: thoughts in [].
func said(s abi.OpenBlock, text string) (out string, note string, fatal bool) {
	session, a := sdk.Open(&Module, &s)
	var b strings.Builder
	add := func(a abi.Answer) {
		var literal string
		for _, e := range a.Events {
			switch e.Kind {
			case abi.Literal:
				literal = string(a.Literals[e.Start : e.Start+e.Len])
			case abi.Note:
				note = literal
			case abi.Error:
				fatal = e.Flags&abi.FlagFatal != 0 && e.Start == abi.CodeBadOpen
			case abi.Text:
				b.WriteString(text[e.Start : e.Start+e.Len])
			case abi.Reasoning:
				b.WriteString("[" + text[e.Start:e.Start+e.Len] + "]")
			}
		}
	}
	add(a)
	add(session.Push(0, 0, []byte(text)))
	add(session.Finish(abi.RawOffset(len(text)), abi.FinishUnknown))
	return b.String(), note, fatal
}

func options(kv ...string) (o []abi.Option) {
	for i := 0; i < len(kv); i += 2 {
		o = append(o, abi.Option{Key: kv[i], Value: kv[i+1]})
	}
	return o
}

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		options    []abi.Option
		tail       string
		text, want string
	}{
		{options("reasoning_open", "<r>", "reasoning_close", "</r>"), "", "a<r>b</r>c<think>", "a[b]c<think>"},
		{options("reasoning_open", "", "reasoning_close", "###"), "", "a###b", "ab"},
		{options("reasoning_open", "", "reasoning_close", "###", "reasoning_start", "reasoning"), "", "a###b", "[a]b"},
		{options("reasoning_open", "<r>", "reasoning_close", "</r>"), "assistant <r>\n", "a</r>b", "[a]b"},
		{options("reasoning_open", "<r>", "reasoning_close", "</r>"), "<r>\n\n</r>", "a</r>b", "a</r>b"},
		{options("reasoning_open", "Thoughts:", "reasoning_close", "Answer:", "reasoning_once", "true"), "", "Thoughts: a Answer: b Answer: c", "[ a ] b Answer: c"},
		{options("reasoning_open", "Thoughts:", "reasoning_close", "Answer:", "reasoning_once", "true"), "", "My Thoughts: a Answer: b", "My Thoughts: a Answer: b"},
		{options("call_open", "<x>"), "", "<x><think>a", "<x>[a]"},
		{nil, "x<think>", "a</think>b", "[a]b"},
	} {
		s := abi.OpenBlock{Parser: "think", Options: c.options, PromptTail: c.tail, Flags: abi.OpenReasoning}
		if got, _, fatal := said(s, c.text); got != c.want || fatal {
			t.Errorf("%v %q: %q gives %q, want %q", c.options, c.tail, c.text, got, c.want)
		}
	}
}

func TestBadOptions(t *testing.T) {
	for _, c := range []struct {
		options []abi.Option
		want    string
	}{
		{options("reasoning_open", "<r>", "reasoning_close", ""), "option reasoning_close: is empty; a thought that is opened needs a marker that ends it"},
		{options("reasoning_open", "</think>"), "option reasoning_close: is the same marker as reasoning_open; a parser can't tell them apart"},
		{options("reasoning_start", "thinking"), `option reasoning_start: is "thinking"; write one of content, reasoning`},
		{options("reasoning_open", "", "reasoning_once", "true"), "option reasoning_once: is true, but reasoning_open is empty; name the marker that opens the thought"},
		{options("reasoning_end", "x"), "option reasoning_end: is not known here; the options are reasoning_open, reasoning_close, reasoning_start, reasoning_once"},
	} {
		out, note, fatal := said(abi.OpenBlock{Parser: "think", Options: c.options}, "a<think>b")
		if note != c.want || !fatal || out != "a<think>b" {
			t.Errorf("%v: note %q, fatal %v, text %q", c.options, note, fatal, out)
		}
	}
}
