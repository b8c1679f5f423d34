package parse

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/check"
)

// CheckedEvent is one event of an answer that was found well-formed, with the text
// that it points to.
type CheckedEvent struct {
	Kind  abi.Kind
	Flags uint8
	Call  uint16
	// Code is an Error event's code.
	Code uint32
	// Data is the event's text: a slice of the raw text, or literal bytes. It is
	// valid until the next call into the Session.
	Data []byte
	// Literal says that Data is synthesised.
	Literal bool
	// Start and End are the span of the raw text; End is where the span ends, not
	// the record's end. Both are 0 for literals and events without a span.
	Start, End abi.RawOffset
	// Accounted is the record's end: up to there the raw text is accounted for.
	Accounted abi.RawOffset
}

// checkedEvents is what one call into a Session emits.
type checkedEvents struct {
	list     []CheckedEvent
	literals []byte   // that the events' data point into
	said     abi.Kind // of the last event that says something: TEXT, REASONING or CALL
}

func (l *checkedEvents) reset() { l.list, l.literals = l.list[:0], l.literals[:0] }

// emitSpan appends an event of a span of the raw text that is accounted for with
// it, and gives it for its flags.
func (l *checkedEvents) emitSpan(kind abi.Kind, start, end abi.RawOffset, raw *rawText) *CheckedEvent {
	l.list = append(l.list, CheckedEvent{Kind: kind, Start: start, End: end, Accounted: end})
	e := &l.list[len(l.list)-1]
	e.Data = raw.slice(start, end)
	l.observe(e)
	return e
}

// emitRecord appends the event of a record: its data are a span of the raw text,
// or the bytes of the LITERAL before it, nil if there is none.
func (l *checkedEvents) emitRecord(record, literal *abi.Event, literals []byte, raw *rawText) *CheckedEvent {
	l.list = append(l.list, CheckedEvent{Kind: record.Kind, Flags: record.Flags, Call: record.Call, Accounted: record.End})
	e := &l.list[len(l.list)-1]
	switch {
	case literal != nil:
		n := len(l.literals)
		l.literals = append(l.literals, literals[literal.Start:literal.Start+literal.Len]...)
		e.Data, e.Literal = l.literals[n:], true
	case record.Len > 0 && check.HasSpan(record):
		e.Start, e.End = record.Span()
		e.Data = raw.slice(e.Start, e.End)
	}
	if record.Kind == abi.Error {
		e.Code = record.Start
	}
	l.observe(e)
	return e
}

func (l *checkedEvents) observe(e *CheckedEvent) {
	switch e.Kind {
	case abi.Text, abi.Reasoning:
		if len(e.Data) > 0 {
			l.said = e.Kind
		}
	case abi.Call:
		l.said = e.Kind
	}
}

// removeCall takes back the events of a call, and says whether the call began with
// them: then it has never been.
func (l *checkedEvents) removeCall(call uint16) (whole bool) {
	kept := l.list[:0]
	for _, e := range l.list {
		if abi.Call <= e.Kind && e.Kind <= abi.CallDrop && e.Call == call {
			whole = whole || e.Kind == abi.Call
			continue
		}
		kept = append(kept, e)
	}
	l.list = kept
	return whole
}
