package wasm

import (
	"errors"
	"fmt"

	"github.com/turnkey-parsers/turnkey/abi"
)

// Session is one session of a module. It is for one goroutine at a time, but
// Close may come from another.
type Session struct {
	module *Module

	mu     sessionMutex
	inst   *instance // nil while it has none
	id     uint32    // in inst
	err    error     // why the session is over
	closed bool

	block       []byte        // the open block
	pushedTo    abi.RawOffset // absolute offset up to which text was pushed
	accountedTo abi.RawOffset // absolute offset up to which it is accounted for
	replayed    replayLog
	events      []abi.Event // the last answer's
	literals    []byte
}

// sessionCall is one call of a session.
type sessionCall struct {
	kind   callKind
	off    abi.RawOffset
	back   int
	data   []byte // tk_open: the open block; tk_push: the text
	reason abi.Finish
}

type callKind uint8

const (
	callOpen callKind = iota
	callPush
	callFinish
)

func (s *Session) openSession(openSession *abi.OpenBlock) (abi.Answer, error) {
	s.block = abi.AppendOpen(nil, openSession)
	return s.answerCall(sessionCall{kind: callOpen, data: s.block})
}

// Push hands in data, whose first back bytes are left context and whose rest
// stands at absolute offset off. The answer is valid until the session's next
// call. After an error the session is over; it is a *Fault, or a *LimitError
// where there is no room to rebuild a lost session.
func (s *Session) Push(off abi.RawOffset, back int, data []byte) (abi.Answer, error) {
	if back < 0 || back > len(data) || back > abi.MaxLeftContext {
		return abi.Answer{}, fmt.Errorf("wasm: a push of %d bytes can't have %d bytes of left context", len(data), back)
	}
	return s.answerCall(sessionCall{kind: callPush, off: off, back: back, data: data})
}

// Finish ends the text at absolute offset off.
func (s *Session) Finish(off abi.RawOffset, reason abi.Finish) (abi.Answer, error) {
	return s.answerCall(sessionCall{kind: callFinish, off: off, reason: reason})
}

// Discard says that an answer was malformed: the session is over and its
// instance is not used again.
func (s *Session) Discard(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil || s.closed || s.inst == nil {
		return
	}
	i := s.inst
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.dead {
		s.err = s.module.newFault("answer", why)
		return
	}
	s.err = i.failLocked(exportedFunc{name: "answer"}, why)
}

// Close forgets the session. It may be called at any time, also twice.
func (s *Session) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	if s.err == nil {
		s.err = ErrClosed
	}
	s.leaveInstance()
	s.replayed = replayLog{}
	s.module.leaveSession()
}

// leaveInstance gives the instance back.
func (s *Session) leaveInstance() {
	if s.inst == nil {
		return
	}
	s.inst.closeSession(s.id)
	s.module.pool.release(s.inst)
	s.inst = nil
}

// closeSession calls tk_close, if anyone will use the instance again.
func (i *instance) closeSession(id uint32) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.dead || !i.module.limits.sharesInstances() {
		return
	}
	i.stack[0] = uint64(id)
	if err := i.callExport(i.closeExport, i.module.limits.Fuel.Call); err != nil {
		_ = i.failLocked(i.closeExport, err) // counted and logged; nobody waits for an answer
	}
}

// answerCall runs one call and gives its answer.
func (s *Session) answerCall(o sessionCall) (abi.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return abi.Answer{}, s.err
	}
	err := s.tryCall(o)
	if err != nil {
		err = s.recoverCall(o, err)
	}
	if err != nil {
		s.err = err
		return abi.Answer{}, err
	}
	answer := s.lastAnswer()
	s.replayed.addCall(o, s.module.limits.replayLimit(), answer)
	return answer, nil
}

func (s *Session) lastAnswer() abi.Answer {
	return abi.Answer{Events: s.events, Literals: s.literals}
}

func isFault(err error) bool {
	var f *Fault
	return errors.As(err, &f)
}

// tryCall runs one call in the session's instance.
func (s *Session) tryCall(o sessionCall) error {
	if s.inst == nil {
		i, err := s.module.pool.acquire(false)
		if err != nil {
			return err
		}
		s.inst = i
	}
	i := s.inst
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.dead {
		return errDead
	}
	return s.callGuest(i, o)
}

// callGuest makes the call, under the instance's lock.
func (s *Session) callGuest(i *instance, o sessionCall) error {
	e, fuel := exportedFunc{}, s.module.limits.Fuel.budget(len(o.data), int(s.heldBytes()))
	fail := i.failLocked
	if o.kind == callOpen {
		fail = func(e exportedFunc, cause error) error {
			return i.failBlockLocked(e, cause, len(o.data), s.module.limits.Fuel.Most, "fuel_most")
		}
	}
	if o.kind != callFinish {
		if err := i.writeInput(o.data, fuel); err != nil {
			return fail(i.allocExport, err)
		}
	}
	switch o.kind {
	case callOpen:
		i.nextID++
		s.id, s.pushedTo, s.accountedTo = i.nextID, 0, 0
		e = i.openExport
		i.stack[1], i.stack[2] = uint64(i.inputAt), uint64(len(o.data))
	case callPush:
		e = i.pushExport
		i.stack[1], i.stack[2] = uint64(o.off), uint64(o.back)
		i.stack[3], i.stack[4] = uint64(i.inputAt), uint64(len(o.data))
	case callFinish:
		e = i.finishExport
		i.stack[1], i.stack[2] = uint64(o.off), uint64(o.reason)
	}
	i.stack[0] = uint64(s.id)
	if err := i.callExport(e, fuel); err != nil {
		return fail(e, err)
	}
	if err := s.decodeAnswer(i); err != nil {
		return fail(e, err)
	}
	if err := s.accountBytes(o); err != nil {
		return i.failLocked(e, err)
	}
	return nil
}

func (s *Session) heldBytes() uint32 { return uint32(s.pushedTo - min(s.pushedTo, s.accountedTo)) }

// accountBytes notes what was pushed and what the answer accounts for. Bytes that a
// WATCH left out lie before the push and are accounted for.
func (s *Session) accountBytes(o sessionCall) error {
	if o.kind == callOpen {
		return nil
	}
	if o.off > s.pushedTo {
		s.accountedTo = o.off
	}
	s.pushedTo = o.off
	if o.kind == callPush {
		s.pushedTo += abi.RawOffset(len(o.data) - o.back)
	}
	if n := len(s.events); n > 0 {
		s.accountedTo = max(s.accountedTo, s.events[n-1].End)
	}
	return exceeds("HeldBytes", int(s.heldBytes()), s.module.limits.HeldBytes)
}
