package markers

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/conform"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

func options(kv ...string) (o []abi.Option) {
	for i := 0; i < len(kv); i += 2 {
		o = append(o, abi.Option{Key: kv[i], Value: kv[i+1]})
	}
	return o
}

// grammars under test, each with its tokens: the defaults, the three examples of
// doc.go and what else the options can say.
func configs(t testing.TB) map[string]sdktest.Config {
	ex := examples(t)
	return map[string]sdktest.Config{
		"defaults": {Cases: "testdata/cases.json", Client: conform.Assemble, Vocabulary: []string{
			"<think>", "</think>", "<tool_call>", "</tool_call>", `{"name": "f", "arguments": {"a": "`, `"}}`, "\n"}},
		"xml": {Cases: "testdata/xml.json", Client: conform.Assemble, Options: options("call_arguments", "xml"), Vocabulary: []string{
			"<think>", "</think>", "<tool_call>", "</tool_call>", "<function=f>", "<function=", "</function>", "<parameter=a>", "</parameter>", "\n"}},
		"header": {Options: ex[0].options, Vocabulary: []string{
			"◁think▷", "◁/think▷", "<|calls|>", "<|/calls|>", "<|call|>", "functions.f:0", "f", "<|args|>", `{"a": "`, `"}`, "{}", "<|/call|>"}},
		"invoke": {Options: ex[1].options, Vocabulary: []string{
			"<think>", "</think>", "<calls>", "</calls>", `<invoke name="f">`, "<invoke name=", "</invoke>", `<parameter name="a">`, "</parameter>", "\n"}},
		"structured": {Options: ex[2].options, Vocabulary: []string{
			"</think>", "<tool_call>", "f<tool_sep>", "<tool_sep>", "</tool_call>", "<arg_key>a</arg_key>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "\n"}},
		"own end": {Options: options("call_name", "header", "call_open", "", "call_close", "", "call_name_open", "[CALL]", "call_name_close", "[ARGS]{",
			"call_id", "behind", "call_id_open", "[ID]", "call_end", "", "call_separator", "; "), Vocabulary: []string{
			"[CALL]", "f", "[ID]", "x1", "[ARGS]", "{", `"a": "`, `"}`, "}", "; ", "<think>", "</think>"}},
		"members": {Options: options("call_open", "<function_call>", "call_close", "", "call_name_key", "tool", "call_arguments_key", "args", "call_id", "member",
			"call_separator", ", ", "reasoning_open", "", "reasoning_close", ""), Vocabulary: []string{
			"<function_call>", `{"tool": "f"`, `, "args": {"a": "`, `"id": "x`, `"`, "}", "}}", ", ", "[", "]"}},
		"sentences": {Options: options("reasoning_open", "Thoughts:", "reasoning_close", "Answer:", "reasoning_once", "true"), Vocabulary: []string{
			"Thoughts:", "Answer:", "<tool_call>", `{"name": "f"}`, "</tool_call>", " "}},
	}
}

func TestParsers(t *testing.T) {
	for name, c := range configs(t) {
		t.Run(name, func(t *testing.T) { sdktest.Run(t, &Module, c) })
	}
}

func FuzzParsers(f *testing.F) {
	c := configs(f)["header"]
	sdktest.Fuzz(f, &Module, c)
}

// example is one of doc.go: its options and the text that they read.
type example struct {
	options []abi.Option
	text    string
}

// examples reads the examples of doc.go, so that they stay true.
func examples(t testing.TB) (found []example) {
	raw, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	read := false
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "//")
		switch key, value, _ := strings.Cut(strings.TrimSpace(line), ": "); {
		case line == "\toptions:":
			found = append(found, example{})
		case len(found) > 0 && strings.HasPrefix(line, "\t  "):
			if v, err := strconv.Unquote(value); err == nil {
				value = v
			}
			e := &found[len(found)-1]
			e.options = append(e.options, abi.Option{Key: key, Value: value})
		case line == " reads":
			read = true
		case read && strings.HasPrefix(line, "\t"):
			found[len(found)-1].text = strings.ReplaceAll(line[1:], `\n`, "\n")
			read = false
		}
	}
	if len(found) != 3 {
		t.Fatalf("doc.go has %d examples, want 3", len(found))
	}
	return found
}

// said is what a session says of a text: thoughts in [], calls as
// name#id(key=value; or JSON), dropped ones with "!".
func said(s abi.OpenBlock, text string) (out, note string, fatal bool) {
	session, first := sdk.Open(&Module, &s)
	var b strings.Builder
	channel := abi.Text
	add := func(a abi.Answer) {
		literal := ""
		for _, e := range a.Events {
			span := ""
			switch e.Kind {
			case abi.Literal:
				literal = string(a.Literals[e.Start : e.Start+e.Len])
				continue
			case abi.Note:
				note = literal
				continue
			case abi.Error:
				fatal = e.Flags&abi.FlagFatal != 0 && e.Start == abi.CodeBadOpen
				continue
			case abi.Watch, abi.State, abi.Commit:
				continue
			case abi.CallEnd:
				span = ")"
			case abi.CallDrop:
				span = "!"
			default:
				span = text[e.Start : e.Start+e.Len]
			}
			switch e.Kind {
			case abi.Text, abi.Reasoning:
				if e.Kind != channel {
					b.WriteString(map[abi.Kind]string{abi.Text: "]", abi.Reasoning: "["}[e.Kind])
				}
				channel = e.Kind
			case abi.Call:
				if channel == abi.Reasoning {
					b.WriteString("]")
				}
				channel = abi.Text
				span += "("
			case abi.CallID:
				span = "#" + span + " "
			case abi.Key:
				span += "="
			case abi.Value:
				if e.Flags&abi.FlagMore == 0 {
					span += ";"
				}
			}
			b.WriteString(span)
		}
	}
	add(first)
	add(session.Push(0, 0, []byte(text)))
	add(session.Finish(abi.RawOffset(len(text)), abi.FinishUnknown))
	if channel == abi.Reasoning {
		b.WriteString("]")
	}
	return b.String(), note, fatal
}

