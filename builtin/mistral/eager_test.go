package mistral

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

// What is certain is said at once, and nothing else.
func TestEager(t *testing.T) {
	sdktest.Eager(t, &Module, "mistral",
		[]sdktest.Step{
			{`ok [TOOL`, `ok `},
			{`_CALLS]f`, ``},
			{`[ARGS]`, `[f]`},
			{` {"a": "b`, `[{"a": "b]`},
			{`c[T`, `[c]`},
			{`ODO]"}`, `[[TODO]"}]end`},
			{` [x`, ` [x`},
		},
		[]sdktest.Step{
			{`[TOOL_CALLS]f[CALL_ID]`, `[f]`},
			{`123456789`, ``},
			{`[ARGS]{`, `[123456789][{]`},
		},
		[]sdktest.Step{
			{`[TOOL_CALLS] [{"id": "1", "name": "f", "arguments": {"a": 1`, `[f][1][{"a": 1]`},
			{`}}`, `[}]end`},
			{`, {"name": "f", "arguments": {"a": 1}`, ``},
			{`, "id": "2"`, `[f][2][{"a": 1}]`},
			{`}]`, `end`},
			{` `, ``},
			{`x`, ` x`},
		},
	)
}
