package scan_test

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// broken is where a value ends that is no JSON, read byte by byte; -1 if it does
// not.
func broken(text string) int {
	var j scan.JSON
	at, status := 0, scan.More
	for at < len(text) && status == scan.More {
		var n int
		n, status = j.Scan([]byte(text[at : at+1]))
		at += n
	}
	k := j.Brackets()
	for ; at < len(text); at++ {
		if n, done := k.Scan([]byte(text[at : at+1])); done {
			return at + n
		}
	}
	return -1
}

func TestBrackets(t *testing.T) {
	for _, c := range []struct {
		text string
		end  int
	}{
		{`{"a": 1,} x`, 9},
		{`{'a': {}} x`, 9},
		{`{"a": [1 2]} x`, 12},
		{`{"a": "\d}"} x`, 12},    // broken in a string, which goes on
		{`{"a": "\u12x}"} x`, 15}, // the same
		{`{a: "}", b: "\"}"} x`, 18},
		{`{"a": tru} x`, 10},
		{`nul x`, -1},
		{`[1] 2`, -1}, // not broken: nothing is open
		{`{a "x} y`, -1},
		{"{a\n \n}", 4},     // an empty line
		{"{a \"\n\n\"}", 8}, // is none in a string
	} {
		if got := broken(c.text); got != c.end {
			t.Errorf("%q ends at %d, want %d", c.text, got, c.end)
		}
	}
}
