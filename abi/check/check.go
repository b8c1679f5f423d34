// Package check says whether an answer of a parser is well-formed: it holds what
// ABI.md asks of events, whatever the grammar. A host checks every answer with it
// before it takes any of it, and the conformance kit (package tck) checks with the
// same code, in its strict mode.
package check

import (
	"fmt"
	"unicode/utf8"

	"github.com/turnkey-parsers/turnkey/abi"
)

// Stage says which call into a parser an answer is from.
type Stage uint8

// The calls that have an answer.
const (
	Opening   Stage = iota // tk_open
	Pushing                // tk_push
	Finishing              // tk_finish: the last answer
)

// Rules say what is asked of a session's answers.
type Rules struct {
	// Synthesises is the manifest's member: parts of calls may come by LITERAL.
	Synthesises bool
	// Strict refuses what a host has to let pass so that the ABI can grow, or what
	// does no harm, but no module of this version has a reason to say: flags that
	// are not defined for a kind, an empty span that lies nowhere, a span of a
	// CALL_END that is not unsound outside of the text, a LITERAL before an event
	// of unknown kind. It is for kits.
	Strict bool
}

// Text is the raw text of a session that an answer may speak of.
type Text struct {
	Bytes []byte        // the raw text from offset Base on, at least as far as it was pushed
	Base  abi.RawOffset // what lies before it is accounted for
	End   abi.RawOffset // offset up to which the parser was given the text
}

// cutsCharacter says that an offset lies within a character.
func (t *Text) cutsCharacter(at abi.RawOffset) bool {
	i := int(at) - int(t.Base)
	return i > 0 && i < len(t.Bytes) && t.Bytes[i]&0xc0 == 0x80
}

// Checker follows one session and judges its answers. Its zero value, with Rules,
// is a session of which nothing was answered yet. It allocates nothing but its
// errors.
type Checker struct {
	Rules
	state
}

// state is what must be known of a session's past to judge its next answer.
type state struct {
	end   abi.RawOffset // offset up to which the text is accounted for
	prose abi.RawOffset // offset at which the last span of TEXT or REASONING ended
	calls uint32        // how many calls were opened
	fatal bool          // a fatal ERROR came
	open  bool          // a call is open
	call  callState
}

// answer is what the events of one answer are checked against.
type answer struct {
	text     Text
	from     abi.RawOffset // end of the answer before: spans start here
	literals []byte
	opening  bool
	last     bool // the event is the last one
	literal  bool // a LITERAL waits for its event
}

// Error says what is wrong with a malformed answer. It holds none of the text.
type Error struct {
	Event  int // number of the event in the answer; -1 where it is the whole
	Kind   abi.Kind
	Reason string
}

// Error names the event and its kind.
func (e *Error) Error() string {
	switch {
	case e.Event < 0:
		return "malformed answer: " + e.Reason
	case e.Kind > abi.Note:
		return fmt.Sprintf("malformed answer: event %d, kind %d: %s", e.Event, e.Kind, e.Reason)
	}
	return fmt.Sprintf("malformed answer: event %d, %v: %s", e.Event, e.Kind, e.Reason)
}

// Answer judges all of an answer: nil if it is well-formed. After an error the
// Checker is as it was before.
func (c *Checker) Answer(a *abi.Answer, text Text, at Stage) *Error {
	before := c.state
	err := c.answer(a, text, at)
	if err != nil {
		c.state = before
	}
	return err
}

