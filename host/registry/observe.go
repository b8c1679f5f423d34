package registry

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/parser"
)

// observer watches one session of a parser. onAnswer is told of every call that
// was made, the opening first, and gives the answer that the session's user is to
// see. onClose may come from another goroutine, at any time.
type observer interface {
	onAnswer(made call, a abi.Answer, err error) abi.Answer
	onDiscard()
	onClose()
}

// call is a call of a session.
type call struct {
	kind   callKind
	off    abi.RawOffset
	back   int
	data   []byte
	reason abi.Finish
}

type callKind uint8

const (
	callOpen callKind = iota
	callPush
	callFinish
)

// observed is a parser of whose sessions each has an observer.
type observed struct {
	parser.Engine
	observe func(*abi.OpenBlock) observer
}

func (e *observed) Open(open *abi.OpenBlock) (parser.Source, abi.Answer, error) {
	source, answer, err := e.Engine.Open(open)
	o := e.observe(open)
	answer = o.onAnswer(call{kind: callOpen}, answer, err)
	if err != nil {
		return nil, abi.Answer{}, err
	}
	return observedSource{source, o}, answer, nil
}

// Constraint implements parser.Constrainer.
func (e *observed) Constraint(open *abi.OpenBlock) ([]byte, error) {
	if c, ok := e.Engine.(parser.Constrainer); ok {
		return c.Constraint(open)
	}
	return nil, nil
}

// Admit implements parser.Admitter.
func (e *observed) Admit(open *abi.OpenBlock) error {
	if a, ok := e.Engine.(parser.Admitter); ok {
		return a.Admit(open)
	}
	return nil
}

type observedSource struct {
	source   parser.Source
	observer observer
}

func (s observedSource) Push(off abi.RawOffset, back int, data []byte) (abi.Answer, error) {
	a, err := s.source.Push(off, back, data)
	return s.observer.onAnswer(call{kind: callPush, off: off, back: back, data: data}, a, err), err
}

func (s observedSource) Finish(off abi.RawOffset, reason abi.Finish) (abi.Answer, error) {
	a, err := s.source.Finish(off, reason)
	return s.observer.onAnswer(call{kind: callFinish, off: off, reason: reason}, a, err), err
}

func (s observedSource) Discard(why error) {
	s.observer.onDiscard()
	s.source.Discard(why)
}

func (s observedSource) Close() {
	s.observer.onClose()
	s.source.Close()
}
