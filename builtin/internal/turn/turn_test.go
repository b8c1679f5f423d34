package turn

import (
	"fmt"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/toolblock"
	"github.com/turnkey-parsers/turnkey/sdk"
)

var grammar = New(Config{
	Think: "<think>", EndThink: "</think>",
	Block: toolblock.Config{Open: "<tool_call>", Close: "</tool_call>", XML: toolblock.Functions, JSON: true},
})

var module = sdk.Module{New: func(s *abi.OpenBlock) sdk.Parser {
	switch s.Parser {
	case "tools":
		return grammar.Parser(s, sdk.Tools)
	case "reasoning":
		return grammar.Parser(s, sdk.Reasoning)
	}
	return grammar.Parser(s, sdk.Unified)
}}

// transcript is what a session said, readable: T(…) text, R(…) reasoning,
// f{…} a call, f{…! one that was dropped.
type transcript struct {
	raw  string
	out  strings.Builder
	last abi.Kind
	end  abi.RawOffset
}

func (t *transcript) add(a abi.Answer) {
	for _, e := range a.Events {
		if e.End < t.end {
			panic("end went down")
		}
		t.end = e.End
		span := ""
		if e.Kind != abi.Watch && e.Kind != abi.Literal && e.Len > 0 {
			span = t.raw[e.Start : e.Start+e.Len]
		}
		if e.Kind == abi.Commit || e.Kind == abi.Watch || e.Kind == abi.State {
			continue
		}
		joins := e.Kind == t.last
		if !joins && (t.last == abi.Text || t.last == abi.Reasoning) {
			t.out.WriteString(")")
		}
		switch e.Kind {
		case abi.Text:
			if !joins {
				t.out.WriteString("T(")
			}
		case abi.Reasoning:
			if !joins {
				t.out.WriteString("R(")
			}
		case abi.Key:
			span += "="
		case abi.CallEnd:
			span = "}"
		case abi.CallDrop:
			span = "!"
		}
		t.out.WriteString(span)
		switch e.Kind {
		case abi.Call:
			t.out.WriteString("{")
		case abi.Value:
			if e.Flags&abi.FlagMore == 0 {
				t.out.WriteString(";")
			}
		}
		t.last = e.Kind
	}
}

func (t *transcript) String() string {
	if t.last == abi.Text || t.last == abi.Reasoning {
		return t.out.String() + ")"
	}
	return t.out.String()
}

// run pushes the text in pieces that end at the given places, and gives what was
// said after each byte that ends a piece, and at the end.
func run(s abi.OpenBlock, text string, cuts []int) (states map[int]string, final string) {
	session, first := sdk.Open(&module, &s)
	tr := transcript{raw: text}
	tr.add(first)
	states = map[int]string{}
	at := 0
	for _, cut := range append(cuts, len(text)) {
		tr.add(session.Push(abi.RawOffset(at), 0, []byte(text[at:cut])))
		at = cut
		states[cut] = fmt.Sprintf("%s end %d", tr.String(), tr.end)
	}
	tr.add(session.Finish(abi.RawOffset(len(text)), abi.FinishUnknown))
	if int(tr.end) != len(text) {
		return states, fmt.Sprintf("%s: %d of %d bytes accounted for", tr.String(), tr.end, len(text))
	}
	return states, tr.String()
}

func check(t *testing.T, s abi.OpenBlock, text, want string) {
	t.Helper()
	whole, got := run(s, text, nil)
	if got != want {
		t.Errorf("%q\n got  %s\n want %s", text, got, want)
		return
	}
	var every []int
	for i := 1; i < len(text); i++ {
		every = append(every, i)
	}
	states, got := run(s, text, every)
	if got != want {
		t.Errorf("%q byte by byte\n got  %s\n want %s", text, got, want)
	}
	if whole[len(text)] != states[len(text)] {
		t.Errorf("%q\n whole        %s\n byte by byte %s", text, whole[len(text)], states[len(text)])
	}
	for _, i := range every {
		two, got := run(s, text, []int{i})
		if got != want || two[i] != states[i] || two[len(text)] != whole[len(text)] {
			t.Errorf("%q cut at %d\n got  %s\n want %s\n state %s\n byte by byte %s", text, i, got, want, two[i], states[i])
		}
	}
}

