package parse

import (
	"errors"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/check"
)

// takeAnswer checks an answer, all of it, and then applies it.
func (s *Session) takeAnswer(a *abi.Answer, at check.Stage) error {
	s.watch.standing = false
	text := check.Text{Bytes: s.text.kept, Base: s.text.base, End: s.delivered}
	if err := s.check.Answer(a, text, at); err != nil {
		return s.failSession(err)
	}
	had := len(s.events.list)
	stop := s.applyAnswer(a)
	s.observeEvents(s.events.list[had:])
	switch {
	case stop != nil:
		return s.stopAtError(stop)
	case at == check.Finishing:
		return nil
	}
	if n := len(a.Events); n > 0 && a.Events[n-1].Kind == abi.Watch {
		s.watch.setWatch(a.Events[n-1])
	}
	return s.checkLimits()
}

// applyAnswer emits the events of an answer that was found well-formed. It gives
// the ERROR that ends the session, if there is one.
func (s *Session) applyAnswer(a *abi.Answer) (stop *CheckedEvent) {
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
		emitted := s.events.emitRecord(e, literal, a.Literals, &s.text)
		literal = nil
		if e.Kind == abi.Error && (e.Flags&abi.FlagFatal != 0 || s.turnGrammar()) {
			return emitted
		}
	}
	return nil
}

// turnGrammar says that a turn grammar is installed: any ERROR fails the request.
func (s *Session) turnGrammar() bool { return s.cfg.Open.Flags&abi.OpenTurnGrammar != 0 }

// observeEvents acts on the events that are for the host alone: STATE, NOTE and
// ERROR.
func (s *Session) observeEvents(events []CheckedEvent) {
	for i := range events {
		e := &events[i]
		switch e.Kind {
		case abi.State:
			s.channel = abi.Channel(e.Flags)
		case abi.Note, abi.Error:
			if s.cfg.OnNote != nil && !(e.Kind == abi.Error && s.turnGrammar()) {
				s.cfg.OnNote(Note{Code: e.Code, Error: e.Kind == abi.Error, Call: e.Call, Message: string(e.Data)})
			}
		}
	}
}

// stopAtError ends the parse at an ERROR: under a turn grammar the request fails, else
// the rest is text.
func (s *Session) stopAtError(e *CheckedEvent) error {
	if s.turnGrammar() {
		err := &StrictError{Code: e.Code, Fatal: e.Flags&abi.FlagFatal != 0, Message: string(e.Data)}
		s.Close()
		return err
	}
	s.fallBackToText()
	return nil
}

// failSession ends the parse after a fault, as the policy says.
func (s *Session) failSession(cause error) error {
	s.fault = &FaultError{Parser: s.name, Offset: s.check.Accounted(), Cause: cause}
	if bad := (*check.Error)(nil); errors.As(cause, &bad) && s.source != nil {
		s.source.Discard(cause)
	}
	if s.cfg.OnFault != nil {
		s.cfg.OnFault(s.fault)
	}
	if s.cfg.Policy == FaultIsError {
		s.Close()
		return s.fault
	}
	s.fallBackToText()
	return nil
}

// fallBackToText closes the source and emits as TEXT what is not accounted for. An
// open call of which nothing was sent becomes text from its beginning on; of
// another one only what was not accounted for.
func (s *Session) fallBackToText() {
	from := s.check.Accounted()
	if call, before, open := s.check.OpenCall(); open {
		whole := false
		if !s.callSent(call) {
			from = max(before, s.check.ProseEnd())
			whole = s.events.removeCall(call)
		}
		if !whole {
			s.events.list = append(s.events.list, CheckedEvent{Kind: abi.CallDrop, Call: call, Accounted: s.check.Accounted()})
		}
		s.check.DropCall()
	}
	if s.source != nil {
		s.source.Close()
		s.source = nil
	}
	s.passThrough, s.watch.standing = true, false
	s.emitRest(from)
}

// emitRest emits the text from an offset to its end as TEXT.
func (s *Session) emitRest(from abi.RawOffset) {
	end := s.text.length
	s.delivered = end
	if from == end {
		return
	}
	s.events.emitSpan(abi.Text, from, end, &s.text)
	s.check.TakeAsText(end)
}
