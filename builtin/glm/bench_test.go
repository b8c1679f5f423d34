package glm

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/builtin/internal/bench"
)

const callF = "<tool_call>f<arg_key>a</arg_key><arg_value>"

var streams = []bench.Stream{
	{Name: "prose", Body: "The quick brown fox jumps over the lazy dog, again and again.\n\n"},
	{Name: "thought", Lead: "<think>", Body: "So first I look at the file, and then at its tests. "},
	{Name: "string", Lead: callF, Body: "package main\n\nfunc main() {\n}\n", Tail: "</arg_value></tool_call>"},
	{Name: "pairs", Lead: "<tool_call>f", Body: "<arg_key>a</arg_key><arg_value>b</arg_value>", Tail: "</tool_call>"},
	{Name: "calls", Body: callF + "b</arg_value></tool_call>"},
	{Name: "junk", Lead: "<tool_call>", Body: "nothing < that > was asked for. "},
}

var others = []bench.Stream{
	{Name: "possible end in a string", Lead: callF + "</tool_call>", Body: "some more text and so on ", Tail: "</arg_value>"},
	{Name: "unclosed values", Body: callF + "b</tool_call>"},
	{Name: "unclosed values with text between", Body: callF + "b</tool_call> and "},
	{Name: "unclosed in thoughts", Body: "<think>" + callF + "b</think>"},
	{Name: "names in a value", Lead: callF + "</tool_call>", Body: "<tool_call>f"},
	{Name: "key", Lead: "<tool_call>f<arg_key>", Body: "key "},
	{Name: "closers behind a key", Lead: "<tool_call>f<arg_key>a", Body: "</arg_key>"},
	{Name: "names without their opener", Body: "f f\n g"},
}

func BenchmarkText(b *testing.B) { bench.Doubling(b, &Module, "glm", append(streams, others...)) }

func TestPushAllocatesNothing(t *testing.T) { bench.AllocatesNothing(t, &Module, "glm", streams) }
