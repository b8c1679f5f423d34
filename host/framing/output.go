package framing

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/parse"
)

// output collects the deltas of one Apply or Finish. Text and reasoning go out together
// with what directly follows them.
type output struct {
	deltas    []Delta
	prose     pendingProse
	last      Kind // of the last delta that stays: Content, Reasoning or CallEnd
	nextIndex int  // of the next call that goes out
}

// pendingProse is text or reasoning that goes out together with what directly
// follows it.
type pendingProse struct {
	kind Kind
	text []byte
	at   span
}

// addProse takes text or reasoning, of which it makes a copy.
func (o *output) addProse(kind Kind, text []byte, at span) {
	if o.prose.kind != kind {
		o.flushProse()
	}
	p := &o.prose
	if len(p.text) == 0 {
		p.kind, p.at.Start = kind, at.Start
	}
	p.text, p.at.End = append(p.text, text...), at.End
	o.last = kind
}

// addCallDelta adds a delta of a call.
func (o *output) addCallDelta(d Delta) { o.deltas = append(o.deltas, d) }

func (o *output) flushProse() {
	p := &o.prose
	if len(p.text) == 0 {
		return
	}
	o.deltas = append(o.deltas, Delta{Kind: p.kind, Text: string(p.text), Start: p.at.Start, End: p.at.End})
	p.text = p.text[:0]
}

// takeDeltas gives the deltas away.
func (o *output) takeDeltas() []Delta {
	o.flushProse()
	deltas := o.deltas
	o.deltas = nil
	return deltas
}

// takeIndex gives the next call's index on the wire away.
func (o *output) takeIndex() int {
	o.nextIndex++
	return o.nextIndex - 1
}

// needsLineBreak says whether this block directly follows another of its kind.
func (o *output) needsLineBreak(kind Kind, e *parse.CheckedEvent) bool {
	return e.Flags&abi.FlagNewBlock != 0 && o.last == kind
}
