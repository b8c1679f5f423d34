package deepseekv3

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/builtin/internal/bench"
)

const (
	v3Head  = sectionBegin + callBegin + kind + separator + "f\n" + fence + "json\n{\"a\":\""
	v31Head = sectionBegin + callBegin + "f" + separator + `{"a":"`
)

var streams = []bench.Stream{
	{Name: "prose", Body: "The quick brown fox jumps over the lazy dog, again and again. "},
	{Name: "thought", Lead: think, Body: "So first I look at the file, and then at its tests. "},
	{Name: "V3 string", Lead: v3Head, Body: `package main\n\nfunc main() {\n}\n`, Tail: "\"}\n" + fence + callEnd + sectionEnd},
	{Name: "V3.1 string", Lead: v31Head, Body: `package main\n\nfunc main() {\n}\n`, Tail: `"}` + callEnd + sectionEnd},
	{Name: "calls", Body: v31Head + `b"}` + callEnd + sectionEnd},
}

var held = []bench.Stream{
	{Name: "closer in a string", Lead: v31Head + callEnd, Body: "some more text and so on "},
	{Name: "head", Lead: sectionBegin + callBegin, Body: "some more text and so on "},
	{Name: "broken", Lead: sectionBegin, Body: callBegin + "f" + separator + `{"a":` + callEnd},
}

func BenchmarkText(b *testing.B) {
	bench.Doubling(b, &Module, "deepseek_v3", append(streams, held...))
}

func TestPushAllocatesNothing(t *testing.T) {
	bench.AllocatesNothing(t, &Module, "deepseek_v3", streams)
}
