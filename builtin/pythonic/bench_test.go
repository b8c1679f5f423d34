package pythonic

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/builtin/internal/bench"
)

var streams = []bench.Stream{
	{Name: "prose", Body: `The quick brown fox jumps over the lazy dog [1], and so on. `},
	{Name: "calls", Body: `[f(a=1, b='x', c=[1, 2]), f()]`},
}

var held = []bench.Stream{
	{Name: "held list", Lead: `[f(a='x'), `, Body: `f(a=1, b='x', c=[1, 2]), `},
	{Name: "held string", Lead: `[f(a='`, Body: `some more text [b] and (b) so on. `},
}

func BenchmarkText(b *testing.B) {
	bench.Doubling(b, &Module, "pythonic", append(streams, held...))
}

func TestPushAllocatesNothing(t *testing.T) {
	bench.AllocatesNothing(t, &Module, "pythonic", streams)
}
