package pythonic

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

// What is certain is said at once, and nothing else.
func TestEager(t *testing.T) {
	sdktest.Eager(t, &Module, "pythonic",
		[]sdktest.Step{
			{`a [f`, `a `},
			{`(a=1`, ``},
			{`)]`, `[f][a][1]end`},
			{` `, ``},
			{`b`, ` b`},
		},
		[]sdktest.Step{
			{`[x`, ``},
			{`]`, `[x]`},
		},
		[]sdktest.Step{
			{`[1`, `[1`},
		},
	)
}
