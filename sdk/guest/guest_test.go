package guest

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
)

type echo struct{ name string }

func (e echo) Step(w *sdk.Window) { w.Text(w.Len()) }

var module = sdk.Module{
	New:        func(s *abi.OpenBlock) sdk.Parser { return echo{s.Parser} },
	Constraint: func(s *abi.OpenBlock) []byte { return []byte(s.Parser) },
}

func TestServer(t *testing.T) {
	s := server{module: &module}
	block := abi.AppendOpen(nil, &abi.OpenBlock{Parser: "larch"})
	for id := range uint32(3) {
		if a := s.open(id, block); len(a.Events) != 0 {
			t.Fatalf("open: %+v", a.Events)
		}
	}
	// Sessions have windows of their own, and the input's memory is used again.
	for i, id := range []uint32{0, 1, 0, 2, 1} {
		off := []uint32{0, 0, 2, 0, 2}[i]
		in := s.alloc(2)
		copy(in, "ab")
		a := s.push(id, off, 0, in)
		if len(a.Events) != 1 || a.Events[0] != (abi.Event{Kind: abi.Text, Start: off, Len: 2, End: abi.RawOffset(off) + 2}) {
			t.Errorf("session %d at %d: %+v", id, off, a.Events)
		}
	}
	if a := s.finish(0, 4, 0); len(a.Events) != 0 {
		t.Errorf("finish: %+v", a.Events)
	}
	s.close(0)
	if a := s.push(0, 4, 0, []byte("x")); len(a.Events) != 1 || a.Events[0].Kind != abi.Error {
		t.Errorf("push into a closed session: %+v", a.Events)
	}
	if got := s.constraint(block); string(got) != "larch" {
		t.Errorf("constraint: %q", got)
	}
}

func TestServerRefusesABadOpenBlock(t *testing.T) {
	s := server{module: &module}
	a := s.open(1, []byte("short"))
	if len(a.Events) != 1 || a.Events[0].Start != abi.CodeBadOpen || a.Events[0].Flags != abi.FlagFatal {
		t.Errorf("%+v", a.Events)
	}
	if got := s.constraint([]byte("short")); got != nil {
		t.Errorf("constraint: %q", got)
	}
}

func TestServerAllocatesNothing(t *testing.T) {
	s := server{module: &module}
	s.open(1, abi.AppendOpen(nil, &abi.OpenBlock{}))
	off := uint32(0)
	push := func() {
		in := s.alloc(16)
		s.push(1, off, 0, in)
		off += 16
	}
	push()
	if n := testing.AllocsPerRun(1000, push); n > 0 {
		t.Errorf("%v allocations a push", n)
	}
}