func TestTurn(t *testing.T) {
	for _, c := range []struct{ start, text, want string }{
		{"", "plain <text> & all", "T(plain <text> & all)"},
		{"", "a<think>b</think>c", "T(a)R(b)T(c)"},
		{"r", "a<think>b</tool_call>c</think>d</think>e", "R(abc)T(de)"},
		{"p", "a<think>b</think>c", "T(a<think>b</think>c)"},
		// Functions.
		{"", "<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>\n", "f{a=1;}T(\n)"},
		{"", "<tool_call><function=f><parameter=a>1</parameter><parameter=b></parameter></function><function=g></function></tool_call>", "f{a=1;b=;}g{}"},
		{"", "<tool_call><function=f><parameter=a>\n\n\n</parameter></function>", "f{a=\n;}"},
		{"", "<tool_call><function=f><parameter=a>x</function></tool_call>y", "f{a=x;}T(y)"},
		{"", "<tool_call><function=f><parameter=a>x\n</function><tool_call><function=g><parameter=a>y</function>z", "f{a=x;}g{a=y;}"},
		{"", "<tool_call><function=f><parameter=a>x</function> </tool_call> </parameter></function>y", "f{a=x</function> </tool_call> ;}"},
		{"", "<tool_call><function=f><parameter=a>x</tool_call>y", "f{a=x</tool_call>y!"},
		{"", "<tool_call><function=f><parameter=a>x</parameter>", "f{a=x;!"},
		{"", "<tool_call><function=f><parameter=a>x</parameter></tool_call>y", "f{a=x;}T(y)"},
		{"", "<tool_call><function=f><tool_call><function=g></function></tool_call>y", "f{!g{}T(y)"},
		{"", "<tool_call><function=f><function=g></function></tool_call>y", "f{!g{}T(y)"},
		{"", "<tool_call><function=f\n<parameter=a>x</parameter></function></tool_call>y", "T(<tool_call><function=f\n<parameter=a>x</parameter></function></tool_call>y)"},
		{"", "<tool_call><function= \"f\" ><parameter='a'>x</parameter></function></tool_call>y", "f{a=x;}T(y)"},
		{"", "<tool_call><function=><parameter=a></function></parameter></function></tool_call>y", "T(<tool_call><function=><parameter=a></function></parameter></function></tool_call>y)"},
		{"", "<tool_call><function=f><parameter=a b>x</parameter><parameter=c\n<parameter=d>1</parameter><parameter=>2</parameter></function></tool_call>", "f{d=1;}"},
		{"", "<tool_call><function=f><parameter=a>x</parameter> y</parameter>\n</function></tool_call>z", "f{a=x</parameter> y;}T(z)"},
		{"", "<tool_call><function=f><parameter=a>'</parameter><b>'</parameter></tool_call>z", "f{a='</parameter><b>';}T(z)"},
		{"", "<tool_call><function=f><parameter=a>\r\nx\r\n</parameter>\r\n</function></tool_call>z", "f{a=x;}T(z)"},
		{"", "<tool_call>\n<tool_call>\n<function=f></function></tool_call>z", "f{}T(z)"},
		{"", "<tool_call>junk</tool_call>y", "T(<tool_call>junk</tool_call>y)"},
		{"", "<tool_call>junk <tool_call>{\"name\":\"f\"}</tool_call>y", "T(<tool_call>junk )f{}T(y)"},
		{"", "x<tool_call>junk", "T(x<tool_call>junk)"},
		{"", "x<tool_call><function=f", "T(x<tool_call><function=f)"},
		{"", "x<tool_call><function=f><par", "T(x)f{!"},
		// A function without its block.
		{"", "x <function=f><parameter=a>1</parameter></function></tool_call> y", "T(x )f{a=1;}T( y)"},
		{"", "x <function=f></tool_call> y", "T(x )f{}T( y)"},
		{"", "x <function=h></function> y", "T(x <function=h></function> y)"},
		{"", "x <function=ff></function>", "T(x <function=ff></function>)"},
		{"", "x <function=f", "T(x <function=f)"},
		{"", "x <funct", "T(x <funct)"},
		{"", "<think>x <function=f></function> y</think>z", "R(x )f{}R( y)T(z)"},
		// In thoughts.
		{"r", "x<tool_call><function=f></function></tool_call>y", "R(x)f{}R(y)"},
		{"r", "x <tool_call> then</think>y", "R(x <tool_call> then)T(y)"},
		{"r", "x <tool_call><function=f> then</think>y", "R(x )f{!T(y)"},
		{"r", "x <tool_call><function=f><parameter=a>1</think>y", "R(x )f{a=1!T(y)"},
		{"r", "x <tool_call><function=f><parameter=a>1</think>2</function></think>y", "R(x )f{a=1</think>2;}T(y)"},
		{"r", "x <tool_call><function=f><parameter=a>1</think>2</parameter></function></think>y", "R(x )f{a=1</think>2;}T(y)"},
		{"r", "x <tool_call>{\"name\": \"</think>y", `R(x <tool_call>{"name": ")T(y)`},
		{"r", "x <tool_call>{\"name\": f</think>y", `R(x <tool_call>{"name": f)T(y)`},
		// JSON bodies.
		{"", `<tool_call>{"name":"f","arguments":{"a":[1,{"b":"}"}]}}</tool_call>y`, `f{{"a":[1,{"b":"}"}]}}T(y)`},
		{"", `<tool_call> { "id" : 1.5e3 , "parameters" : { } , "name" : "f" } </tool_call>y`, `f{{ }}T(y)`},
		{"", `<tool_call>{"name":"f"}</tool_call>`, `f{}`},
		{"", `<tool_call>{}</tool_call>y`, "T(<tool_call>{}</tool_call>y)"},
		{"", `<tool_call>{"name":""}</tool_call>{"name":"f"}`, `T(<tool_call>{"name":""}</tool_call>{"name":"f"})`},
		{"", `<tool_call>{"name":7,"arguments":{}}</tool_call>y`, `T(<tool_call>{"name":7,"arguments":{}}</tool_call>y)`},
		{"", `<tool_call>{"name":"f","arguments":null}</tool_call>y`, `T(<tool_call>{"name":"f","arguments":null}</tool_call>y)`},
		{"", `<tool_call>{"name":"f","arguments":[1]}</tool_call>y`, `T(<tool_call>{"name":"f","arguments":[1]}</tool_call>y)`},
		{"", `<tool_call>{"name":"f","arguments":" {\"a\":1} "}</tool_call>y`, `f{ {\"a\":1} }T(y)`},
		{"", `<tool_call>{"arguments":"{}","name":"f"}</tool_call>y`, `f{{}}T(y)`},
		{"", `<tool_call>{"name":"f","arguments":"x"}</tool_call>y`, `T(<tool_call>{"name":"f","arguments":"x"}</tool_call>y)`},
		{"", `<tool_call>{"name":"f","arguments":{},"parameters":{"a":1},"name":"g"}</tool_call>y`, `f{{}}T(y)`},
		{"", `<tool_call>{"name":"f","arguments":{"a":"</tool_call>"}}`, `f{{"a":"</tool_call>"}}`},
		{"", `<tool_call>{"name":"f","arguments":{"a":"</tool_call> "b"}}`, `f{{"a":"}T( "b"}})`},
		{"", `<tool_call>{"name":"f","arguments":{"a":"x</tool_call>`, `f{{"a":"x}`},
		{"", `<tool_call>{"name":"f","arguments":{"a":1</tool_call>z`, `f{{"a":1}T(z)`},
		{"", `<tool_call>{"name":"f","arguments":{"a":1}`, `f{{"a":1}!`},
		{"", `<tool_call>{"name":"f","arguments":{"a":1}} junk </tool_call>z`, `f{{"a":1}}T(z)`},
		{"", `<tool_call>{"name":"f","arguments":{"a":1}}`, `f{{"a":1}}`},
		{"", `<tool_call>{"name":"f","arguments":{"a":1}}</tool`, `f{{"a":1}}`},
		{"", `<tool_call>[{"name":"f","arguments":{}},{"name":"g"}]</tool_call>z`, `f{{}}g{}T(z)`},
		{"", `<tool_call>[{"name":"f","arguments":{}},{"name":"g","arguments":{`, `f{{}}g{{!`},
		{"", `<tool_call>[]</tool_call>z`, "T(<tool_call>[]</tool_call>z)"},
		{"", `<tool_call>[1]</tool_call>z`, "T(<tool_call>[1]</tool_call>z)"},
		{"", `<tool_call>[[{"name":"f"}]]</tool_call>z`, `T(<tool_call>[[{"name":"f"}]]</tool_call>z)`},
		// Quotations.
		{"", "say \"<tool_call>\" or `<think>` now", "T(say \"<tool_call>\" or `<think>` now)"},
		{"", "say \"x <tool_call>{\"name\":\"f\"}</tool_call>", "T(say \"x )f{}"},
		{"", "say `<tool_call><function=f></function></tool_call>` now", "T(say `<tool_call><function=f></function></tool_call>` now)"},
	} {
		s := abi.OpenBlock{Tools: []string{"f", "g"}, Start: abi.ChannelContent}
		switch c.start {
		case "r":
			s.Start = abi.ChannelReasoning
		case "p":
			s.Start = abi.ChannelResponse
		}
		check(t, s, c.text, c.want)
	}
}

