// Package bench measures parsers in tests: the time that a text takes must grow
// with its length and not faster, and a push must allocate nothing.
package bench

import (
	"fmt"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
)

// Stream is a long text: what leads to it, what repeats, and what ends it.
type Stream struct{ Name, Lead, Body, Tail string }

// chunk is the size of a push in bytes, about that of 4 tokens.
const chunk = 16

// Doubling times whole texts of 64, 128 and 256 KiB, in pushes of 16 bytes, of a
// parser that is offered the tools f and g. Linear time shows as an even MB/s.
func Doubling(b *testing.B, m *sdk.Module, parser string, streams []Stream) {
	for _, s := range streams {
		for size := 64 << 10; size <= 256<<10; size *= 2 {
			text := []byte(s.Lead + strings.Repeat(s.Body, size/len(s.Body)) + s.Tail)
			b.Run(fmt.Sprintf("%s/%dKiB", s.Name, size>>10), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					session := open(m, parser)
					for at := 0; at < len(text); at += chunk {
						session.Push(abi.RawOffset(at), 0, text[at:min(at+chunk, len(text))])
					}
					session.Finish(abi.RawOffset(len(text)), abi.FinishUnknown)
				}
			})
		}
	}
}

// Growing times one push of 16 bytes of a stream's body, behind its lead, in texts of
// growing length: the time of a push must not grow with the text.
func Growing(b *testing.B, m *sdk.Module, parser string, streams []Stream) {
	for _, c := range streams {
		for size := 64 << 10; size <= 256<<10; size *= 2 {
			text := []byte(strings.Repeat(c.Body, size/len(c.Body)+1)[:size])
			b.Run(fmt.Sprintf("%s/%dKiB", c.Name, size>>10), func(b *testing.B) {
				b.ReportAllocs()
				var s *sdk.Session
				var off abi.RawOffset
				at := len(text)
				for b.Loop() {
					if at == len(text) {
						b.StopTimer()
						s = open(m, parser)
						s.Push(0, 0, []byte(c.Lead))
						at, off = 0, abi.RawOffset(len(c.Lead))
						b.StartTimer()
					}
					s.Push(off, 0, text[at:at+chunk])
					at, off = at+chunk, off+chunk
				}
			})
		}
	}
}

// AllocatesNothing checks that pushes of a stream's body, behind its lead,
// allocate nothing once the buffers have grown.
func AllocatesNothing(t *testing.T, m *sdk.Module, parser string, streams []Stream) {
	t.Helper()
	for _, s := range streams {
		text := []byte(strings.Repeat(s.Body, 4096/len(s.Body)+1))
		session := open(m, parser)
		session.Push(0, 0, []byte(s.Lead))
		off, at := abi.RawOffset(len(s.Lead)), 0
		push := func() {
			if at+chunk > len(text) {
				at = 0
			}
			session.Push(off, 0, text[at:at+chunk])
			at, off = at+chunk, off+chunk
		}
		for range 600 {
			push()
		}
		if n := testing.AllocsPerRun(1000, push); n != 0 {
			t.Errorf("%s: %v allocations a push", s.Name, n)
		}
	}
}

func open(m *sdk.Module, parser string) *sdk.Session {
	s, _ := sdk.Open(m, &abi.OpenBlock{Parser: parser, Tools: []string{"f", "g"}, Flags: abi.OpenParallel | abi.OpenReasoning})
	return s
}
