package parse

import (
	"errors"

	"github.com/turnkey-parsers/turnkey/abi"
)

// An answer may hold this many events, and bytes of literals, and so many more
// for each byte that was not accounted for before it.
const (
	eventsBase, eventsEach     = 64, 8
	literalsBase, literalsEach = 64 << 10, 16
)

// stage says which call into the source an answer is from.
type stage uint8

const (
	opening stage = iota
	pushing
	finishing
)

// take checks an answer, all of it, and then applies it.
func (s *Session) take(a *abi.Answer, at stage) error {
	had, last := len(s.events), s.check
	stop, err := s.read(a, at)
	if err != nil {
		s.events, s.check = s.events[:had], last
		return s.fail(err)
	}
	s.watch.on = false
	if n := len(a.Events); n > 0 && a.Events[n-1].Kind == abi.Watch && at != finishing && stop == nil {
		s.watch.take(a.Events[n-1])
	}
	s.heed(s.events[had:])
	if stop != nil {
		return s.stop(stop)
	}
	if at == finishing {
		return nil
	}
	return s.limits()
}

// read checks the events one by one and appends them to s.events. It gives the
// ERROR that ends the session, if there is one.
func (s *Session) read(a *abi.Answer, at stage) (stop *CheckedEvent, err error) {
	fresh := uint64(s.given - s.check.end)
	if uint64(len(a.Events)) > eventsBase+eventsEach*fresh {
		return nil, &AnswerError{Event: -1, Reason: "too many events"}
	}
	if uint64(len(a.Literals)) > literalsBase+literalsEach*fresh {
		return nil, &AnswerError{Event: -1, Reason: "too many bytes in literals"}
	}
	b := bounds{text: &s.text, from: s.check.end, pushed: s.given, literals: a.Literals, synthesises: s.synth, opening: at == opening}
	for i := range a.Events {
		e := &a.Events[i]
		literal := s.check.loaded
		if why := s.check.check(e, &b); why != "" {
			return nil, &AnswerError{Event: i, Kind: e.Kind, Reason: why}
		}
		switch {
		case e.Kind == abi.Literal, e.Kind > abi.Note:
			continue
		case e.Kind == abi.Watch:
			if i != len(a.Events)-1 {
				return nil, &AnswerError{Event: i, Kind: e.Kind, Reason: "it is not the last event"}
			}
			continue
		}
		s.events = append(s.events, s.event(e, literal, a.Literals))
		if e.Kind == abi.Error && (e.Flags&abi.FlagFatal != 0 || s.strict()) {
			if e.Flags&abi.FlagFatal != 0 && i != len(a.Events)-1 {
				return nil, &AnswerError{Event: i + 1, Kind: a.Events[i+1].Kind, Reason: "it follows a fatal ERROR"}
			}
			return &s.events[len(s.events)-1], nil
		}
	}
	if s.check.loaded {
		return nil, &AnswerError{Event: len(a.Events) - 1, Kind: abi.Literal, Reason: "no event follows it"}
	}
	if at == finishing && s.check.end != s.given {
		return nil, &AnswerError{Event: -1, Reason: "the last answer does not account for all of the text"}
	}
	if at == finishing && s.check.open {
		return nil, &AnswerError{Event: -1, Reason: "the last answer leaves a call open"}
	}
	return nil, nil
}

func (s *Session) strict() bool { return s.cfg.Open.Flags&abi.OpenTurnGrammar != 0 }

// event makes the event for a checked record.
func (s *Session) event(e *abi.Event, literal bool, literals []byte) CheckedEvent {
	out := CheckedEvent{Kind: e.Kind, Flags: e.Flags, Call: e.Call, Accounted: e.End}
	switch {
	case literal:
		l, n := s.check.literal, len(s.literals)
		s.literals = append(s.literals, literals[l.Start:l.Start+l.Len]...)
		out.Data, out.Literal = s.literals[n:], true
	case e.Kind == abi.Error:
	case e.Len > 0 && spans(e):
		out.Start, out.End = e.Start, e.Start+e.Len
		out.Data = s.text.slice(out.Start, out.End)
	}
	if e.Kind == abi.Error {
		out.Code = e.Start
	}
	return out
}

func spans(e *abi.Event) bool {
	switch e.Kind {
	case abi.Text, abi.Reasoning, abi.Call, abi.CallID, abi.Args, abi.Key, abi.Value:
		return true
	case abi.CallEnd:
		return e.Flags&abi.FlagUnsound != 0
	}
	return false
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
	s.fault = &FaultError{Parser: s.name, Offset: s.check.end, Cause: cause}
	if bad := (*AnswerError)(nil); errors.As(cause, &bad) && s.src != nil {
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
	from := s.check.end
	if s.check.open && !s.sent() {
		from = max(s.check.before, s.check.prose)
		s.check.open = !s.forget(s.check.call())
	}
	s.dropOpen()
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

// dropOpen drops the call that is open, if there is one.
func (s *Session) dropOpen() {
	if s.check.open {
		s.events = append(s.events, CheckedEvent{Kind: abi.CallDrop, Call: s.check.call(), Accounted: s.check.end})
		s.check.open = false
	}
}

// say makes text of everything from an offset on.
func (s *Session) say(from uint32) {
	end := s.text.pushed
	s.given = end
	if from == end {
		return
	}
	s.events = append(s.events, CheckedEvent{Kind: abi.Text, Data: s.text.slice(from, end), Start: from, End: end, Accounted: end})
	s.check.end, s.check.prose = end, end
}
