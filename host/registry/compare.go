package registry

import (
	"hash/maphash"

	"github.com/turnkey-parsers/turnkey/abi"
)

// comparison compares the events that two versions emit for one text, however
// each of them cuts it. Offsets are of the raw text.
type comparison struct {
	live, candidate transcript
	differs         bool
	firstDifference uint32 // offset of the first difference
}

// maxAhead is how far one version may be ahead of the other, in items.
const maxAhead = 1 << 14

// matchEmitted compares what both have emitted by now.
func (c *comparison) matchEmitted() {
	n := min(len(c.live.emitted), len(c.candidate.emitted))
	for i := range n {
		if c.live.emitted[i] != c.candidate.emitted[i] {
			c.differs, c.firstDifference = true, min(c.live.emitted[i].start, c.candidate.emitted[i].start)
			return
		}
	}
	c.live.dropFirst(n)
	c.candidate.dropFirst(n)
	for _, t := range []*transcript{&c.live, &c.candidate} {
		if len(t.emitted) > maxAhead {
			c.differs, c.firstDifference = true, t.emitted[0].start
		}
	}
}

// matchEnds compares to the end: what only one has emitted is a difference.
func (c *comparison) matchEnds() {
	c.live.endPending()
	c.candidate.endPending()
	c.matchEmitted()
	for _, t := range []*transcript{&c.live, &c.candidate} {
		if !c.differs && len(t.emitted) > 0 {
			c.differs, c.firstDifference = true, t.emitted[0].start
		}
	}
}

// outputItem is what clients could tell apart: a whole run of text or of
// arguments, or a mark such as the begin of a call.
type outputItem struct {
	kind       abi.Kind
	flags      uint8
	call       uint16
	start, end uint32
	literal    uint64 // hash of literal bytes
}

// transcript gathers what a version emits. Neighbouring fragments become one.
type transcript struct {
	emitted    []outputItem
	pending    outputItem // the last fragment, which may go on
	hasPending bool
	literal    uint64
}

var literalSeed = maphash.MakeSeed()

// addAnswer adds an answer. What is no part of the answer to a client is left out.
func (t *transcript) addAnswer(a abi.Answer) {
	for _, e := range a.Events {
		switch e.Kind {
		case abi.Commit, abi.Watch:
			continue
		case abi.Literal:
			if end := uint64(e.Start) + uint64(e.Len); end <= uint64(len(a.Literals)) {
				t.literal = maphash.Bytes(literalSeed, a.Literals[e.Start:end])
			}
			continue
		case abi.Note:
			t.literal = 0
			continue
		}
		t.addEvent(e)
	}
}

func (t *transcript) addEvent(e abi.Event) {
	i := outputItem{kind: e.Kind, flags: e.Flags, call: e.Call, start: e.Start, end: e.Start + e.Len, literal: t.literal}
	t.literal = 0
	switch {
	case e.Kind == abi.Value:
		t.addValue(i)
	case e.Kind == abi.Text || e.Kind == abi.Reasoning || e.Kind == abi.Args:
		t.addFragment(i)
	default:
		t.endPending()
		t.emitted = append(t.emitted, i)
	}
}

// addValue splits a VALUE in its bytes and the mark that it ends, so that it does
// not matter which fragment says so.
func (t *transcript) addValue(i outputItem) {
	last := i.flags&abi.FlagMore == 0
	i.flags &^= abi.FlagMore
	t.addFragment(i)
	if last {
		mark := outputItem{kind: abi.Value, flags: i.flags | abi.FlagMore, call: i.call}
		if t.hasPending {
			mark.start = t.pending.end
		}
		t.endPending()
		t.emitted = append(t.emitted, mark)
	}
}

func (t *transcript) addFragment(i outputItem) {
	if i.start == i.end && i.literal == 0 {
		return
	}
	o := &t.pending
	if t.hasPending && i.kind == o.kind && i.call == o.call && i.start == o.end && i.literal == 0 && o.literal == 0 && continuesFragment(i, *o) {
		o.end = i.end
		return
	}
	t.endPending()
	t.pending, t.hasPending = i, true
}

// continuesFragment says whether the flags let i continue o: a new block begins anew.
func continuesFragment(i, o outputItem) bool {
	if i.kind == abi.Text || i.kind == abi.Reasoning {
		return i.flags&abi.FlagNewBlock == 0 && i.flags == o.flags&^abi.FlagNewBlock
	}
	return i.flags == o.flags
}

// close ends the open fragment.
func (t *transcript) endPending() {
	if t.hasPending {
		t.emitted = append(t.emitted, t.pending)
		t.hasPending = false
	}
}

func (t *transcript) dropFirst(n int) {
	t.emitted = t.emitted[:copy(t.emitted, t.emitted[n:])]
}
