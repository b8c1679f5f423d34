package stream

import (
	"slices"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/parse"
)

// When a thought leaves that may hold a call of another family: at once up to a marker, or
// what may begin one; all of it where it is longer than may be held.
func TestWhenAThoughtLeaves(t *testing.T) {
	for _, c := range []struct {
		name  string
		steps [][2]string // what is pushed, and what leaves with it
		end   string
	}{
		{"no marker", [][2]string{{"a", "a"}, {" b", " b"}}, ""},
		{"half a marker that becomes none", [][2]string{{"a<ca", "a"}, {"t>", "<cat>"}, {"b", "b"}}, ""},
		{"half a marker at the end", [][2]string{{"a<ca", "a"}}, "<ca"},
		{"a marker", [][2]string{{"a<call>b", "a"}, {"c", ""}}, "<call>bc"},
		{"a marker in pieces", [][2]string{{"a<ca", "a"}, {"ll>", ""}, {"c", ""}}, "<call>c"},
		{"the first of two markers", [][2]string{{"a[b<call>", "a"}}, "[b<call>"},
		{"more than may be held", [][2]string{{"a<call>", "a"}, {"0123456789", ""}, {"0123", "<call>01234567890123"}, {"b", "b"}, {"<call>", ""}}, "<call>"},
		{"half a marker, then more than may be held", [][2]string{{"<ca", ""}, {"0123456789012345678", "<ca0123456789012345678"}, {"ll>", "ll>"}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			tail := thoughtTail{markers: []string{"<call>", "["}, room: 18}
			var at, left abi.RawOffset
			text := func(events []parse.CheckedEvent) (s string) {
				for _, e := range events {
					if e.Start != left || e.End-e.Start != abi.RawOffset(len(e.Data)) {
						t.Errorf("%q at %d-%d behind %d", e.Data, e.Start, e.End, left)
					}
					left = e.End
					s += string(e.Data)
				}
				return s
			}
			var got [][2]string
			for _, s := range c.steps {
				memory := []byte(s[0])
				e := parse.CheckedEvent{Kind: abi.Reasoning, Data: memory, Start: at, End: at + abi.RawOffset(len(memory))}
				at = e.End
				out := text(tail.push(&e))
				got = append(got, [2]string{s[0], out})
				clear(memory) // the parser's, valid until the next push
			}
			if end := text(tail.flush()); !slices.Equal(got, c.steps) || end != c.end {
				t.Errorf("got  %q, end %q\nwant %q, end %q", got, end, c.steps, c.end)
			}
		})
	}
}
