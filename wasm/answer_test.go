package wasm

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/turnkey-parsers/turnkey/abi"
)

// FuzzDecode reads answers out of arbitrary memory: nothing panics, and what is
// taken is within its bounds.
func FuzzDecode(f *testing.F) {
	lit := abi.AppendEvent(nil, abi.Event{Kind: abi.Literal, Start: 16, Len: 3})
	f.Add(abi.AppendEvent(lit, abi.Event{Kind: abi.Args, End: 9}), uint64(32))
	f.Add([]byte("short"), uint64(1)<<32|4)
	f.Add(lit, uint64(8)<<32|16)
	limits := ThirdParty()
	limits.Events, limits.LiteralBytes = 8, 64
	f.Fuzz(func(t *testing.T, memory []byte, region uint64) {
		i := &instance{memory: &linearMemory{buffer: memory}}
		i.stack[0] = region
		s := &Session{module: &Module{limits: limits}}
		if s.decodeAnswer(i) != nil {
			return
		}
		if len(s.events) > limits.Events || len(s.literals) > limits.LiteralBytes {
			t.Fatalf("%d events, %d literal bytes", len(s.events), len(s.literals))
		}
		for _, e := range s.events {
			if e.Kind == abi.Literal && int(e.Start)+int(e.Len) > len(s.literals) {
				t.Fatalf("literal %d+%d of %d bytes", e.Start, e.Len, len(s.literals))
			}
		}
	})
}

// TestManySessionsAtOnce opens, pushes, faults and closes from many goroutines,
// and closes the module in the middle.
func TestManySessionsAtOnce(t *testing.T) {
	limits := Shipped()
	limits.SessionsPerInstance = 7
	m := compile(t, newRuntime(t), goGuestBytes(t), limits)
	var running sync.WaitGroup
	for n := range 16 {
		random := rand.New(rand.NewPCG(1, uint64(n)))
		running.Go(func() {
			for range 50 {
				if err := oneSession(m, random); err != nil {
					if !errors.Is(err, ErrClosed) {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	time.Sleep(20 * time.Millisecond)
	if err := m.Close(t.Context()); err != nil {
		t.Error(err)
	}
	running.Wait()
	if got := m.Stats(); got.Sessions != 0 || got.Instances != 0 {
		t.Errorf("left: %+v", got)
	}
}

// oneSession goes wrong one time in eight; else it must get its own text back.
func oneSession(m *Module, random *rand.Rand) error {
	raw, answer, err := m.Open(context.Background(), &abi.OpenBlock{Parser: "brackets"})
	if err != nil {
		return err
	}
	s := &stream{Session: raw}
	s.take(answer)
	defer s.Close()
	guilty := random.IntN(8) == 0
	for n := range random.IntN(10) {
		if err := s.push(fmt.Sprintf("a%d <b", n)); err != nil {
			return err
		}
		if err := s.push(fmt.Sprintf("%d> ", n)); err != nil {
			return err
		}
	}
	if guilty {
		if err := s.push("!exit."); err == nil {
			return errors.New("no fault")
		}
		return nil
	}
	want := ""
	for n := 0; len(want) < len(s.raw); n++ {
		want += fmt.Sprintf("a%d <b%d> ", n, n)
	}
	if err := s.finish(); err != nil {
		return err
	}
	if s.said != want {
		return fmt.Errorf("said %q, want %q", s.said, want)
	}
	return nil
}
