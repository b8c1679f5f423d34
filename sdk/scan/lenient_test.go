package scan_test

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

func TestLenient(t *testing.T) {
	for _, c := range []struct {
		name, text string
		end        int // where it is whole; -1 if it is not, and not yet
		bad        bool
	}{
		{"JSON", `{"a": [1, {}]} x`, 14, false},
		{"comma before the object's end", `{"a":1, } x`, 9, false},
		{"commas in an array", `[,1,,2,] x`, 8, false},
		{"comma behind the opener", `{,"a":1} x`, 8, false},
		{"Python's words", `{"a":True,"b":[False,None]} x`, 27, false},
		{"brackets in single marks", `{'a': '}', 'b': ['{']} x`, 22, false},
		{"marks in marks", `{'a"': 'say "}"', "b": "it's}"} x`, 31, false},
		{"Python's escapes", `['\'}', '\x41\d', '\\'] x`, 23, false},
		{"another word", `{"a": Trues}`, 10, true},
		{"a bare word", `{"a": yes}`, 6, true},
		{"two values", `[1 2]`, 3, true},
		{"comma behind a colon", `{"a":,}`, 5, true},
		{"closer behind a colon", `{"a":}`, 5, true},
		{"closer of the other kind", `{"a":1,]`, 7, true},
		{"cut", `{'a': 'b`, -1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := scan.JSON{Lenient: true}
			for i := range c.text {
				n, s := j.Scan([]byte(c.text[i : i+1]))
				if s == scan.More {
					continue
				}
				if i+n != c.end || (s == scan.Bad) != c.bad {
					t.Fatalf("%q: status %d at %d, want end %d, bad %v", c.text, s, i+n, c.end, c.bad)
				}
				return
			}
			if c.end >= 0 {
				t.Fatalf("%q: not whole", c.text)
			}
		})
	}
	strict := scan.JSON{}
	if _, s := strict.Scan([]byte(`{'a'`)); s != scan.Bad {
		t.Error("single quotation marks are JSON")
	}
}
