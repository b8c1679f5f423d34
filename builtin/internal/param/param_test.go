package param

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

func TestContinues(t *testing.T) {
	next := scan.NewSet("<key>", "</call>")
	for _, c := range []struct {
		name, behind string
		final        bool
		want         scan.Verdict
	}{
		{"the next key", "\n <key>a", false, scan.Yes},
		{"the call's end", "</call>", false, scan.Yes},
		{"other text", " && mv", false, scan.No},
		{"nothing yet", " ", false, scan.Wait},
		{"half a marker", "\n</ca", false, scan.Wait},
		{"half a marker at the end of the text", "\n</ca", true, scan.Yes},
		{"the end of the text", "", true, scan.Yes},
		{"other text at the end", "</cab", true, scan.No},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Continues([]byte(c.behind), next, c.final); got != c.want {
				t.Errorf("%q, final %v: %v, want %v", c.behind, c.final, got, c.want)
			}
		})
	}
}

func TestDeclared(t *testing.T) {
	d := In(&abi.OpenBlock{
		Tools:   []string{"f", "g"},
		Schemas: []abi.Schema{{Tool: 1, JSON: `{"type":"object","properties":{"a":{"type":"string"},"b":{}}}`}},
	})
	awaits := func(key string, want bool) {
		t.Helper()
		if d.Awaits([]byte(key)) != want {
			t.Errorf("awaits %q: %v", key, !want)
		}
	}
	d.Start([]byte("g"))
	awaits("a", true)
	d.Give([]byte("a"))
	awaits("a", false)
	awaits("b", true)
	awaits("c", false)
	d.Start([]byte("f"))
	awaits("b", false)
	d.Start([]byte("g"))
	awaits("a", true)
}
