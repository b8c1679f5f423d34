package pythonic

import (
	"fmt"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
)

// streams are long runs of one kind each: what leads to it, and what repeats.
var streams = []struct {
	name, lead, body string
	held             bool // what is held grows a buffer
}{
	{name: "prose", lead: ``, body: `The quick brown fox jumps over the lazy dog [1], and so on. `},
	{name: "calls", lead: ``, body: `[f(a=1, b='x', c=[1, 2]), f()]`},
	{name: "held list", lead: `[f(a='x'), `, body: `f(a=1, b='x', c=[1, 2]), `, held: true},
	{name: "held string", lead: `[f(a='`, body: `some more text [b] and (b) so on. `, held: true},
}

const chunk = 16

func begin(lead string) (*sdk.Session, uint32) {
	s, _ := sdk.Open(&Module, &abi.Session{Parser: "pythonic", Tools: []string{"f"}, Flags: abi.OpenParallel})
	s.Push(0, 0, []byte(lead))
	return s, uint32(len(lead))
}

// BenchmarkStream reads whole texts in pushes of 16 bytes: the time of a byte must
// not grow with the text.
func BenchmarkStream(b *testing.B) {
	for _, c := range streams {
		for size := 64 << 10; size <= 128<<10; size *= 2 {
			text := []byte(strings.Repeat(c.body, size/len(c.body)+1)[:size])
			b.Run(fmt.Sprintf("%s/%dKiB", c.name, size>>10), func(b *testing.B) {
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					s, off := begin(c.lead)
					for at := 0; at < len(text); at += chunk {
						s.Push(off, 0, text[at:at+chunk])
						off += chunk
					}
					s.Finish(off, abi.FinishLength)
				}
			})
		}
	}
}

// Once its buffers have grown, a session allocates nothing.
func TestPushAllocatesNothing(t *testing.T) {
	for _, c := range streams {
		if c.held {
			continue
		}
		s, off := begin(c.lead)
		text := []byte(strings.Repeat(c.body, 4096/len(c.body)+1))
		at := 0
		push := func() {
			if at+chunk > len(text) {
				at = 0
			}
			s.Push(off, 0, text[at:at+chunk])
			at, off = at+chunk, off+chunk
		}
		for range 600 {
			push()
		}
		if n := testing.AllocsPerRun(1000, push); n != 0 {
			t.Errorf("%s: %v allocations a push", c.name, n)
		}
	}
}