func TestKinds(t *testing.T) {
	const text = `<think>a</think>b<tool_call>{"name":"f"}</tool_call></think></tool_call>c`
	tools := []string{"f"}
	for _, c := range []struct {
		s    abi.OpenBlock
		want string
	}{
		{abi.OpenBlock{Tools: tools}, `R(a)T(b)f{}T(c)`},
		{abi.OpenBlock{}, `R(a)T(b<tool_call>{"name":"f"}</tool_call></tool_call>c)`},
		{abi.OpenBlock{Parser: "tools", Tools: tools}, `T(<think>a</think>b)f{}T(</think>c)`},
		{abi.OpenBlock{Parser: "tools", Tools: tools, Start: abi.ChannelReasoning}, `T(<think>a</think>b)f{}T(</think>c)`},
		{abi.OpenBlock{Parser: "reasoning", Tools: tools}, `R(a)T(b<tool_call>{"name":"f"}</tool_call></tool_call>c)`},
		{abi.OpenBlock{Tools: tools, Start: abi.ChannelReasoning}, `R(a)T(b)f{}T(c)`},
	} {
		check(t, c.s, text, c.want)
	}
	check(t, abi.OpenBlock{Start: abi.ChannelReasoning}, "a</think>b", "R(a)T(b)")
	check(t, abi.OpenBlock{Start: abi.ChannelContent, PromptTail: "<think>\n"}, "a</think>b", "T(ab)")
}

