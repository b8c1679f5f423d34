package minimax

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/builtin/internal/bench"
)

const (
	m2F = "<minimax:tool_call>\n<invoke name=\"f\">\n"
	m2A = `<parameter name="a">`
	m3F = invoke + `"f">`
	m3A = element + "a>"
)

var m2Streams = []bench.Stream{
	{Name: "prose", Body: "The quick brown fox jumps over the lazy dog, again and again.\n\n"},
	{Name: "string", Lead: m2F + m2A, Body: "package main\n\nfunc main() {\n}\n", Tail: "</parameter></invoke>"},
	{Name: "parameters", Lead: m2F, Body: m2A + "b</parameter>", Tail: "</invoke>"},
	{Name: "calls", Body: m2F + m2A + "b</parameter></invoke></minimax:tool_call>"},
}

var m3Streams = []bench.Stream{
	{Name: "prose", Body: "The quick brown fox jumps over the lazy dog [1], again and again.\n\n"},
	{Name: "thought", Lead: think, Body: "So first I look at the file, and then at its tests. "},
	{Name: "string", Lead: blockOpen + m3F + m3A, Body: "package main\n\nfunc main() {\n}\n", Tail: element + "/a>" + invokeClose},
}

var m3Others = []bench.Stream{
	{Name: "parameters", Lead: blockOpen + m3F, Body: m3A + "b" + element + "/a>", Tail: invokeClose},
	{Name: "calls", Body: blockOpen + m3F + m3A + "b" + element + "/a>" + invokeClose + blockClose},
	{Name: "items", Lead: blockOpen + m3F + m3A, Body: element + "item>b" + element + "/item>", Tail: element + "/a>" + invokeClose},
	{Name: "members of many", Lead: blockOpen + m3F + m3A, Body: element + "k>" + element + "l>b" + element + "/l>" + element + "/k>", Tail: element + "/a>" + invokeClose},
	{Name: "unclosed elements", Lead: blockOpen + m3F + m3A, Body: element + "k>", Tail: invokeClose},
	{Name: "unclosed leaves", Lead: blockOpen, Body: m3F + m3A + "b" + invokeClose},
	{Name: "white space", Lead: blockOpen + m3F + m3A, Body: "                "},
}

func BenchmarkM2(b *testing.B) { bench.Doubling(b, &Module, "minimax_m2", m2Streams) }

func BenchmarkM3(b *testing.B) {
	bench.Doubling(b, &Module, "minimax_m3", append(m3Streams, m3Others...))
}

func TestPushAllocatesNothing(t *testing.T) {
	bench.AllocatesNothing(t, &Module, "minimax_m2", m2Streams)
	bench.AllocatesNothing(t, &Module, "minimax_m3", m3Streams)
}