func TestExamples(t *testing.T) {
	for i, want := range []string{
		`[Two.]Wait.f(#functions.f:0 {"a": 1})g(#functions.g:1 {})`,
		`[So.]f(a=x < y;)g()Done.`,
		"[Look.]f(a=1;)g()\nDone.",
	} {
		e := examples(t)[i]
		got, note, fatal := said(abi.OpenBlock{Parser: "markers", Tools: []string{"f"}, Options: e.options, Flags: abi.OpenReasoning}, e.text)
		if got != want || note != "" || fatal {
			t.Errorf("%v reads %q as %q, want %q; note %q", e.options, e.text, got, want, note)
		}
	}
}

func TestOptions(t *testing.T) {
	c := configs(t)
	for _, test := range []struct{ config, parser, text, want string }{
		{"own end", "markers", `a[CALL]f[ID]x1[ARGS]{"a": "}"}b`, `af(#x1 {"a": "}"})b`},
		{"own end", "markers", `[CALL]f[ARGS]{}; [CALL]g[ID]7[ARGS]{}; `, `f({})g(#7 {}); `},
		{"own end", "markers", `[CALL]f[ARGS]{"a`, `f({"a!`},
		{"own end", "markers", "Use [CALL] first.\nThen [CALL]f[ARGS]{}", "Use [CALL] first.\nThen f({})"},
		{"own end", "markers", "Use [CALL] and [CALL]f[ARGS]{}", "Use [CALL] and f({})"},
		{"own end", "markers", "<think>Use [CALL] now</think>b", "[Use [CALL] now]b"},
		{"own end", "markers", "[CALL]" + strings.Repeat("x", 300), "[CALL]" + strings.Repeat("x", 300)},
		{"own end", "markers", "a[CALL]f", "a[CALL]f"},
		{"members", "markers", `<function_call> {"id": "c\u0031", "tool": "f", "args": {}}, <function_call> {"tool": "g", "id": "d"} x, y`, `f(#c\u0031 {})g(#d ) x, y`},
		{"members", "markers", `<function_call> {"name": "f", "arguments": {}} x`, `<function_call> {"name": "f", "arguments": {}} x`},
		{"members", "markers", `<think>a</think>`, `<think>a</think>`},
		{"sentences", "markers", `Thoughts: a <tool_call>{"name": "f"}</tool_call> Answer: b`, `[ a ]f()[ ] b`},
		{"sentences", "markers_reasoning", `Thoughts: a <tool_call>{"name": "f"}</tool_call> Answer: b`, `[ a <tool_call>{"name": "f"}</tool_call> ] b`},
		{"sentences", "markers_tools", `Thoughts: a <tool_call>{"name": "f"}</tool_call>`, `Thoughts: a f()`},
		{"header", "markers", `<|call|>functions.f:2<|args|>{}<|/call|>`, `<|call|>functions.f:2<|args|>{}<|/call|>`},
		{"header", "markers", `<|calls|><|call|>f<|args|>{"a": <|/call|><|call|>g<|args|>{}<|/call|>`, `f(#f {"a": )g(#g {})`},
	} {
		got, note, fatal := said(abi.OpenBlock{Parser: test.parser, Tools: []string{"f"}, Options: c[test.config].Options}, test.text)
		if got != test.want || fatal {
			t.Errorf("%s: %q gives %q, want %q; note %q", test.config, test.text, got, test.want, note)
		}
	}
}

func TestBadOptions(t *testing.T) {
	for _, c := range []struct {
		options []abi.Option
		want    string
	}{
		{options("call_arguments", "jsn"), `option call_arguments: is "jsn"; write one of json, xml, structured`},
		{options("call_open", ""), "option call_open: is empty; name the marker that opens a call"},
		{options("call_arguments", "xml", "call_name", "body"), "option call_name: is body, but call_arguments is xml; only a JSON body holds the name, write header"},
		{options("call_opener", "<x>"), "option call_opener: is not known here; the options are reasoning_open, reasoning_close, reasoning_start, reasoning_once, call_separator, call_arguments, call_name, call_id, call_open, call_close, call_name_key, call_arguments_key, call_id_key"},
		{options("call_open", "<think>"), "option call_open: is the same marker as reasoning_open; a parser can't tell them apart"},
		{options("call_name", "header", "call_open", ""), "option call_close: has a value, but call_open is empty; empty both where calls stand by themselves"},
		{options("call_arguments", "xml", "call_end", ""), "option call_end: is empty; without JSON arguments only a marker can end a call"},
		{options("call_arguments", "xml", "call_value_close", ""), "option call_value_close: is empty; name the marker behind an argument's value"},
		{options("call_arguments", "structured", "call_key_close", ""), "option call_key_close: is empty; name the marker behind an argument's key"},
		{options("call_name", "header", "call_id", "behind"), "option call_id_open: is empty; name the marker between a call's name and its id"},
		{options("call_id", "header"), `option call_id: is "header"; write one of none, member`},
		{options("reasoning_close", ""), "option reasoning_close: is empty; a thought that is opened needs a marker that ends it"},
	} {
		out, note, fatal := said(abi.OpenBlock{Parser: "markers", Tools: []string{"f"}, Options: c.options}, "a<think>b")
		if note != c.want || !fatal || out != "a<think>b" {
			t.Errorf("%v:\n note %q\n want %q\n fatal %v, text %q", c.options, note, c.want, fatal, out)
		}
	}
}
