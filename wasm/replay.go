package wasm

import (
	"errors"
	"hash/maphash"

	"github.com/turnkey-parsers/turnkey/abi"
)

// maxRebuilds is how often a session is rebuilt for one call before it gets an
// instance for itself.
const maxRebuilds = 3

// replayLog keeps what a session has handed in, and a hash of what it was
// answered: that is enough to rebuild it and to know that it is the same.
type replayLog struct {
	calls      []loggedCall
	text       []byte
	hash       uint64
	overflowed bool // it grew beyond the limit
}

type loggedCall struct {
	off  abi.RawOffset
	size uint32
	back uint8
}

// addCall notes a call that was answered.
func (l *replayLog) addCall(o sessionCall, most int, answer abi.Answer) {
	if l.overflowed || most == 0 {
		l.overflowed = true
		return
	}
	l.hash = hashAnswer(l.hash, answer)
	if o.kind != callPush {
		return
	}
	if len(l.text)+len(o.data) > most || 16*len(l.calls) > most {
		*l = replayLog{overflowed: true}
		return
	}
	l.calls = append(l.calls, loggedCall{o.off, uint32(len(o.data)), uint8(o.back)})
	l.text = append(l.text, o.data...)
}

var hashSeed = maphash.MakeSeed()

func hashAnswer(h uint64, a abi.Answer) uint64 {
	const prime = 0x9e3779b97f4a7c15
	for _, e := range a.Events {
		h = (h ^ uint64(e.Kind) ^ uint64(e.Flags)<<8 ^ uint64(e.Call)<<16 ^ uint64(e.Start)<<32) * prime
		h = (h ^ h>>32 ^ uint64(e.Len) ^ uint64(e.End)<<32) * prime
	}
	if len(a.Literals) > 0 {
		h = (h ^ maphash.Bytes(hashSeed, a.Literals)) * prime
	}
	return (h ^ h>>32 ^ 1) * prime
}

// rebuild rebuilds the session and runs the call that failed. An innocent session
// shares its new instance; alone gives it one for itself.
func (s *Session) rebuild(o sessionCall, alone bool) error {
	s.leaveInstance()
	i, err := s.module.pool.acquire(alone)
	if err != nil {
		return err
	}
	s.inst = i
	if o.kind != callOpen {
		if err := s.replay(i); err != nil {
			return err
		}
		s.module.replays.Add(1)
	}
	return s.tryCall(o)
}

// replay brings a fresh instance to where the session was. What it answers was
// said before and is dropped.
func (s *Session) replay(i *instance) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.dead {
		return errDead
	}
	if err := s.callGuest(i, sessionCall{kind: callOpen, data: s.block}); err != nil {
		return err
	}
	hash := hashAnswer(0, s.lastAnswer())
	text := s.replayed.text
	for _, l := range s.replayed.calls {
		if err := s.callGuest(i, sessionCall{kind: callPush, off: l.off, back: int(l.back), data: text[:l.size]}); err != nil {
			return err
		}
		text = text[l.size:]
		hash = hashAnswer(hash, s.lastAnswer())
	}
	if hash != s.replayed.hash {
		return i.failLocked(exportedFunc{name: "replay"}, errReplay)
	}
	return nil
}

// recoverCall deals with a call that failed. A session whose instance was lost is
// rebuilt. A fault in an instance that others have used too is tried again in
// one of its own: it may be a neighbour's doing.
func (s *Session) recoverCall(o sessionCall, err error) error {
	if s.replayed.overflowed && o.kind != callOpen {
		if errors.Is(err, errDead) {
			return s.module.lostError()
		}
		return err
	}
	for n := 0; n < maxRebuilds && errors.Is(err, errDead); n++ {
		err = s.rebuild(o, false)
	}
	if errors.Is(err, errDead) || isFault(err) && s.module.pool.wasShared(s.inst) {
		err = s.rebuild(o, true)
	}
	if errors.Is(err, errDead) { // only closing ends an instance that has no neighbours
		return ErrClosed
	}
	return err
}
