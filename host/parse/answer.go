package parse

import (
	"errors"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/check"
)

// take checks an answer, all of it, and then applies it.
func (s *Session) take(a *abi.Answer, at check.Stage) error {
	s.watch.on = false
	text := check.Text{Bytes: s.text.kept, Base: s.text.base, End: s.given}
	if err := s.check.Answer(a, text, at); err != nil {
		return s.fail(err)
	}
	had := len(s.events)
	stop := s.apply(a)
	s.heed(s.events[had:])
	switch {
	case stop != nil:
		return s.stop(stop)
	case at == check.Finishing:
		return nil
	}
	if n := len(a.Events); n > 0 && a.Events[n-1].Kind == abi.Watch {
		s.watch.take(a.Events[n-1])
	}
	return s.limits()
}

// apply appends the events of an answer that was found well-formed to s.events.
// It gives the ERROR that ends the session, if there is one.
func (s *Session) apply(a *abi.Answer) (stop *CheckedEvent) {
	var literal *abi.Event // before the event that it belongs to
	for i := range a.Events {
		e := &a.Events[i]
		switch {
		case e.Kind == abi.Literal:
			literal = e
			continue
		case e.Kind == abi.Watch:
			continue
		case e.Kind > abi.Note:
			literal = nil
			continue
		}
		s.events = append(s.events, CheckedEvent{Kind: e.Kind, Flags: e.Flags, Call: e.Call, Accounted: e.End})
		s.fill(&s.events[len(s.events)-1], e, literal, a.Literals)
		literal = nil
		if e.Kind == abi.Error && (e.Flags&abi.FlagFatal != 0 || s.strict()) {
			return &s.events[len(s.events)-1]
		}
	}
	return nil
}

func (s *Session) strict() bool { return s.cfg.Open.Flags&abi.OpenTurnGrammar != 0 }

// fill gives an event the data of its record: a span of the text, or the bytes of
// the LITERAL before it, nil if there is none.
func (s *Session) fill(out *CheckedEvent, e, literal *abi.Event, literals []byte) {
	switch {
	case literal != nil:
		n := len(s.literals)
		s.literals = append(s.literals, literals[literal.Start:literal.Start+literal.Len]...)
		out.Data, out.Literal = s.literals[n:], true
	case e.Len > 0 && check.HasSpan(e):
		out.Start, out.End = e.Span()
		out.Data = s.text.slice(out.Start, out.End)
	}
	if e.Kind == abi.Error {
		out.Code = e.Start
	}
}

// heed acts on the events that are for the host alone.
func (s *Session) heed(events []CheckedEvent) {
	for i := range events {
		e := &events[i]
		switch e.Kind {
		case abi.State:
			s.channel = abi.Channel(e.Flags)
		case abi.Note, abi.Error:
			if s.cfg.OnNote != nil && !(e.Kind == abi.Error && s.strict()) {
				s.cfg.OnNote(Note{Code: e.Code, Error: e.Kind == abi.Error, Call: e.Call, Message: string(e.Data)})
			}
		}
	}
}

// stop ends the parse at an ERROR: under a turn grammar the request fails, else
// the rest is text.
func (s *Session) stop(e *CheckedEvent) error {
	if s.strict() {
		err := &StrictError{Code: e.Code, Fatal: e.Flags&abi.FlagFatal != 0, Message: string(e.Data)}
		s.Close()
		return err
	}
	s.fallBack()
	return nil
}

// fail ends the parse after a fault.
func (s *Session) fail(cause error) error {
	s.fault = &FaultError{Parser: s.name, Offset: s.check.Accounted(), Cause: cause}
	if bad := (*check.Error)(nil); errors.As(cause, &bad) && s.src != nil {
		s.src.Discard(cause)
	}
	if s.cfg.OnFault != nil {
		s.cfg.OnFault(s.fault)
	}
	if s.cfg.Policy == FaultIsError {
		s.Close()
		return s.fault
	}
	s.fallBack()
	return nil
}

// fallBack closes the source and makes text of what is not accounted for. An
// open call of which nothing was sent becomes text from its beginning on; of
// another one only what it had not said yet.
func (s *Session) fallBack() {
	from := s.check.Accounted()
	if call, before, open := s.check.OpenCall(); open {
		whole := false
		if !s.sent(call) {
			from = max(before, s.check.ProseEnd())
			whole = s.forget(call)
		}
		if !whole {
			s.events = append(s.events, CheckedEvent{Kind: abi.CallDrop, Call: call, Accounted: s.check.Accounted()})
		}
		s.check.DropCall()
	}
	if s.src != nil {
		s.src.Close()
		s.src = nil
	}
	s.plain, s.watch.on = true, false
	s.say(from)
}

// forget takes back the open call's events of this push, and says whether the
// call began with it.
func (s *Session) forget(call uint16) (whole bool) {
	kept := s.events[:0]
	for _, e := range s.events {
		if abi.Call <= e.Kind && e.Kind <= abi.CallDrop && e.Call == call {
			whole = whole || e.Kind == abi.Call
			continue
		}
		kept = append(kept, e)
	}
	s.events = kept
	return whole
}

// say makes text of everything from an offset on.
func (s *Session) say(from abi.RawOffset) {
	end := s.text.pushed
	s.given = end
	if from == end {
		return
	}
	s.events = append(s.events, CheckedEvent{Kind: abi.Text, Data: s.text.slice(from, end), Start: from, End: end, Accounted: end})
	s.check.TakeAsText(end)
}