func (c *Checker) answer(a *abi.Answer, text Text, at Stage) *Error {
	if why := tooLarge(a, int(text.End)-int(c.end)); why != "" {
		return &Error{Event: -1, Reason: why}
	}
	in := answer{text: text, from: c.end, literals: a.Literals, opening: at == Opening}
	for i := range a.Events {
		in.last = i == len(a.Events)-1
		if why := c.event(&a.Events[i], &in); why != "" {
			return &Error{Event: i, Kind: a.Events[i].Kind, Reason: why}
		}
	}
	why := ""
	switch {
	case in.literal:
		why = "it ends with a LITERAL, which belongs to the event after it"
	case at != Finishing || c.fatal:
	case c.end != text.End:
		why = fmt.Sprintf("the last answer accounts for %d of %d bytes; what is held back has to be said or skipped at the end", c.end, text.End)
	case c.open:
		why = fmt.Sprintf("call %d is still open after the last answer; end it with CALL_END or CALL_DROP", c.lastCall())
	}
	if why != "" {
		return &Error{Event: -1, Reason: why}
	}
	return nil
}

// tooLarge judges an answer's size by how many bytes were not accounted for
// before it.
func tooLarge(a *abi.Answer, fresh int) string {
	if len(a.Events) > abi.AnswerEvents+abi.AnswerEventsPerByte*fresh {
		return fmt.Sprintf("%d events are too many for the %d bytes that were not accounted for", len(a.Events), fresh)
	}
	if len(a.Literals) > abi.AnswerLiterals+abi.AnswerLiteralsPerByte*fresh {
		return fmt.Sprintf("%d bytes of literals are too many for the %d bytes that were not accounted for", len(a.Literals), fresh)
	}
	return ""
}

// event judges one event, and says what is wrong with it, or "".
func (c *Checker) event(e *abi.Event, in *answer) string {
	switch {
	case c.fatal:
		return "it follows a fatal ERROR"
	case e.End < c.end:
		return fmt.Sprintf("end goes down from %d to %d", c.end, e.End)
	case e.End > in.text.End:
		return fmt.Sprintf("end %d is beyond the %d bytes that were pushed", e.End, in.text.End)
	case in.text.cutsCharacter(e.End):
		return fmt.Sprintf("end %d cuts a character", e.End)
	}
	before := c.end
	c.end = e.End
	if e.Kind == abi.Literal {
		return literalEvent(e, in)
	}
	literal := in.literal
	in.literal = false
	if e.Kind > abi.Note {
		return c.unknownKind(e, literal)
	}
	if literal {
		if why := c.takesLiteral(e.Kind); why != "" {
			return why
		}
	} else if c.judgesSpan(e) {
		if why := c.span(e, in); why != "" {
			return why
		}
	}
	return c.byKind(e, in, before, literal)
}

func (c *Checker) byKind(e *abi.Event, in *answer, before abi.RawOffset, literal bool) string {
	switch e.Kind {
	case abi.Text, abi.Reasoning:
		return c.proseEvent(e)
	case abi.Call:
		return c.callOpens(e, before)
	case abi.CallID, abi.Args, abi.Open, abi.Key, abi.Value, abi.Close, abi.CallEnd, abi.CallDrop:
		if !c.open || e.Call != c.lastCall() {
			return fmt.Sprintf("call %d is not open", e.Call)
		}
		return c.callEvent(e, literal)
	case abi.Error:
		c.fatal = e.Flags&abi.FlagFatal != 0
	case abi.State:
		return stateEvent(e, in)
	case abi.Watch:
		return c.watchEvent(e, in)
	}
	return ""
}

// unknownKind judges an event of a newer version. A LITERAL before it is its own,
// and goes with it.
func (c *Checker) unknownKind(e *abi.Event, literal bool) string {
	if e.Flags&abi.SkipUnknown == 0 {
		return "the kind is unknown, and bit 7 of its flags is not set"
	}
	if literal && c.Strict {
		return "a LITERAL must not stand before it"
	}
	return ""
}

func literalEvent(e *abi.Event, in *answer) string {
	if in.literal {
		return "it follows another LITERAL"
	}
	if uint64(e.Start)+uint64(e.Len) > uint64(len(in.literals)) {
		return fmt.Sprintf("its bytes %d+%d are outside the %d bytes of the answer", e.Start, e.Len, len(in.literals))
	}
	if !utf8.Valid(in.literals[e.Start : e.Start+e.Len]) {
		return "its bytes are not UTF-8"
	}
	in.literal = true
	return ""
}

