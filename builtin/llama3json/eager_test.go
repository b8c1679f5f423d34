package llama3json

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

// What is certain is said at once, and nothing else.
func TestEager(t *testing.T) {
	sdktest.Eager(t, &Module, "llama3_json",
		[]sdktest.Step{
			{`{"na`, ``},
			{`me": "f", "parameters": {`, ``},
			{`"a": 1`, ``}, // the first argument is not whole
			{`, "b": "x`, `[f][{"a": 1, "b": "x]`},
			{`"}`, `["}]`},
			{`}`, `end`},
			{`;`, ``},
			{` x`, `; x`},
		},
		[]sdktest.Step{
			{`{"summary": `, `{"summary": `},
			{`"x`, `"x`},
		},
		[]sdktest.Step{
			{`{"name": "Oslo", "pop`, ``},
			{`ulation": `, `{"name": "Oslo", "population": `},
		},
		[]sdktest.Step{
			{`a {"parameters": {"a": 1},`, `a `},
			{` "name": "f"`, `[f][{"a": 1}]`},
			{`} b`, `end b`},
		},
		[]sdktest.Step{
			{`a {"name": "g"`, `a {"name": "g"`},
		},
	)
}
