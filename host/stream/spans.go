package stream

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/framing"
)

// VisibleOffset counts the bytes of a choice's text without its reasoning: what the
// parser of calls reads behind a parser of reasoning.
type VisibleOffset uint32

// visibleSpans maps offsets of the text without reasoning back to the raw text.
type visibleSpans struct {
	list []visibleSpan
	next VisibleOffset // length of the text without reasoning
}

// visibleSpan is a piece of raw text that reached the parser of calls: where it
// begins in the text without reasoning, and where in the raw text.
type visibleSpan struct {
	visible VisibleOffset
	raw     abi.RawOffset
}

// append adds the piece of raw text from start to end.
func (s *visibleSpans) append(start, end abi.RawOffset) {
	if n := len(s.list); n == 0 || s.list[n-1].raw+abi.RawOffset(s.next-s.list[n-1].visible) != start {
		s.list = append(s.list, visibleSpan{visible: s.next, raw: start})
	}
	s.next += VisibleOffset(end - start)
}

// toRaw maps the offsets of deltas, which come from a session that was pushed the
// visible text alone.
func (s *visibleSpans) toRaw(deltas []framing.Delta) {
	if len(s.list) == 0 {
		return
	}
	for i := range deltas {
		d := &deltas[i]
		if d.Start == d.End {
			continue
		}
		d.Start, d.End = s.rawOffset(VisibleOffset(d.Start)), s.rawOffset(VisibleOffset(d.End-1))+1
	}
}

func (s *visibleSpans) rawOffset(at VisibleOffset) abi.RawOffset {
	i := len(s.list) - 1
	for i > 0 && s.list[i].visible > at {
		i--
	}
	return s.list[i].raw + abi.RawOffset(at-s.list[i].visible)
}
