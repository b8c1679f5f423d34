package deepseekv4

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/builtin/internal/bench"
)

const (
	open   = "<｜DSML｜tool_calls>"
	closed = "</｜DSML｜parameter></｜DSML｜invoke>"
)

var streams = []bench.Stream{
	{Name: "prose", Body: "The quick brown fox jumps over the lazy dog, again and again.\n\n"},
	{Name: "thought", Lead: "<think>", Body: "So first I look at the file, and then at its tests. "},
	{Name: "string", Lead: open + header + param, Body: "package main\n\nfunc main() {\n}\n", Tail: closed},
	{Name: "JSON string", Lead: open + header + `{"a":"`, Body: `package main\n\nfunc main() {\n}\n`, Tail: `"}</｜DSML｜invoke>`},
	{Name: "parameters", Lead: open + header, Body: param + "b</｜DSML｜parameter>", Tail: "</｜DSML｜invoke>"},
	{Name: "calls", Lead: open, Body: header + param + "b" + closed},
}

var held = []bench.Stream{
	{Name: "closer in a string", Lead: open + header + param + "</｜DSML｜invoke>", Body: "some more text and so on "},
	{Name: "unclosed values", Lead: open, Body: header + param + "b</｜DSML｜invoke>"},
	{Name: "unclosed in a thought", Body: "<think>" + open + header + param + "b</think>"},
	{Name: "name", Lead: open + `<｜DSML｜invoke name="`, Body: "some more text and so on "},
}

func BenchmarkText(b *testing.B) {
	bench.Doubling(b, &Module, "deepseek_v4", append(streams, held...))
}

func TestPushAllocatesNothing(t *testing.T) {
	bench.AllocatesNothing(t, &Module, "deepseek_v4", streams)
}
