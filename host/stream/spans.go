package stream

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/framing"
	"github.com/turnkey-parsers/turnkey/host/parse"
)

// VisibleOffset counts the bytes of a choice's text and reasoning without what the parser
// of reasoning took out: what the parser of calls reads behind it.
type VisibleOffset uint32

// visibleSpans maps offsets of what the parser of calls reads back to the raw text, and
// to the channel that the parser of reasoning found there.
type visibleSpans struct {
	list []visibleSpan
	next VisibleOffset // length of what the parser of calls was given
}

// visibleSpan is a piece of raw text that reached the parser of calls: where it
// begins in what that parser reads, and where in the raw text.
type visibleSpan struct {
	visible VisibleOffset
	raw     abi.RawOffset
	kind    abi.Kind // abi.Text or abi.Reasoning
	flags   uint8    // of the event that it came with
}

// append adds the text of an event.
func (s *visibleSpans) append(e *parse.CheckedEvent) {
	flags := e.Flags & abi.FlagNewBlock
	if n := len(s.list); n == 0 || flags != 0 || s.list[n-1].kind != e.Kind || s.list[n-1].raw+abi.RawOffset(s.next-s.list[n-1].visible) != e.Start {
		s.list = append(s.list, visibleSpan{visible: s.next, raw: e.Start, kind: e.Kind, flags: flags})
	}
	s.next += VisibleOffset(e.End - e.Start)
}

// appendInChannels appends events of the parser of calls, their text in the channel in
// which it stands.
func (s *visibleSpans) appendInChannels(dst, events []parse.CheckedEvent) []parse.CheckedEvent {
	for _, e := range events {
		if e.Kind != abi.Text || len(s.list) == 0 {
			dst = append(dst, e)
			continue
		}
		for i := s.indexOf(VisibleOffset(e.Start)); len(e.Data) > 0; i++ {
			part := e
			part.Kind = s.list[i].kind
			if VisibleOffset(e.Start) == s.list[i].visible {
				part.Flags |= s.list[i].flags
			}
			if i+1 < len(s.list) {
				part.End = min(part.End, abi.RawOffset(s.list[i+1].visible))
			}
			n := part.End - part.Start
			part.Data = e.Data[:n]
			e.Data, e.Start = e.Data[n:], part.End
			dst = append(dst, part)
		}
	}
	return dst
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
	span := &s.list[s.indexOf(at)]
	return span.raw + abi.RawOffset(at-span.visible)
}

// indexOf is the place of the span in which a byte stands.
func (s *visibleSpans) indexOf(at VisibleOffset) int {
	i := len(s.list) - 1
	for i > 0 && s.list[i].visible > at {
		i--
	}
	return i
}
