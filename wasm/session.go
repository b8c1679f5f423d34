package wasm

import (
	"errors"
	"fmt"
	"sync"

	"github.com/turnkey-parsers/turnkey/abi"
)

// Session is one session of a module. It is for one goroutine at a time, but
// Close may come from another.
type Session struct {
	module *Module

	mu     sync.Mutex
	inst   *instance // nil while it has none
	id     uint32    // in inst
	err    error     // why the session is over
	closed bool

	block    []byte        // the open block
	total    abi.RawOffset // absolute offset up to which text was pushed
	end      abi.RawOffset // absolute offset up to which it is accounted for
	log      replayLog
	events   []abi.Event // the last answer's
	literals []byte
}

// op is one call of a session.
type op struct {
	kind   opKind
	off    abi.RawOffset
	back   int
	data   []byte // tk_open: the open block; tk_push: the text
	reason abi.Finish
}

type opKind uint8

const (
	opOpen opKind = iota
	opPush
	opFinish
)

func (s *Session) open(open *abi.OpenBlock) (abi.Answer, error) {
	s.block = abi.AppendOpen(nil, open)
	return s.do(op{kind: opOpen, data: s.block})
}

// Push hands in data, whose first back bytes are left context and whose rest
// stands at absolute offset off. The answer is valid until the session's next
// call. After an error the session is over; it is a *Fault, or a *LimitError
// where there is no room to rebuild a lost session.
func (s *Session) Push(off abi.RawOffset, back int, data []byte) (abi.Answer, error) {
	if back < 0 || back > len(data) || back > abi.MaxLeftContext {
		return abi.Answer{}, fmt.Errorf("wasm: a push of %d bytes can't have %d bytes of left context", len(data), back)
	}
	return s.do(op{kind: opPush, off: off, back: back, data: data})
}

// Finish ends the text at absolute offset off.
func (s *Session) Finish(off abi.RawOffset, reason abi.Finish) (abi.Answer, error) {
	return s.do(op{kind: opFinish, off: off, reason: reason})
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
		s.err = s.module.fault("answer", why)
		return
	}
	s.err = i.fail(export{name: "answer"}, why)
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
	s.leave()
	s.log = replayLog{}
	s.module.leave()
}

// leave gives the instance back.
func (s *Session) leave() {
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
	if i.dead || !i.module.limits.shared() {
		return
	}
	i.stack[0] = uint64(id)
	if err := i.call(i.forget, i.module.limits.Fuel.Call); err != nil {
		_ = i.fail(i.forget, err) // counted and logged; nobody waits for an answer
	}
}

// do runs one call and gives its answer.
func (s *Session) do(o op) (abi.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return abi.Answer{}, s.err
	}
	err := s.try(o)
	if err != nil {
		err = s.recover(o, err)
	}
	if err != nil {
		s.err = err
		return abi.Answer{}, err
	}
	answer := s.answer()
	s.log.add(o, s.module.limits.replay(), answer)
	return answer, nil
}

func (s *Session) answer() abi.Answer {
	return abi.Answer{Events: s.events, Literals: s.literals}
}

func isFault(err error) bool {
	var f *Fault
	return errors.As(err, &f)
}

// try runs one call in the session's instance.
func (s *Session) try(o op) error {
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
	return s.run(i, o)
}

// run makes the call, under the instance's lock.
func (s *Session) run(i *instance, o op) error {
	e, fuel := export{}, s.module.limits.Fuel.of(len(o.data), int(s.held()))
	if o.kind != opFinish {
		if err := i.write(o.data, fuel); err != nil {
			return i.fail(i.alloc, err)
		}
	}
	switch o.kind {
	case opOpen:
		i.nextID++
		s.id, s.total, s.end = i.nextID, 0, 0
		e = i.open
		i.stack[1], i.stack[2] = uint64(i.input), uint64(len(o.data))
	case opPush:
		e = i.push
		i.stack[1], i.stack[2] = uint64(o.off), uint64(o.back)
		i.stack[3], i.stack[4] = uint64(i.input), uint64(len(o.data))
	case opFinish:
		e = i.finish
		i.stack[1], i.stack[2] = uint64(o.off), uint64(o.reason)
	}
	i.stack[0] = uint64(s.id)
	if err := i.call(e, fuel); err != nil {
		return i.fail(e, err)
	}
	if err := s.decode(i); err != nil {
		return i.fail(e, err)
	}
	if err := s.account(o); err != nil {
		return i.fail(e, err)
	}
	return nil
}

func (s *Session) held() uint32 { return uint32(s.total - min(s.total, s.end)) }

// account notes what was pushed and what the answer accounts for. Bytes that a
// WATCH left out lie before the push and are accounted for.
func (s *Session) account(o op) error {
	if o.kind == opOpen {
		return nil
	}
	if o.off > s.total {
		s.end = o.off
	}
	s.total = o.off
	if o.kind == opPush {
		s.total += abi.RawOffset(len(o.data) - o.back)
	}
	if n := len(s.events); n > 0 {
		s.end = max(s.end, s.events[n-1].End)
	}
	return over("HeldBytes", int(s.held()), s.module.limits.HeldBytes)
}
