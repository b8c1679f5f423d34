package pythonic

import (
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
)

// What is certain is said at once, and nothing else.
func TestEager(t *testing.T) {
	type step struct{ push, want string }
	for _, steps := range [][]step{
		{
			{`a [f`, `a `},
			{`(a=1`, ``},
			{`)]`, `[f][a][1]end`},
			{` `, ``},
			{`b`, ` b`},
		},
		{
			{`[x`, ``},
			{`]`, `[x]`},
		},
		{
			{`[1`, `[1`},
		},
	} {
		s, _ := sdk.Open(&Module, &abi.Session{Parser: "pythonic", Tools: []string{"f"}, Flags: abi.OpenParallel})
		text := ""
		for _, c := range steps {
			off := len(text)
			text += c.push
			var said strings.Builder
			for _, e := range s.Push(uint32(off), 0, []byte(c.push)).Events {
				switch e.Kind {
				case abi.Call, abi.CallID, abi.Key, abi.Args, abi.Value:
					said.WriteString("[" + text[e.Start:e.Start+e.Len] + "]")
				case abi.Text, abi.Reasoning:
					said.WriteString(text[e.Start : e.Start+e.Len])
				case abi.CallEnd:
					said.WriteString("end")
				}
			}
			if said.String() != c.want {
				t.Errorf("%q says %q, want %q", text, said.String(), c.want)
			}
		}
	}
}
