package tck

import (
	"fmt"
	"hash/maphash"
	"strings"
	"unicode/utf8"

	"github.com/turnkey-parsers/turnkey/abi"
)

// ledger sums up what a parser has said after some of its input, in a form that
// does not depend on how the input was cut: runs and fragments that touch are
// one. It refuses what the ABI does not allow.
type ledger struct {
	synthesises bool
	input       []byte // all bytes that were pushed or left out by a WATCH

	end     uint32 // accounted up to here
	prose   uint32 // where the last run of text or reasoning ends
	watch   abi.Event
	dead    bool // a fatal ERROR came
	calls   int
	open    *callState // the open call
	items   []item
	settled uint64 // hash of all items but the last
	literal []byte
	hasLit  bool
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
	start, end uint32
	own        string
	isOwn      bool
}

// callState follows the arguments of the open call.
type callState struct {
	args   *uint8 // flags of the ARGS that came
	keys   bool   // a KEY came
	nest   []byte // flags of each OPEN that is not closed
	wanted bool   // a KEY waits for its value
	value  *uint8 // flags of a value of which more is to come
}

var seed = maphash.MakeSeed()

// settled is what the hash of all items but the last is made of.
type settled struct {
	before uint64
	item   string
}

// state is the sum, for comparison: equal states have said the same.
type state struct {
	end     uint32
	count   int
	settled uint64
	last    string
}

func (l *ledger) state() state {
	s := state{end: l.end, count: len(l.items), settled: l.settled}
	if s.count > 0 {
		s.last = l.render(l.items[s.count-1])
	}
	return s
}

// apply takes an answer. last says that it is the answer to the end.
func (l *ledger) apply(a abi.Answer, last bool) error {
	low := l.end
	l.watch = abi.Event{}
	if fresh := len(l.input) - int(low); len(a.Events) > abi.AnswerEvents+abi.AnswerEventsPerByte*fresh ||
		len(a.Literals) > abi.AnswerLiterals+abi.AnswerLiteralsPerByte*fresh {
		return fmt.Errorf("the answer has %d events and %d bytes of literals, too many for the %d bytes that were open", len(a.Events), len(a.Literals), fresh)
	}
	for i, e := range a.Events {
		if err := l.event(a, e, low, i == len(a.Events)-1); err != nil {
			return fmt.Errorf("event %d, %s: %w", i, kindName(e.Kind), err)
		}
	}
	switch {
	case l.hasLit:
		return fmt.Errorf("the answer ends with a LITERAL, which belongs to the event after it")
	case !last || l.dead:
		return nil
	case int(l.end) != len(l.input):
		return fmt.Errorf("the last answer accounts for %d of %d bytes; what is held back has to be said or skipped at the end", l.end, len(l.input))
	case l.open != nil:
		return fmt.Errorf("call %d is still open after the last answer; end it with CALL_END or CALL_DROP", l.calls-1)
	}
	return nil
}

func (l *ledger) event(a abi.Answer, e abi.Event, low uint32, last bool) error {
	total := uint32(len(l.input))
	switch {
	case l.dead:
		return fmt.Errorf("it follows a fatal ERROR")
	case e.End < l.end:
		return fmt.Errorf("end goes down from %d to %d", l.end, e.End)
	case e.End > total:
		return fmt.Errorf("end %d is beyond the %d bytes that were pushed", e.End, total)
	case !l.boundary(e.End):
		return fmt.Errorf("end %d cuts a character", e.End)
	case e.Kind == abi.Literal:
		return l.takeLiteral(a, e)
	}
	own, hasOwn := string(l.literal), l.hasLit
	l.literal, l.hasLit = nil, false
	if hasOwn {
		if err := l.mayBeOwn(e.Kind); err != nil {
			return err
		}
	}
	p := part{own: own, isOwn: true}
	if !hasOwn && hasSpan(e) {
		if e.Start < low || uint64(e.Start)+uint64(e.Len) > uint64(total) {
			return fmt.Errorf("span %d+%d is outside %d to %d, what was open to it", e.Start, e.Len, low, total)
		}
		if !l.boundary(e.Start) || !l.boundary(e.Start+e.Len) {
			return fmt.Errorf("its span %d+%d cuts a character", e.Start, e.Len)
		}
		p = part{start: e.Start, end: e.Start + e.Len}
	}
	var err error
	switch e.Kind {
	case abi.Commit, abi.Note:
	case abi.Text, abi.Reasoning:
		err = l.addProse(e, p)
	case abi.State:
		switch {
		case e.Flags > uint8(abi.ChannelResponse):
			err = fmt.Errorf("flags %d is no channel", e.Flags)
		case len(l.input) > 0:
			err = fmt.Errorf("it may stand in the answer to tk_open only")
		}
		l.add(item{kind: e.Kind, flags: e.Flags})
	case abi.Watch:
		err = l.setWatch(e, last)
	case abi.Error:
		l.dead = e.Flags&abi.FlagFatal != 0
		l.add(item{kind: e.Kind, flags: e.Flags, call: e.Call, code: e.Start})
	default:
		if e.Kind > abi.Note {
			if e.Flags&abi.SkipUnknown == 0 {
				return fmt.Errorf("the kind is unknown, and bit 7 of its flags is not set")
			}
			break
		}
		err = l.callEvent(e, p)
	}
	l.end = e.End
	return err
}

