package llama3json

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/builtin/internal/bench"
)

var streams = []bench.Stream{
	{Name: "prose", Body: `The quick brown fox jumps over the lazy dog, and so on. `},
	{Name: "braces", Body: `Take {x} and {y: 1}, then go on. `},
	{Name: "answer", Lead: `{"summary": "`, Body: `It rained {a lot} in the west.\n`},
	{Name: "arguments", Lead: `{"name": "f", "parameters": {"a": "`, Body: `if (a[1] < b) {\n\treturn \"x\";\n}\n`},
	{Name: "calls", Body: `{"name": "f", "parameters": {"a": 1}}; `},
}

func BenchmarkText(b *testing.B) {
	bench.Doubling(b, &Module, "llama3_json", streams)
}

func TestPushAllocatesNothing(t *testing.T) {
	bench.AllocatesNothing(t, &Module, "llama3_json", streams)
}
