package wasm

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/wasm/internal/wat"
)

func TestLoadErrors(t *testing.T) {
	imports := func(module, name, params, results string) func(*wat.Module) {
		return func(m *wat.Module) { m.Import(module, name, params, results) }
	}
	limits := func(change func(*Limits)) Limits {
		l := ThirdParty()
		change(&l)
		return l
	}
	for _, c := range []struct {
		name   string
		guest  handGuest
		limits Limits
		want   string
	}{
		{"forbidden import", handGuest{Imports: imports("env", "system", "i32", "i32")}, ThirdParty(),
			"module hand 0.1.0 can't be loaded: import env.system: a parser may import nothing but wasi_snapshot_preview1"},
		{"unknown WASI function", handGuest{Imports: imports(wasiModule, "sock_open", "i32", "i32")}, ThirdParty(),
			"import wasi_snapshot_preview1.sock_open: there is no such function"},
		{"WASI signature", handGuest{Imports: imports(wasiModule, "proc_exit", "i64", "")}, ThirdParty(),
			"import wasi_snapshot_preview1.proc_exit has the signature (i64) → (), want (i32) → ()"},
		{"missing export", handGuest{Missing: abi.ExportFinish}, ThirdParty(), "does not export tk_finish"},
		{"missing memory", handGuest{Missing: abi.ExportMemory}, ThirdParty(), `does not export its memory as "memory"`},
		{"export signature", handGuest{Missing: abi.ExportClose, Build: func(m *wat.Module) {
			m.Func(abi.ExportClose, "i64", "", "", "")
		}}, ThirdParty(), "export tk_close has the signature (i64) → (), want (i32) → ()"},
		{"optional export's signature", handGuest{Build: func(m *wat.Module) {
			m.Func(abi.ExportInitialize, "", "i32", "", "i32.const 0")
		}}, ThirdParty(), "export _initialize has the signature () → i32, want () → ()"},
		{"ABI version", handGuest{Version: 2<<16 | 3}, ThirdParty(),
			"the module speaks version 2.3 of the ABI, this program speaks 1.0"},
		{"another manifest", handGuest{Said: handManifest + " "}, ThirdParty(), "is not the custom section turnkey.manifest"},
		{"start function never ends", handGuest{Build: func(m *wat.Module) {
			m.Start(m.Func("", "", "", "", "loop; br 0; end"))
		}}, ThirdParty(), "start: with 3000000 units of fuel (limit Fuel.Start): start function"},
		{"start function traps", handGuest{Build: func(m *wat.Module) {
			m.Start(m.Func("", "", "", "", "unreachable"))
		}}, ThirdParty(), "start: "},
		{"_initialize never ends", handGuest{Build: func(m *wat.Module) {
			m.Func(abi.ExportInitialize, "", "", "", "loop; br 0; end")
		}}, ThirdParty(), "_initialize: limit Fuel: more than 3000000"},
		{"atomics", handGuest{Build: func(m *wat.Module) { m.Func("", "", "", "", "0xfe 0x03 0x00") }}, ThirdParty(),
			"instruction 0xfe is unknown or needs a feature that is not allowed"},
		{"module size", handGuest{}, limits(func(l *Limits) { l.ModuleBytes = 100 }), "limit ModuleBytes: "},
		{"memory", handGuest{Pages: 600}, ThirdParty(), "limit MemoryPages: 600, more than 512"},
		{"tables", handGuest{Build: func(m *wat.Module) { m.Table(70_000, 0) }}, ThirdParty(),
			"limit TableElements: 70000, more than 65536"},
		{"compile time", handGuest{}, limits(func(l *Limits) { l.CompileTime = 1 }), "limit CompileTime: more than 1ns"},
		{"no manifest", handGuest{Manifest: " "}, ThirdParty(), "can't be loaded"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := newRuntime(t).Compile(context.Background(), c.guest.bytes(), c.limits)
			var e *LoadError
			if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestNoModule(t *testing.T) {
	for _, binary := range []string{"", "\x00asm", "#!/bin/sh", "\x00asm\x01\x00\x00\x00"} {
		if _, err := newRuntime(t).Compile(context.Background(), []byte(binary), ThirdParty()); err == nil {
			t.Errorf("%q was loaded", binary)
		}
	}
}

func TestCompileCanBeCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := newRuntime(t).Compile(ctx, goGuestBytes(t), ThirdParty())
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestCacheDirCannotBeMade(t *testing.T) {
	if _, err := NewRuntime(context.Background(), NewConfig().WithCacheDir("/dev/null/cache")); err == nil ||
		!strings.Contains(err.Error(), "/dev/null/cache") {
		t.Errorf("got %v", err)
	}
}

func TestCloseWaitsForSessions(t *testing.T) {
	m := compile(t, newRuntime(t), handGuest{}.bytes(), ThirdParty())
	s := openStream(t, m)
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if err := m.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("Close with an open session: %v", err)
	}
	if _, _, err := m.Open(context.Background(), &abi.OpenBlock{}); !errors.Is(err, ErrClosed) {
		t.Errorf("Open of a closing module: %v", err)
	}
	if err := s.push("still served"); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- m.Close(context.Background()) }()
	s.Close()
	s.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got := m.Stats(); got.Instances != 0 || got.Sessions != 0 || got.Opened != 1 {
		t.Errorf("stats %+v", got)
	}
	if err := s.push("x"); !errors.Is(err, ErrClosed) {
		t.Errorf("a push after Close: %v", err)
	}
}

func TestRuntimeCloseEndsSessions(t *testing.T) {
	r := newRuntime(t)
	m := compile(t, r, goGuestBytes(t), Shipped())
	s := openStream(t, m)
	if err := r.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := s.push("x"); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
	s.Close()
	if _, err := r.Compile(context.Background(), handGuest{}.bytes(), ThirdParty()); !errors.Is(err, ErrClosed) {
		t.Errorf("Compile after Close: %v", err)
	}
}

func TestSameBytesTwice(t *testing.T) {
	r := newRuntime(t)
	a, b := compile(t, r, goGuestBytes(t), Shipped()), compile(t, r, goGuestBytes(t), Shipped())
	if err := a.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	s := openStream(t, b)
	defer s.Close()
	if err := s.push("fine"); err != nil || s.said != "fine" {
		t.Errorf("said %q, %v", s.said, err)
	}
	if a.Digest() != b.Digest() {
		t.Error("the digests differ")
	}
}

// A module with other sessions is no second compilation, and outlives the first.
func TestWithSessionsSharesTheCode(t *testing.T) {
	b := NewBuild(handGuest{}.bytes())
	before := WorkDone()
	r := newRuntime(t)
	first, err := r.CompileBuild(t.Context(), b, ThirdParty())
	if err != nil {
		t.Fatal(err)
	}
	second, err := first.WithSessions(16)
	if err != nil {
		t.Fatal(err)
	}
	now := WorkDone()
	if now.Parsed-before.Parsed != 1 || now.Metered-before.Metered != 1 || now.Compiled-before.Compiled != 1 || now.Hashed != before.Hashed {
		t.Errorf("work before %+v, now %+v", before, now)
	}
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := first.WithSessions(2); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed module's code: %v", err)
	}
	s := openStream(t, second)
	defer s.Close()
	if err := s.push("fine"); err != nil || s.said != "fine" {
		t.Errorf("said %q, %v", s.said, err)
	}
}
