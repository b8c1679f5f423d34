package registry

import (
	"errors"
	"sync"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/parser"
)

// shadowRun runs a version on trial beside the live version's session and
// compares what both answer. The user sees the live version's answer.
//
// The text that a WATCH lets the host keep for itself would be lost to the
// candidate, whose WATCH is another: so the host sees none, which a parser has to
// put up with.
type shadowRun struct {
	trial                *trial
	openCandidateSession func() (parser.Source, abi.Answer, error) // the candidate's session

	mu        sync.Mutex    // Close may come from another goroutine
	candidate parser.Source // nil once it is decided
	compare   comparison
	events    []abi.Event
}

// newShadowRun is for a session of the live parser that is opened with open.
func newShadowRun(t *trial, candidate parser.Engine, open *abi.OpenBlock) *shadowRun {
	return &shadowRun{trial: t, openCandidateSession: func() (parser.Source, abi.Answer, error) {
		other := *open
		other.Parser = candidate.Parser().Name
		return candidate.Open(&other)
	}}
}

func (s *shadowRun) onAnswer(made call, live abi.Answer, err error) abi.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.dropCandidate()
		return live
	}
	switch made.kind {
	case callOpen:
		s.openCandidate(live)
	case callPush:
		if s.candidate != nil {
			theirs, err := s.candidate.Push(made.off, made.back, made.data)
			s.compareAnswers(live, theirs, err)
		}
	case callFinish:
		if s.candidate != nil {
			theirs, err := s.candidate.Finish(made.off, made.reason)
			s.compareAnswers(live, theirs, err)
			s.compareEnds()
		}
		return live
	}
	return s.withoutWatch(live)
}

// openCandidate opens the candidate's session. One that has no room now, or none for so
// large a request, is not compared.
func (s *shadowRun) openCandidate(live abi.Answer) {
	candidate, theirs, err := s.openCandidateSession()
	var busy *parser.BusyError
	var large *parser.TooLargeError
	switch {
	case err == nil:
		s.candidate = candidate
		s.compareAnswers(live, theirs, nil)
	case !errors.As(err, &busy) && !errors.As(err, &large):
		s.decideTrial(false)
	}
}

func (s *shadowRun) compareAnswers(live, theirs abi.Answer, err error) {
	if err != nil {
		s.decideTrial(false)
		return
	}
	s.compare.live.addAnswer(live)
	s.compare.candidate.addAnswer(theirs)
	if s.compare.matchEmitted(); s.compare.differs {
		s.decideTrial(false)
	}
}

// compareEnds decides at the end of the text.
func (s *shadowRun) compareEnds() {
	if s.candidate != nil {
		s.compare.matchEnds()
		s.decideTrial(!s.compare.differs)
	}
}

// decideTrial ends the comparison.
func (s *shadowRun) decideTrial(same bool) {
	s.trial.countComparison(same, s.compare.firstDifference)
	s.dropCandidate()
}

func (s *shadowRun) dropCandidate() {
	if s.candidate != nil {
		s.candidate.Close()
		s.candidate = nil
	}
}

// withoutWatch is an answer in which a WATCH only accounts for its bytes.
func (s *shadowRun) withoutWatch(a abi.Answer) abi.Answer {
	n := len(a.Events)
	if n == 0 || a.Events[n-1].Kind != abi.Watch {
		return a
	}
	s.events = append(s.events[:0], a.Events...)
	s.events[n-1] = abi.Event{Kind: abi.Commit, End: a.Events[n-1].End}
	a.Events = s.events
	return a
}

func (s *shadowRun) onDiscard() { s.onClose() }

func (s *shadowRun) onClose() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropCandidate()
}
