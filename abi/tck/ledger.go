package tck

import (
	"fmt"
	"hash/maphash"
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/check"
)

// ledger sums up what a parser has said after some of its input, in a form that
// does not depend on how the input was cut: runs and fragments that touch are
// one. It refuses answers that are not well-formed.
type ledger struct {
	check   check.Checker
	input   []byte // all bytes that were pushed or left out by a WATCH
	watch   abi.Event
	items   []item
	settled uint64 // hash of all items but the last
}

// item is one thing said: an event, with fragments that touch joined to one.
type item struct {
	kind  abi.Kind
	flags uint8
	call  uint16
	code  uint32 // of an Error
	parts []part
	more  bool // a Value whose last fragment has not come
}

// part is a span of the input, or own bytes.
type part struct {
	start, end abi.RawOffset
	own        string
	isOwn      bool
}

var seed = maphash.MakeSeed()

// settled is what the hash of all items but the last is made of.
type settled struct {
	before uint64
	item   string
}

// state is the sum, for comparison: equal states have said the same.
type state struct {
	end     abi.RawOffset
	count   int
	settled uint64
	last    string
}

func (l *ledger) state() state {
	s := state{end: l.check.Accounted(), count: len(l.items), settled: l.settled}
	if s.count > 0 {
		s.last = l.render(l.items[s.count-1])
	}
	return s
}

// apply takes an answer.
func (l *ledger) apply(a abi.Answer, at check.Stage) error {
	l.watch = abi.Event{}
	text := check.Text{Bytes: l.input, End: abi.RawOffset(len(l.input))}
	if err := l.check.Answer(&a, text, at); err != nil {
		return err
	}
	var literal *part
	for i := range a.Events {
		e := &a.Events[i]
		switch {
		case e.Kind == abi.Literal:
			literal = &part{own: string(a.Literals[e.Start : e.Start+e.Len]), isOwn: true}
			continue
		case e.Kind == abi.Watch && e.Flags != 0:
			l.watch = *e
		case e.Kind <= abi.Note:
			l.record(e, literal)
		}
		literal = nil
	}
	return nil
}

// record adds what an event says; literal stands in place of its span.
func (l *ledger) record(e *abi.Event, literal *part) {
	it := item{kind: e.Kind, flags: e.Flags}
	if ofCall(e.Kind) {
		it.call = e.Call
	}
	switch {
	case literal != nil:
		it.parts = []part{*literal}
	case check.HasSpan(e) && (e.Kind != abi.CallEnd || e.Len > 0):
		start, end := e.Span()
		it.parts = []part{{start: start, end: end}}
	}
	switch e.Kind {
	case abi.Commit, abi.Note, abi.Watch:
		return
	case abi.Text, abi.Reasoning:
		if e.Len == 0 && e.Flags&abi.FlagNewBlock == 0 {
			return
		}
	case abi.Error:
		it.code, it.parts = e.Start, nil
	case abi.Value:
		it.more = e.Flags&abi.FlagMore != 0
		it.flags &^= abi.FlagMore
	}
	l.add(it)
}

// skip takes bytes that a WATCH left out: they are the watched channel's, plain
// or as the fragment before them.
func (l *ledger) skip(text []byte) {
	start := uint32(len(l.input))
	l.input = append(l.input, text...)
	e := abi.Event{Kind: abi.Kind(l.watch.Flags), Start: start, Len: uint32(len(text)), End: abi.RawOffset(len(l.input))}
	e.Flags, e.Call = l.check.ServeWatch(e.Kind, e.End)
	l.record(&e, nil)
}

// ofCall says whether an event of that kind names a call.
func ofCall(k abi.Kind) bool { return k >= abi.Call && k <= abi.CallDrop || k == abi.Error }

// add appends an item, or lets it grow the one before it.
func (l *ledger) add(it item) {
	if n := len(l.items); n > 0 {
		last := &l.items[n-1]
		if last.continuedBy(it) {
			last.more = it.more
			for _, p := range it.parts {
				last.extend(p)
			}
			return
		}
		l.settled = maphash.Comparable(seed, settled{l.settled, l.render(*last)})
	}
	parts := it.parts
	it.parts = nil
	for _, p := range parts {
		it.extend(p)
	}
	l.items = append(l.items, it)
}

func (it *item) continuedBy(next item) bool {
	if it.kind != next.kind || it.call != next.call {
		return false
	}
	switch it.kind {
	case abi.Text, abi.Reasoning:
		return it.flags&^abi.FlagNewBlock == next.flags && it.parts[len(it.parts)-1].end == next.parts[0].start
	case abi.Args:
		return it.flags == next.flags
	case abi.Value:
		return it.more && it.flags == next.flags
	}
	return false
}

func (it *item) extend(p part) {
	empty := p.start == p.end && p.own == ""
	if n := len(it.parts); n > 0 {
		last := &it.parts[n-1]
		switch {
		case empty:
			return
		case last.isOwn && p.isOwn:
			last.own += p.own
			return
		case !last.isOwn && !p.isOwn && last.end == p.start:
			last.end = p.end
			return
		}
	}
	if empty && (it.kind == abi.Value || it.kind == abi.Args) {
		return
	}
	it.parts = append(it.parts, p)
}

// String lists all that was said.
func (l *ledger) String() string {
	lines := make([]string, len(l.items))
	for i, it := range l.items {
		lines[i] = l.render(it)
	}
	return fmt.Sprintf("end %d: %s", l.check.Accounted(), strings.Join(lines, " | "))
}

func (l *ledger) render(it item) string {
	var b strings.Builder
	b.WriteString(it.kind.String())
	if ofCall(it.kind) {
		fmt.Fprintf(&b, " %d", it.call)
	}
	if it.flags != 0 {
		fmt.Fprintf(&b, " flags %#x", it.flags)
	}
	if it.kind == abi.Error {
		fmt.Fprintf(&b, " code %d", it.code)
	}
	for _, p := range it.parts {
		if p.isOwn {
			fmt.Fprintf(&b, " own %q", p.own)
		} else {
			fmt.Fprintf(&b, " %d-%d %q", p.start, p.end, l.input[p.start:p.end])
		}
	}
	if it.more {
		b.WriteString(" …")
	}
	return b.String()
}
