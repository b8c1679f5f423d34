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
	ops  []loggedOp
	text []byte
	hash uint64
	lost bool // it grew beyond the limit
}

type loggedOp struct {
	off  abi.RawOffset
	size uint32
	back uint8
}

// add notes a call that was answered.
func (l *replayLog) add(o op, most int, answer abi.Answer) {
	if l.lost || most == 0 {
		l.lost = true
		return
	}
	l.hash = hashAnswer(l.hash, answer)
	if o.kind != opPush {
		return
	}
	if len(l.text)+len(o.data) > most || 16*len(l.ops) > most {
		*l = replayLog{lost: true}
		return
	}
	l.ops = append(l.ops, loggedOp{o.off, uint32(len(o.data)), uint8(o.back)})
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

// again rebuilds the session and runs the call that failed. An innocent session
// shares its new instance; alone gives it one for itself.
func (s *Session) again(o op, alone bool) error {
	s.leave()
	i, err := s.module.pool.acquire(alone)
	if err != nil {
		return err
	}
	s.inst = i
	if o.kind != opOpen {
		if err := s.replay(i); err != nil {
			return err
		}
		s.module.replays.Add(1)
	}
	return s.try(o)
}

// replay brings a fresh instance to where the session was. What it answers was
// said before and is dropped.
func (s *Session) replay(i *instance) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.dead {
		return errDead
	}
	if err := s.run(i, op{kind: opOpen, data: s.block}); err != nil {
		return err
	}
	hash := hashAnswer(0, s.answer())
	text := s.log.text
	for _, l := range s.log.ops {
		if err := s.run(i, op{kind: opPush, off: l.off, back: int(l.back), data: text[:l.size]}); err != nil {
			return err
		}
		text = text[l.size:]
		hash = hashAnswer(hash, s.answer())
	}
	if hash != s.log.hash {
		return i.fail(export{name: "replay"}, errReplay)
	}
	return nil
}

// recover deals with a call that failed. A session whose instance was lost is
// rebuilt. A fault in an instance that others have used too is tried again in
// one of its own: it may be a neighbour's doing.
func (s *Session) recover(o op, err error) error {
	if s.log.lost && o.kind != opOpen {
		if errors.Is(err, errDead) {
			return s.module.lost()
		}
		return err
	}
	for n := 0; n < maxRebuilds && errors.Is(err, errDead); n++ {
		err = s.again(o, false)
	}
	if errors.Is(err, errDead) || isFault(err) && s.module.pool.crowded(s.inst) {
		err = s.again(o, true)
	}
	if errors.Is(err, errDead) { // only closing ends an instance that has no neighbours
		return ErrClosed
	}
	return err
}
