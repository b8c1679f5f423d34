package wasm

import (
	"bytes"
	"context"
	"encoding/binary"
	"log/slog"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/wasm/internal/wat"
)

// bareInstance is an instance without a guest, for the stub's functions.
func bareInstance(memory int) *instance {
	m := &linearMemory{buffer: make([]byte, memory), most: uint64(memory)}
	return &instance{memory: m}
}

func TestWASIIsDeterministic(t *testing.T) {
	i := bareInstance(4096)
	for name, want := range map[string]uint64{"clock_time_get": clockNow} {
		for range 2 {
			if errno := wasiFuncs[name](i, []uint64{1, 0, 64}); errno != 0 {
				t.Fatalf("%s: error %d", name, errno)
			}
			if got := binary.LittleEndian.Uint64(i.memory.buffer[64:]); got != want {
				t.Errorf("%s: %d, want %d", name, got, want)
			}
		}
	}
	random := wasiFuncs["random_get"]
	random(i, []uint64{0, 32})
	random(i, []uint64{100, 32})
	if a, b := i.memory.buffer[:32], i.memory.buffer[100:132]; !bytes.Equal(a, b) || bytes.Equal(a, make([]byte, 32)) {
		t.Errorf("random_get: %x, then %x", a, b)
	}
}

func TestWASIChecksItsPointers(t *testing.T) {
	const out = 0xfffffff0
	for name, params := range map[string][]uint64{
		"args_sizes_get": {out, 0}, "environ_sizes_get": {0, out}, "clock_time_get": {1, 0, out},
		"clock_res_get": {1, out}, "random_get": {out, 32}, "poll_oneoff": {out, 0, 1, 0},
		"fd_fdstat_get": {1, out}, "fd_write": {1, out, 1, 0},
	} {
		if errno := wasiFuncs[name](bareInstance(4096), params); errno != errnoFault {
			t.Errorf("%s: error %d, want %d", name, errno, errnoFault)
		}
	}
	i := bareInstance(4096)
	binary.LittleEndian.PutUint32(i.memory.buffer[8:], out)
	binary.LittleEndian.PutUint32(i.memory.buffer[12:], 64)
	if errno := wasiWrite(i, []uint64{1, 8, 1, 0}); errno != errnoFault {
		t.Errorf("fd_write of what is not there: error %d", errno)
	}
	if errno := wasiRandom(bareInstance(1<<16), []uint64{0, maxRandom + 1}); errno != errnoInval {
		t.Errorf("random_get of too much: error %d", errno)
	}
	for name, want := range map[string]uint32{"path_open": errnoNotcapable, "sock_send": errnoNotcapable, "fd_read": errnoBadf} {
		if errno := wasiRefuse(name)(i, nil); errno != want {
			t.Errorf("%s: error %d, want %d", name, errno, want)
		}
	}
}

// TestWASIFunctionsAllLink calls every function of the stub from a guest.
func TestWASIFunctionsAllLink(t *testing.T) {
	for name, params := range wasiParams {
		var types, code string
		for _, p := range params {
			typ := map[rune]string{'i': "i32", 'I': "i64"}[p]
			types += typ + " "
			code += typ + ".const 0;"
		}
		guest := handGuest{
			Imports: func(m *wat.Module) { m.Import(wasiModule, name, types, "i32") },
			Bad:     code + "call 0; drop",
		}
		s := openStream(t, compile(t, newRuntime(t), guest.bytes(), ThirdParty()))
		if err := s.push("!"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		s.Close()
	}
}

func TestOutputIsLoggedButNotWithoutEnd(t *testing.T) {
	var log bytes.Buffer
	r := newRuntime(t, func(c *Config) *Config {
		return c.WithLogger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	})
	s := openStream(t, compile(t, r, goGuestBytes(t), ThirdParty()))
	defer s.Close()
	for range 500 {
		if err := s.push("!print."); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Count(log.String(), `module=goguest version=1.0.0 fd=2 text="printed by the guest"`); got < 1 || got > 100 {
		t.Errorf("500 lines were written, %d logged", got)
	}
}

// TestGuestCollects runs the guest's own garbage collector on the tight budget.
func TestGuestCollects(t *testing.T) {
	s := openStream(t, compile(t, newRuntime(t), goGuestBytes(t), ThirdParty()))
	defer s.Close()
	for range 20 {
		if err := s.push("!collect."); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCompiledCodeIsCached finds a module's code on disk.
func TestCompiledCodeIsCached(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		r, err := NewRuntime(context.Background(), NewConfig().WithCacheDir(dir).WithLogger(slog.New(slog.DiscardHandler)))
		if err != nil {
			t.Fatal(err)
		}
		s := openStream(t, compile(t, r, handGuest{}.bytes(), ThirdParty()))
		if err := s.push("x"); err != nil {
			t.Fatal(err)
		}
		s.Close()
		if err := r.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if n := countFiles(t, dir); n != 1 {
		t.Errorf("%d files are in the cache, want 1", n)
	}
}
