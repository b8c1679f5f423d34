package registry

import (
	"hash/maphash"

	"github.com/turnkey-parsers/turnkey/abi"
)

// comparison compares what two versions say of one text, however each of them
// cuts it.
type comparison struct {
	live, candidate transcript
	differs         bool
	where           uint32 // offset of the first difference
}

// maxAhead is how far one version may be ahead of the other, in items.
const maxAhead = 1 << 14

// match compares what both have said by now.
func (c *comparison) match() {
	n := min(len(c.live.said), len(c.candidate.said))
	for i := range n {
		if c.live.said[i] != c.candidate.said[i] {
			c.differs, c.where = true, min(c.live.said[i].start, c.candidate.said[i].start)
			return
		}
	}
	c.live.forget(n)
	c.candidate.forget(n)
	for _, t := range []*transcript{&c.live, &c.candidate} {
		if len(t.said) > maxAhead {
			c.differs, c.where = true, t.said[0].start
		}
	}
}

// matchEnds compares to the end: what only one has said is a difference.
func (c *comparison) matchEnds() {
	c.live.close()
	c.candidate.close()
	c.match()
	for _, t := range []*transcript{&c.live, &c.candidate} {
		if !c.differs && len(t.said) > 0 {
			c.differs, c.where = true, t.said[0].start
		}
	}
}

// item is a thing said: a whole run of text, a whole fragment, a mark.
type item struct {
	kind       abi.Kind
	flags      uint8
	call       uint16
	start, end uint32
	literal    uint64 // hash of literal bytes
}

// transcript gathers what a version says. Neighbouring fragments become one.
type transcript struct {
	said    []item
	open    item // the last fragment, which may go on
	isOpen  bool
	literal uint64
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
		t.add(e)
	}
}

func (t *transcript) add(e abi.Event) {
	i := item{kind: e.Kind, flags: e.Flags, call: e.Call, start: e.Start, end: e.Start + e.Len, literal: t.literal}
	t.literal = 0
	switch {
	case e.Kind == abi.Value:
		t.value(i)
	case e.Kind == abi.Text || e.Kind == abi.Reasoning || e.Kind == abi.Args:
		t.fragment(i)
	default:
		t.close()
		t.said = append(t.said, i)
	}
}

// value splits a VALUE in its bytes and the mark that it ends, so that it does
// not matter which fragment says so.
func (t *transcript) value(i item) {
	last := i.flags&abi.FlagMore == 0
	i.flags &^= abi.FlagMore
	t.fragment(i)
	if last {
		mark := item{kind: abi.Value, flags: i.flags | abi.FlagMore, call: i.call}
		if t.isOpen {
			mark.start = t.open.end
		}
		t.close()
		t.said = append(t.said, mark)
	}
}

func (t *transcript) fragment(i item) {
	if i.start == i.end && i.literal == 0 {
		return
	}
	o := &t.open
	if t.isOpen && i.kind == o.kind && i.call == o.call && i.start == o.end && i.literal == 0 && o.literal == 0 && continues(i, *o) {
		o.end = i.end
		return
	}
	t.close()
	t.open, t.isOpen = i, true
}

// continues says whether the flags let i continue o: a new block begins anew.
func continues(i, o item) bool {
	if i.kind == abi.Text || i.kind == abi.Reasoning {
		return i.flags&abi.FlagNewBlock == 0 && i.flags == o.flags&^abi.FlagNewBlock
	}
	return i.flags == o.flags
}

// close ends the open fragment.
func (t *transcript) close() {
	if t.isOpen {
		t.said = append(t.said, t.open)
		t.isOpen = false
	}
}

func (t *transcript) forget(n int) {
	t.said = t.said[:copy(t.said, t.said[n:])]
}
