package wasm

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/wasm/internal/wat"
)

func TestMemoryGrowsInPlace(t *testing.T) {
	m, err := newMemory(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	small := m.Reallocate(1 << 16)
	small[0] = 7
	large := m.Reallocate(1 << 20)
	if &small[0] != &large[0] || len(large) != 1<<20 || m.size() != 1<<20 {
		t.Error("the memory moved")
	}
	if m.Reallocate(1<<20+1) != nil || m.refused != 1<<20+1 {
		t.Error("it grew beyond its limit")
	}
	m.Free()
	m.Free()
	if m.size() != 0 {
		t.Error("it is still there")
	}
}

// Every end of an instance gives its memory back: of a session, by a fault, in a
// start function, at loading.
func TestMemoryIsReleased(t *testing.T) {
	r := newRuntime(t)
	limits := ThirdParty()
	trapsAtStart := handGuest{Build: func(m *wat.Module) { m.Start(m.Func("", "", "", "", "unreachable")) }}.bytes()
	m := compile(t, r, handGuest{Bad: "unreachable", Open: "i64.const 0"}.bytes(), limits)
	before := addressSpace()
	for range 40 {
		s := openStream(t, m)
		if err := s.push("!"); err == nil {
			t.Fatal("no fault")
		}
		s.Close()
		openStream(t, m).Close()
		if _, err := r.Compile(context.Background(), trapsAtStart, limits); err == nil {
			t.Fatal("it was loaded")
		}
	}
	if _, _, err := m.Open(context.Background(), &abi.OpenBlock{Parser: "brackets"}); err != nil {
		t.Fatal(err) // one is left open, and ends with the module
	}
	r.Close(context.Background())
	if got := m.Stats(); got.Instances != 0 {
		t.Errorf("stats %+v", got)
	}
	if grown := addressSpace() - before; grown > 20*int(limits.MemoryPages)<<16 {
		t.Errorf("%d bytes of address space are left", grown)
	}
}

// addressSpace is what the process has of it, in bytes; 0 where that can't be told.
func addressSpace() (kib int) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(status, []byte("VmSize:"))
	if _, err := fmt.Fscan(bytes.NewReader(rest), &kib); err != nil {
		return 0
	}
	return kib << 10
}
