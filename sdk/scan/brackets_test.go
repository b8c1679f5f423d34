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
		name string
		text string
		end  int
	}{
		{"comma at the end", `{"a": 1,} x`, 9},
		{"wrong quotes", `{'a': {}} x`, 9},
		{"brackets in single quotation marks", `{'a': '}', b: ['{'], 'c': '\'}'} x`, 32},
		{"apostrophe in a word", `{a: it's, b: {}} x`, 16},
		{"broken in a list", `{"a": [1 2]} x`, 12},
		{"unknown escape, in a string that goes on", `{"a": "\d}"} x`, 12},
		{"short escape, in a string that goes on", `{"a": "\u12x}"} x`, 15},
		{"brackets in strings", `{a: "}", b: "\"}"} x`, 18},
		{"broken literal in an object", `{"a": tru} x`, 10},
		{"broken literal alone", `nul x`, -1},
		{"nothing is open", `[1] 2`, -1},
		{"open string", `{a "x} y`, -1},
		{"empty line", "{a\n \n}", 4},
		{"empty line in a string", "{a \"\n\n\"}", 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := broken(c.text); got != c.end {
				t.Errorf("%q ends at %d, want %d", c.text, got, c.end)
			}
		})
	}
}
