package mistral

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/builtin/internal/bench"
)

var streams = []bench.Stream{
	{Name: "prose", Body: `The quick brown fox jumps over the lazy dog [1], and so on. `},
	{Name: "thought", Lead: `[THINK]`, Body: `First I look at the disk, then at the memory. `},
	{Name: "arguments", Lead: `[TOOL_CALLS]f[ARGS]{"a": "`, Body: `if (a[1] < b) {\n\treturn \"x\";\n}\n`},
	{Name: "array", Lead: `[TOOL_CALLS] [{"id": "123456789", "name": "f", "arguments": {"a": "`, Body: `if (a[1] < b) {\n\treturn \"x\";\n}\n`},
	{Name: "calls", Body: `[TOOL_CALLS]f[ARGS]{"a": [1, 2]}`},
	{Name: "array of calls", Lead: `[TOOL_CALLS] [`, Body: `{"name": "f", "arguments": {"a": 1}, "id": "123456789"}, `},
}

func BenchmarkText(b *testing.B) {
	bench.Doubling(b, &Module, "mistral", streams)
}

func TestPushAllocatesNothing(t *testing.T) {
	bench.AllocatesNothing(t, &Module, "mistral", streams)
}