func hasSpan(e abi.Event) bool {
	switch e.Kind {
	case abi.Text, abi.Reasoning, abi.Call, abi.CallID, abi.Args, abi.Key, abi.Value:
		return true
	}
	return e.Kind == abi.CallEnd && e.Len > 0
}

func (l *ledger) takeLiteral(a abi.Answer, e abi.Event) error {
	if l.hasLit {
		return fmt.Errorf("it follows another LITERAL")
	}
	if uint64(e.Start)+uint64(e.Len) > uint64(len(a.Literals)) {
		return fmt.Errorf("its bytes %d+%d are outside the %d bytes of the answer", e.Start, e.Len, len(a.Literals))
	}
	l.literal, l.hasLit = a.Literals[e.Start:e.Start+e.Len], true
	if !utf8.Valid(l.literal) {
		return fmt.Errorf("its bytes are not UTF-8")
	}
	l.end = e.End
	return nil
}

func (l *ledger) mayBeOwn(k abi.Kind) error {
	switch k {
	case abi.Error, abi.Note:
		return nil
	case abi.Call, abi.CallID, abi.Args, abi.Key, abi.Value:
		if l.synthesises {
			return nil
		}
		return fmt.Errorf("it has a LITERAL, but the manifest does not say \"synthesises\": true")
	}
	return fmt.Errorf("a LITERAL must not stand before it")
}

func (l *ledger) addProse(e abi.Event, p part) error {
	allowed := abi.FlagNewBlock
	if e.Kind == abi.Text {
		allowed |= abi.FlagPayload
	}
	switch {
	case e.Flags&^allowed != 0:
		return fmt.Errorf("flags %#x are not defined for it", e.Flags)
	case p.start < l.prose:
		return fmt.Errorf("its span begins at %d, but text up to %d was said before", p.start, l.prose)
	case p.end > e.End:
		return fmt.Errorf("its span ends at %d, behind its own end %d", p.end, e.End)
	}
	l.prose = p.end
	if p.start == p.end && e.Flags&abi.FlagNewBlock == 0 {
		return nil
	}
	l.add(item{kind: e.Kind, flags: e.Flags, parts: []part{p}})
	return nil
}

func (l *ledger) boundary(at uint32) bool {
	return int(at) >= len(l.input) || utf8.RuneStart(l.input[at])
}

func (l *ledger) setWatch(e abi.Event, last bool) error {
	switch {
	case !last:
		return fmt.Errorf("it has to be the answer's last event")
	case e.Flags == 0:
		return nil
	case e.Flags == abi.FlagHold:
		l.watch = e
		return nil
	case int(e.End) != len(l.input):
		return fmt.Errorf("the parser holds %d bytes back; only a hold may be promised", len(l.input)-int(e.End))
	}
	switch abi.Kind(e.Flags) {
	case abi.Text, abi.Reasoning:
	case abi.Args:
		if l.open == nil || l.open.args == nil || int(e.Call) != l.calls-1 {
			return fmt.Errorf("call %d has no open ARGS to continue", e.Call)
		}
	case abi.Value:
		if l.open == nil || l.open.value == nil || int(e.Call) != l.calls-1 {
			return fmt.Errorf("call %d has no VALUE of which more is to come", e.Call)
		}
	default:
		return fmt.Errorf("flags %d is no channel", e.Flags)
	}
	l.watch = e
	return nil
}

// skip takes bytes that a WATCH left out: they are the watched channel's, plain
// or as the fragment before them.
func (l *ledger) skip(text []byte) error {
	w := l.watch
	start := uint32(len(l.input))
	l.input = append(l.input, text...)
	e := abi.Event{Kind: abi.Kind(w.Flags), Call: w.Call, Start: start, Len: uint32(len(text)), End: uint32(len(l.input))}
	switch e.Kind {
	case abi.Args:
		e.Flags = *l.open.args
	case abi.Value:
		e.Flags = *l.open.value | abi.FlagMore
	}
	if err := l.event(abi.Answer{}, e, start, true); err != nil {
		return err
	}
	l.watch = w
	return nil
}

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
	return fmt.Sprintf("end %d: %s", l.end, strings.Join(lines, " | "))
}

func (l *ledger) render(it item) string {
	var b strings.Builder
	b.WriteString(kindName(it.kind))
	if it.kind >= abi.Call && it.kind <= abi.CallDrop || it.kind == abi.Error {
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

var kindNames = [...]string{"COMMIT", "TEXT", "REASONING", "CALL", "CALL_ID", "ARGS", "OPEN", "KEY", "VALUE", "CLOSE",
	"CALL_END", "CALL_DROP", "ERROR", "STATE", "WATCH", "LITERAL", "NOTE"}

func kindName(k abi.Kind) string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", k)
}
