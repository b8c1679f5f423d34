package guided

import "github.com/turnkey-parsers/turnkey/abi"

// valueOffset is an offset into the value that is being read: into the payload alone,
// without what the parser left out of it.
type valueOffset int

// payload is what came of a value and was not delivered, with the way back to the
// raw text.
type payload struct {
	text     []byte
	start    valueOffset // of text[0]
	segments []segment   // by offset; the first begins the value
}

// segment is a part of the value that stands in the raw text without a gap. Between
// two the parser left something out, such as a special token.
type segment struct {
	at  valueOffset
	raw abi.RawOffset
}

// part is a range of payload.text.
type part struct{ from, to int }

func (p part) empty() bool { return p.from == p.to }

func (p *payload) reset(raw abi.RawOffset) {
	p.text, p.start = p.text[:0], 0
	p.segments = append(p.segments[:0], segment{0, raw})
}

// add appends what stands at offset raw of the raw text.
func (p *payload) add(data []byte, raw abi.RawOffset) {
	if len(data) == 0 {
		return
	}
	if p.rawAt(len(p.text)) != raw {
		p.segments = append(p.segments, segment{p.start + valueOffset(len(p.text)), raw})
	}
	p.text = append(p.text, data...)
}

// drop empties it: what it held was delivered, or belongs to nothing.
func (p *payload) drop() {
	p.start += valueOffset(len(p.text))
	p.text = p.text[:0]
}

// rawAt is where text[i] stands in the raw text.
func (p *payload) rawAt(i int) abi.RawOffset {
	at := p.start + valueOffset(i)
	n := len(p.segments) - 1
	for n > 0 && p.segments[n].at > at {
		n--
	}
	return p.segments[n].raw + abi.RawOffset(at-p.segments[n].at)
}

func (p *payload) bytes(x part) []byte { return p.text[x.from:x.to] }

// span is the range of the raw text from the part's first byte to its last.
func (p *payload) span(x part) Span {
	if x.empty() {
		return Span{}
	}
	return Span{p.rawAt(x.from), p.rawAt(x.to-1) + 1}
}
