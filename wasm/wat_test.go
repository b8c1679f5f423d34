package wasm

import (
	"fmt"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/wasm/internal/wat"
)

// handGuest is a hand-written guest: everything is text, unless a part of it is
// replaced. A push that begins with "!" runs Bad first.
type handGuest struct {
	Version    uint32
	Said       string // what tk_manifest answers, if not the manifest
	Pages      uint32
	Alloc      string
	Open       string
	Push       string
	PushLocals string
	Finish     string
	Close      string
	Bad        string
	Missing    string // an export that it lacks
	Build      func(m *wat.Module)
	Imports    func(m *wat.Module)
	Manifest   string
}

const handManifest = `{"abi":"1.0","module":"hand","version":"0.1.0","license":"Apache-2.0","parsers":[{"name":"brackets","kind":"unified","synthesises":true}]}`

// Where the guest keeps what it answers, its manifest and its input.
const (
	answerAt   = 1024
	manifestAt = 2048
	inputAt    = 8192
)

// event is code that writes one event as number n of the answer. Its parts are
// code too, each leaving an i32.
func event(n int, kind abi.Kind, flags uint8, start, size, end string) string {
	at := answerAt + n*abi.EventSize
	return fmt.Sprintf(`
		i32.const %d; i32.const %d; i32.store 0
		i32.const %d; %s; i32.store 0
		i32.const %d; %s; i32.store 0
		i32.const %d; %s; i32.store 0
	`, at, int(kind)|int(flags)<<8, at+4, start, at+8, size, at+12, end)
}

// answer is code that answers n events.
func answer(n int) string {
	return fmt.Sprintf("i64.const %d", answerAt<<32|n*abi.EventSize)
}

const (
	pushedOff = "local.get 1"
	pushedLen = "local.get 4; local.get 2; i32.sub"
	pushedEnd = "local.get 1; local.get 4; i32.add; local.get 2; i32.sub"
)

// Bytes is bytes, for other packages.
func (g handGuest) Bytes() []byte { return g.bytes() }

func (g handGuest) bytes() []byte {
	def := func(s *string, v string) {
		if *s == "" {
			*s = v
		}
	}
	def(&g.Manifest, handManifest)
	def(&g.Said, g.Manifest)
	def(&g.Alloc, fmt.Sprint("i32.const ", inputAt))
	def(&g.Open, "i64.const 0")
	def(&g.Push, event(0, abi.Text, 0, pushedOff, pushedLen, pushedEnd)+answer(1))
	def(&g.Finish, event(0, abi.Commit, 0, "i32.const 0", "i32.const 0", "local.get 1")+answer(1))
	if g.Version == 0 {
		g.Version = abi.Version
	}
	if g.Pages == 0 {
		g.Pages = 4
	}
	if g.Bad != "" {
		g.Push = "local.get 3; i32.load8_u 0; i32.const 33; i32.eq; if;" + g.Bad + "; end;" + g.Push
	}

	var m wat.Module
	if g.Imports != nil {
		g.Imports(&m)
	}
	name := func(export string) string {
		if export == g.Missing {
			return ""
		}
		return export
	}
	m.Memory(name(abi.ExportMemory), g.Pages, 0)
	m.Data(manifestAt, g.Said)
	m.Func(name(abi.ExportABI), "", "i32", "", fmt.Sprint("i32.const ", g.Version))
	m.Func(name(abi.ExportManifest), "", "i64", "", fmt.Sprint("i64.const ", manifestAt<<32|len(g.Said)))
	m.Func(name(abi.ExportAlloc), "i32", "i32", "", g.Alloc)
	m.Func(name(abi.ExportOpen), "i32 i32 i32", "i64", "", g.Open)
	m.Func(name(abi.ExportPush), "i32 i32 i32 i32 i32", "i64", g.PushLocals, g.Push)
	m.Func(name(abi.ExportFinish), "i32 i32 i32", "i64", "", g.Finish)
	m.Func(name(abi.ExportClose), "i32", "", "", g.Close)
	if g.Build != nil {
		g.Build(&m)
	}
	m.Custom(abi.SectionManifest, g.Manifest)
	return m.Bytes()
}

func TestHandGuest(t *testing.T) {
	m := compile(t, newRuntime(t), handGuest{}.bytes(), ThirdParty())
	s := openStream(t, m)
	defer s.Close()
	for _, text := range []string{"one ", "two"} {
		if err := s.push(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.finish(); err != nil {
		t.Fatal(err)
	}
	if s.said != "one two" || s.end != 7 {
		t.Errorf("said %q, end %d", s.said, s.end)
	}
}