// takesLiteral says why a LITERAL may not stand before an event of that kind.
func (c *Checker) takesLiteral(k abi.Kind) string {
	switch k {
	case abi.Error, abi.Note:
		return ""
	case abi.Call, abi.CallID, abi.Args, abi.Key, abi.Value:
		if !c.Synthesises {
			return `it has a LITERAL, but the manifest does not say "synthesises": true`
		}
		return ""
	}
	return "a LITERAL must not stand before it"
}

// spanKinds has a bit for each kind that has a span.
const spanKinds = 1<<abi.Text | 1<<abi.Reasoning | 1<<abi.Call | 1<<abi.CallID | 1<<abi.Args | 1<<abi.Key | 1<<abi.Value

// HasSpan says whether an event points into the raw text: its Start and Len are a
// span, unless a LITERAL comes before it.
func HasSpan(e *abi.Event) bool {
	return spanKinds>>e.Kind&1 != 0 || e.Kind == abi.CallEnd && e.Flags&abi.FlagUnsound != 0
}

// judgesSpan says whether it matters where an event's span lies.
func (c *Checker) judgesSpan(e *abi.Event) bool {
	if !c.Strict {
		return e.Len > 0 && HasSpan(e)
	}
	return HasSpan(e) && e.Kind != abi.CallEnd || e.Kind == abi.CallEnd && e.Len > 0
}

// span judges where an event points.
func (c *Checker) span(e *abi.Event, in *answer) string {
	start, end := e.Span()
	if start < in.from || end < start || end > in.text.End {
		return fmt.Sprintf("span %d+%d is outside %d to %d, what was open to it", e.Start, e.Len, in.from, in.text.End)
	}
	if in.text.cutsCharacter(start) || in.text.cutsCharacter(end) {
		return fmt.Sprintf("its span %d+%d cuts a character", e.Start, e.Len)
	}
	return ""
}

func (c *Checker) proseEvent(e *abi.Event) string {
	if c.Strict {
		allowed := abi.FlagNewBlock
		if e.Kind == abi.Text {
			allowed |= abi.FlagPayload
		}
		if e.Flags&^allowed != 0 {
			return undefinedFlags(e.Flags)
		}
	}
	if e.Len == 0 && !c.Strict {
		return ""
	}
	start, end := e.Span()
	if start < c.prose {
		return fmt.Sprintf("its span begins at %d, but text up to %d was said before", start, c.prose)
	}
	if end > e.End {
		return fmt.Sprintf("its span ends at %d, behind its own end %d", end, e.End)
	}
	c.prose = end
	return ""
}

func stateEvent(e *abi.Event, in *answer) string {
	if !in.opening {
		return "it may stand in the answer to tk_open only"
	}
	if e.Flags > uint8(abi.ChannelResponse) {
		return fmt.Sprintf("flags %d is no channel", e.Flags)
	}
	return ""
}

func (c *Checker) watchEvent(e *abi.Event, in *answer) string {
	if !in.last {
		return "it has to be the answer's last event"
	}
	switch e.Flags {
	case 0, abi.FlagHold:
		return ""
	case uint8(abi.Text), uint8(abi.Reasoning):
	case uint8(abi.Args):
		if !c.open || !c.call.args || e.Call != c.lastCall() {
			return fmt.Sprintf("call %d has no open ARGS to continue", e.Call)
		}
	case uint8(abi.Value):
		if !c.open || !c.call.more || e.Call != c.lastCall() {
			return fmt.Sprintf("call %d has no VALUE of which more is to come", e.Call)
		}
	default:
		return fmt.Sprintf("flags %d is no channel", e.Flags)
	}
	if e.End != in.text.End {
		return fmt.Sprintf("the parser holds %d bytes back; only a hold may be promised", in.text.End-e.End)
	}
	return ""
}

func undefinedFlags(flags uint8) string {
	return fmt.Sprintf("flags %#x are not defined for it", flags)
}
