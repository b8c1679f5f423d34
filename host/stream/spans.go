package stream

import "github.com/turnkey-parsers/turnkey/host/framing"

// spans maps offsets of the text without reasoning back to the raw text.
type spans struct {
	list []span
	next uint32 // length of the text without reasoning
}

// span is a run of raw text that went on: it begins at from in the text without
// reasoning, and at raw in the raw text.
type span struct{ from, raw uint32 }

func (s *spans) add(start, end uint32) {
	if n := len(s.list); n == 0 || s.list[n-1].raw+(s.next-s.list[n-1].from) != start {
		s.list = append(s.list, span{from: s.next, raw: start})
	}
	s.next += end - start
}

// raw maps the offsets of deltas.
func (s *spans) raw(deltas []framing.Delta) {
	if len(s.list) == 0 {
		return
	}
	for i := range deltas {
		d := &deltas[i]
		if d.Start == d.End {
			continue
		}
		d.Start, d.End = s.at(d.Start), s.at(d.End-1)+1
	}
}

func (s *spans) at(off uint32) uint32 {
	i := len(s.list) - 1
	for i > 0 && s.list[i].from > off {
		i--
	}
	return s.list[i].raw + off - s.list[i].from
}
