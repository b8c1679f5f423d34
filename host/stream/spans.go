package stream

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/framing"
)

// VisibleOffset is an offset into the text of a choice without its reasoning, in
// bytes.
type VisibleOffset uint32

// spans maps offsets of the text without reasoning back to the raw text.
type spans struct {
	list []span
	next VisibleOffset // length of the text without reasoning
}

// span is a run of raw text that went on: it begins at from in the text without
// reasoning, and at raw in the raw text.
type span struct {
	from VisibleOffset
	raw  abi.RawOffset
}

func (s *spans) add(start, end abi.RawOffset) {
	if n := len(s.list); n == 0 || s.list[n-1].raw+abi.RawOffset(s.next-s.list[n-1].from) != start {
		s.list = append(s.list, span{from: s.next, raw: start})
	}
	s.next += VisibleOffset(end - start)
}

// raw maps the offsets of deltas, which count the visible text so far.
func (s *spans) raw(deltas []framing.Delta) {
	if len(s.list) == 0 {
		return
	}
	for i := range deltas {
		d := &deltas[i]
		if d.Start == d.End {
			continue
		}
		d.Start, d.End = s.at(VisibleOffset(d.Start)), s.at(VisibleOffset(d.End-1))+1
	}
}

// at gives the place in the raw text of a byte of the visible text.
func (s *spans) at(off VisibleOffset) abi.RawOffset {
	i := len(s.list) - 1
	for i > 0 && s.list[i].from > off {
		i--
	}
	return s.list[i].raw + abi.RawOffset(off-s.list[i].from)
}
