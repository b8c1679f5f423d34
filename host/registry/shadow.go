package registry

import (
	"errors"
	"sync"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
)

// shadowed is the live version's parser, with that of a version on trial beside
// it: what is answered is the live one's.
type shadowed struct {
	live, candidate parser.Engine
	trial           *trial
}

func (e *shadowed) Parser() *manifest.Parser { return e.live.Parser() }

// Constraint implements parser.Constrainer.
func (e *shadowed) Constraint(open *abi.OpenBlock) ([]byte, error) { return constraint(e.live, open) }

func (e *shadowed) Open(open *abi.OpenBlock) (parser.Source, abi.Answer, error) {
	live, answer, err := e.live.Open(open)
	if err != nil {
		return nil, abi.Answer{}, err
	}
	s := &shadowSource{live: live, trial: e.trial}
	other := *open
	other.Parser = e.candidate.Parser().Name
	candidate, theirs, err := e.candidate.Open(&other)
	var busy *parser.BusyError
	switch {
	case err == nil:
		s.candidate = candidate
		s.hear(answer, theirs)
	case !errors.As(err, &busy):
		s.decide(false)
	}
	return s, s.unwatched(answer), nil
}

// shadowSource is a session of both versions. The text that a WATCH lets the
// host keep for itself would be lost to the candidate, whose WATCH is another:
// so the host sees none, which a parser has to put up with.
type shadowSource struct {
	live  parser.Source
	trial *trial

	mu        sync.Mutex    // Close may come from another goroutine
	candidate parser.Source // nil once it is decided
	compare   comparison
	events    []abi.Event
}

func (s *shadowSource) Push(off abi.RawOffset, back int, data []byte) (abi.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer, err := s.live.Push(off, back, data)
	if err != nil {
		s.drop()
		return answer, err
	}
	if s.candidate != nil {
		theirs, err := s.candidate.Push(off, back, data)
		s.both(answer, theirs, err)
	}
	return s.unwatched(answer), nil
}

func (s *shadowSource) Finish(off abi.RawOffset, reason abi.Finish) (abi.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer, err := s.live.Finish(off, reason)
	if err != nil {
		s.drop()
		return answer, err
	}
	if s.candidate != nil {
		theirs, err := s.candidate.Finish(off, reason)
		s.both(answer, theirs, err)
	}
	if s.candidate != nil {
		s.compare.end()
		s.decide(!s.compare.differs)
	}
	return answer, nil
}

func (s *shadowSource) both(ours, theirs abi.Answer, err error) {
	if err != nil {
		s.decide(false)
		return
	}
	s.hear(ours, theirs)
}

func (s *shadowSource) hear(ours, theirs abi.Answer) {
	if s.candidate == nil {
		return
	}
	s.compare.live.hear(ours)
	s.compare.candidate.hear(theirs)
	if s.compare.match(); s.compare.differs {
		s.decide(false)
	}
}

// decide ends the comparison.
func (s *shadowSource) decide(same bool) {
	s.trial.compared(same, s.compare.where)
	s.drop()
}

func (s *shadowSource) drop() {
	if s.candidate != nil {
		s.candidate.Close()
		s.candidate = nil
	}
}

// unwatched is an answer in which a WATCH only accounts for its bytes.
func (s *shadowSource) unwatched(a abi.Answer) abi.Answer {
	n := len(a.Events)
	if n == 0 || a.Events[n-1].Kind != abi.Watch {
		return a
	}
	s.events = append(s.events[:0], a.Events...)
	s.events[n-1] = abi.Event{Kind: abi.Commit, End: a.Events[n-1].End}
	a.Events = s.events
	return a
}

func (s *shadowSource) Discard(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
	s.live.Discard(why)
}

func (s *shadowSource) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
	s.live.Close()
}