// What may be markup is not held for ever.
func TestHoldsEnd(t *testing.T) {
	fill := strings.Repeat("some more text ", 1<<20/15)
	s := abi.OpenBlock{Tools: []string{"f"}}
	for _, c := range []struct{ lead, tail, want string }{
		{"<tool_call><function=f><parameter=a></function>", "</function>x", "f{a=</function>" + fill + ";}"},
		{"<tool_call><function=f><parameter=a></function>", "</parameter></function>x", "f{a=</function>" + fill + ";}"},
		{`<tool_call>{"name":"f","arguments":{"a":"</tool_call>`, `"}}</tool_call>x`, `f{{"a":"</tool_call>` + fill + `"}}T(x)`},
		{`<tool_call>{"name":"f","arguments":{"a":"</tool_call>`, `</tool_call>x`, `f{{"a":"</tool_call>` + fill + `}T(x)`},
		{`<tool_call>{"arguments":{"a":"`, `"},"name":"f"}</tool_call>x`, `T(<tool_call>{"arguments":{"a":"` + fill + `"},"name":"f"}</tool_call>x)`},
	} {
		text := c.lead + fill + c.tail
		for _, size := range []int{len(text), 16 << 10, 5000} {
			var cuts []int
			for at := size; at < len(text); at += size {
				cuts = append(cuts, at)
			}
			if _, got := run(s, text, cuts); got != c.want {
				t.Errorf("%q … %q by %d: got %d bytes, want %d: %.80q … %q", c.lead, c.tail, size, len(got), len(c.want), got, got[max(0, len(got)-80):])
			}
		}
	}
}
