package registry

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/process"
	"github.com/turnkey-parsers/turnkey/wasm/wasmtest"
)

// TestMain makes the test binary a parser process too: the host starts it with
// the handshake's cookie.
func TestMain(m *testing.M) {
	if os.Getenv(process.Handshake.MagicCookieKey) != "" {
		process.Serve(&sdk.Module{
			Manifest: `{"abi":"1.0","module":"apart","version":"1.0.0","parsers":[{"name":"apart","kind":"unified"}]}`,
			New: func(s *abi.OpenBlock) sdk.Parser {
				if s.Parser != "apart" {
					return nil
				}
				return fragile{}
			},
		})
		return
	}
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("os/exec.(*Cmd).watchCtx"))
}

// fragile calls everything text, up to a "!", which is its end.
type fragile struct{}

func (fragile) Step(w *sdk.Window) {
	if bytes.HasPrefix(w.Bytes(), []byte("!")) {
		panic("told to")
	}
	w.Text(w.Len())
}

// guest is a module made for a test.
type guest = wasmtest.Guest

// toy is a linked module whose parsers call everything text.
var toy = &sdk.Module{
	Manifest: `{"abi":"1.0","module":"toy","version":"0.1.0","parsers":[{"name":"toy","aliases":["toy-2"],"kind":"unified","models":["(?i)^toy"]},` +
		`{"name":"toy_batch","kind":"batch","jail":{"open":["<"]}},{"name":"other","kind":"reasoning"}]}`,
	New: func(*abi.OpenBlock) sdk.Parser { return all{} },
}

type all struct{}

func (all) Step(w *sdk.Window) { w.Text(w.Len()) }

// journal is a log that may be read while it is written.
type journal struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.String()
}

func open(t testing.TB, c Config) (*Registry, *journal) {
	t.Helper()
	log := &journal{}
	c.Logger = slog.New(slog.NewTextHandler(log, nil))
	r, err := New(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return r, log
}

// run looks after r until the test ends.
func run(t testing.TB, r *Registry) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		r.Run(ctx)
		close(done)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
}

func put(t testing.TB, r *Registry, g guest, change ...func(*Change)) {
	t.Helper()
	if err := tryPut(t, r, g, change...); err != nil {
		t.Fatal(err)
	}
}

func tryPut(t testing.TB, r *Registry, g guest, change ...func(*Change)) error {
	t.Helper()
	c := Change{Binary: g.Bytes()}
	for _, f := range change {
		f(&c)
	}
	name := g.Module
	if name == "" {
		name = "mine"
	}
	return r.Put(t.Context(), name, c)
}

func write(t testing.TB, dir, name string, data []byte) {
	t.Helper()
	if err := replaceFile(filepath.Join(dir, name), data); err != nil {
		t.Fatal(err)
	}
}

// talk is a stream of one choice.
type talk struct {
	t     testing.TB
	lease *Lease
	s     *parse.Session
	said  strings.Builder // the text, reasoning in parentheses
	fault error
}

func begin(t testing.TB, r *Registry, parser string) *talk {
	t.Helper()
	l, err := r.Lease(t.Context(), parser)
	if err != nil {
		t.Fatal(err)
	}
	k := &talk{t: t, lease: l}
	s, events, err := parse.Open(parse.Config{Engine: l.Families[0].Unified, OnFault: func(e *parse.FaultError) { k.fault = e }})
	if err != nil {
		t.Fatal(err)
	}
	k.s = s
	k.hear(events)
	return k
}

func (k *talk) hear(events []parse.CheckedEvent) {
	for _, e := range events {
		switch e.Kind {
		case abi.Text:
			k.said.Write(e.Data)
		case abi.Reasoning:
			fmt.Fprintf(&k.said, "(%s)", e.Data)
		}
	}
}

func (k *talk) push(texts ...string) *talk {
	k.t.Helper()
	for _, text := range texts {
		events, err := k.s.Push(text)
		if err != nil {
			k.t.Error(err)
		}
		k.hear(events)
	}
	return k
}

func (k *talk) end() string {
	k.t.Helper()
	events, err := k.s.Finish(abi.FinishUnknown)
	if err != nil {
		k.t.Error(err)
	}
	k.hear(events)
	k.s.Close()
	k.lease.Release()
	return k.said.String()
}

// say is a whole stream.
func say(t testing.TB, r *Registry, parser string, texts ...string) string {
	t.Helper()
	return begin(t, r, parser).push(texts...).end()
}

// module gives the state of a module.
func module(t testing.TB, r *Registry, name string) *Module {
	t.Helper()
	m, ok := r.Module(name)
	if !ok {
		t.Fatalf("there is no module %s", name)
	}
	return m
}

func live(t testing.TB, r *Registry, name string) string {
	t.Helper()
	m := module(t, r, name)
	if m.Live == nil {
		return ""
	}
	return m.Live.Version
}
