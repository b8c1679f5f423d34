package kimik3

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/builtin/internal/bench"
)

const (
	tools   = "<|open|>tools<|sep|>"
	callF   = `<|open|>call tool="f" index="1"<|sep|>`
	stringA = `<|open|>argument key="a" type="string"<|sep|>`
	arrayA  = `<|open|>argument key="a" type="array"<|sep|>`
	endArg  = "<|close|>argument<|sep|>"
	endCall = "<|close|>call<|sep|>"
)

var streams = []bench.Stream{
	{Name: "prose", Lead: "<|open|>response<|sep|>", Body: "The quick brown fox jumps over the lazy dog, again and again.\n\n"},
	{Name: "thought", Lead: "<|open|>think<|sep|>", Body: "So first I look at the file, and then at its tests. "},
	{Name: "string", Lead: tools + callF + stringA, Body: "package main\n\nfunc main() {\n}\n", Tail: endArg + endCall},
	{Name: "array", Lead: tools + callF + arrayA + `["`, Body: `package main\n\nfunc main() {\n}\n`, Tail: `"]` + endArg + endCall},
	{Name: "json block", Lead: tools + callF + `<|open|>json type="object"<|sep|>{"a":"`, Body: `package main\n\nfunc main() {\n}\n`, Tail: `"}<|close|>json<|sep|>` + endCall},
	{Name: "junk", Lead: tools, Body: "nothing < that > was asked for. "},
}

var others = []bench.Stream{
	{Name: "calls", Lead: tools, Body: callF + stringA + "b" + endArg + endCall},
	{Name: "arguments", Lead: tools + callF, Body: stringA + "b" + endArg},
	{Name: "closers in a string", Lead: tools + callF + stringA, Body: "a" + endArg + "b" + endArg + endCall + "c "},
	{Name: "bare calls in a thought", Lead: "<|open|>think<|sep|>", Body: callF + stringA + "b" + endArg + endCall + "so ", Tail: "<|close|>think<|sep|>"},
	{Name: "calls that the end settles", Lead: tools, Body: callF + stringA + "b" + endArg + endCall + "x "},
	{Name: "open JSON strings", Lead: tools, Body: callF + arrayA + `["b` + endArg + endCall},
	{Name: "cut json blocks", Lead: tools, Body: callF + `<|open|>json type="object"<|sep|>{"a":"b`},
	{Name: "header", Lead: tools, Body: `<|open|>call tool="`},
	{Name: "white space", Lead: tools + callF, Body: "                "},
	{Name: "quoted", Lead: `say "`, Body: tools + " or "},
}

func BenchmarkText(b *testing.B) { bench.Doubling(b, &Module, "kimi_k3", append(streams, others...)) }

func TestPushAllocatesNothing(t *testing.T) { bench.AllocatesNothing(t, &Module, "kimi_k3", streams) }
