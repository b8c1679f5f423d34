package deepseekv41

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/builtin/internal/bench"
)

const (
	open       = "<｜DSML｜ calls>"
	closer     = "</｜DSML｜ parameter>"
	callCloser = "</｜DSML｜ invoke>"
	quoted     = open + header + param + "v" + closer + callCloser + "</｜DSML｜ calls>"
)

var streams = []bench.Stream{
	{Name: "prose", Body: "The quick brown fox jumps over the lazy dog, again and again.\n\n"},
	{Name: "thought", Lead: "<think>", Body: "So first I look at the file, and then at its tests. "},
	{Name: "string", Lead: open + header + param, Body: "package main\n\nfunc main() {\n}\n", Tail: closer + callCloser},
	{Name: "JSON string", Lead: open + header + `{"a":"`, Body: `package main\n\nfunc main() {\n}\n`, Tail: `"}` + callCloser},
	{Name: "calls", Lead: open, Body: header + param + "b" + closer + callCloser},
}

var held = []bench.Stream{
	{Name: "second string", Lead: open + header + param + "x" + closer + `<｜DSML｜ parameter name="b" string="true">`, Body: "package main\n\nfunc main() {\n}\n", Tail: closer + callCloser},
	{Name: "same keys", Lead: open + header, Body: param + "b" + closer, Tail: callCloser},
	{Name: "quoted closers", Lead: open + header + param, Body: "a" + closer, Tail: callCloser},
	{Name: "quoted calls", Lead: open + header + param, Body: quoted, Tail: closer + callCloser},
	{Name: "calls that quote", Lead: open, Body: header + param + quoted + closer + callCloser},
	{Name: "calls that quote an opener", Lead: open, Body: header + param + param + closer + callCloser},
	{Name: "openers", Lead: open + header, Body: param},
	{Name: "unclosed values", Lead: open, Body: header + param + "b" + callCloser},
	{Name: "unclosed in a thought", Body: "<think>" + open + header + param + "b</think>"},
	{Name: "stranded", Lead: open + header + param + param + closer + callCloser, Body: closer + callCloser},
}

func BenchmarkText(b *testing.B) {
	bench.Doubling(b, &Module, "deepseek_v41", append(streams, held...))
}

func TestPushAllocatesNothing(t *testing.T) {
	bench.AllocatesNothing(t, &Module, "deepseek_v41", streams)
}
