package tck

import (
	"fmt"
	"hash/maphash"
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/check"
)

// transcript is what a parser has said after some of its input, in a form that does
// not depend on how the input was cut: runs and fragments that touch are one. It
// refuses answers that are not well-formed.
type transcript struct {
	check      check.Checker
	input      []byte    // all bytes that were pushed or left out by a WATCH
	watch      abi.Event // the WATCH that stands, if its kind is Watch
	statements []statement
	settled    uint64 // hash of all statements but the last
}

// statement is one thing that was said: an event, with fragments that touch joined
// to one.
type statement struct {
	kind  abi.Kind
	flags uint8
	call  uint16
	code  uint32 // of an ERROR
	parts []statementPart
	more  bool // a VALUE whose last fragment has not come
}

// statementPart is a span of the raw text, or the bytes of a LITERAL.
type statementPart struct {
	start, end abi.RawOffset
	own        string
	isOwn      bool
}

var seed = maphash.MakeSeed()

// hashInput is what the hash of all statements but the last is made of.
type hashInput struct {
	before    uint64
	statement string
}

// summary stands for a transcript in comparisons: equal ones say the same.
type summary struct {
	end     abi.RawOffset
	count   int
	settled uint64
	last    string
}

func (t *transcript) summary() summary {
	s := summary{end: t.check.Accounted(), count: len(t.statements), settled: t.settled}
	if s.count > 0 {
		s.last = t.renderStatement(t.statements[s.count-1])
	}
	return s
}

// applyAnswer judges an answer and adds what it says.
func (t *transcript) applyAnswer(a abi.Answer, at check.Stage) error {
	t.watch = abi.Event{}
	text := check.Text{Bytes: t.input, End: abi.RawOffset(len(t.input))}
	if err := t.check.Answer(&a, text, at); err != nil {
		return err
	}
	var literal *statementPart
	for i := range a.Events {
		e := &a.Events[i]
		switch {
		case e.Kind == abi.Literal:
			literal = &statementPart{own: string(a.Literals[e.Start : e.Start+e.Len]), isOwn: true}
			continue
		case e.Kind == abi.Watch && e.Flags != 0:
			t.watch = *e
		case e.Kind <= abi.Note:
			t.addEvent(e, literal)
		}
		literal = nil
	}
	return nil
}

// addEvent adds what an event says; literal stands in place of its span.
func (t *transcript) addEvent(e *abi.Event, literal *statementPart) {
	it := statement{kind: e.Kind, flags: e.Flags}
	if ofCall(e.Kind) {
		it.call = e.Call
	}
	switch {
	case literal != nil:
		it.parts = []statementPart{*literal}
	case check.HasSpan(e) && (e.Kind != abi.CallEnd || e.Len > 0):
		start, end := e.Span()
		it.parts = []statementPart{{start: start, end: end}}
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
	t.addStatement(it)
}

// leaveOut adds text that a WATCH left out: one span of the kind that the WATCH
// names, with the flags of the fragment that it continues.
func (t *transcript) leaveOut(text []byte) {
	start := uint32(len(t.input))
	t.input = append(t.input, text...)
	e := abi.Event{Kind: abi.Kind(t.watch.Flags), Start: start, Len: uint32(len(text)), End: abi.RawOffset(len(t.input))}
	e.Flags, e.Call = t.check.ServeWatch(e.Kind, e.End)
	t.addEvent(&e, nil)
}

// ofCall says whether an event of that kind names a call.
func ofCall(k abi.Kind) bool { return k >= abi.Call && k <= abi.CallDrop || k == abi.Error }

// addStatement appends a statement, or lets it grow the one before it.
func (t *transcript) addStatement(it statement) {
	if n := len(t.statements); n > 0 {
		last := &t.statements[n-1]
		if last.continuedBy(it) {
			last.more = it.more
			for _, p := range it.parts {
				last.addPart(p)
			}
			return
		}
		t.settled = maphash.Comparable(seed, hashInput{t.settled, t.renderStatement(*last)})
	}
	parts := it.parts
	it.parts = nil
	for _, p := range parts {
		it.addPart(p)
	}
	t.statements = append(t.statements, it)
}

// continuedBy says whether a statement goes on with what this one said.
func (it *statement) continuedBy(next statement) bool {
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

// addPart appends a part, or lets it grow the one that it touches.
func (it *statement) addPart(p statementPart) {
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
func (t *transcript) String() string {
	lines := make([]string, len(t.statements))
	for i, it := range t.statements {
		lines[i] = t.renderStatement(it)
	}
	return fmt.Sprintf("end %d: %s", t.check.Accounted(), strings.Join(lines, " | "))
}

func (t *transcript) renderStatement(it statement) string {
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
			fmt.Fprintf(&b, " %d-%d %q", p.start, p.end, t.input[p.start:p.end])
		}
	}
	if it.more {
		b.WriteString(" …")
	}
	return b.String()
}
