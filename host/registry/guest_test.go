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
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/wasm/wat"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// guest is a hand-written module of one parser, which says one kind of thing of
// all that comes. A push that begins with "!" is its end.
type guest struct {
	module  string   // "mine" if empty
	version string   // "1.0.0" if empty
	parser  string   // the module's name if empty
	aliases []string // of the parser
	models  string   // a pattern of model names
	says    abi.Kind // abi.Text if 0
	cases   string   // turnkey.cases
	broken  bool     // it answers for parsers that it lacks
	padding string   // makes other bytes of the same module
}

// Where the guest keeps what it answers, its manifest and its input.
const (
	answerAt   = 1024
	manifestAt = 2048
	inputAt    = 8192
)

// event is code that writes the answer's one event.
func event(kind abi.Kind, flags uint8, start, size, end string) string {
	return fmt.Sprintf(`
		i32.const %d; i32.const %d; i32.store 0
		i32.const %d; %s; i32.store 0
		i32.const %d; %s; i32.store 0
		i32.const %d; %s; i32.store 0
		i64.const %d
	`, answerAt, int(kind)|int(flags)<<8, answerAt+4, start, answerAt+8, size, answerAt+12, end, answerAt<<32|abi.EventSize)
}

func (g guest) manifest() string {
	models, aliases := "", ""
	if g.models != "" {
		models = fmt.Sprintf(`,"models":[%q]`, g.models)
	}
	if len(g.aliases) > 0 {
		aliases = fmt.Sprintf(`,"aliases":["%s"]`, strings.Join(g.aliases, `","`))
	}
	return fmt.Sprintf(`{"abi":"1.0","module":%q,"version":%q,"parsers":[{"name":%q,"kind":"unified"%s%s}]}`, g.module, g.version, g.parser, aliases, models)
}

func (g guest) bytes(t testing.TB) []byte {
	t.Helper()
	def := func(s *string, v string) {
		if *s == "" {
			*s = v
		}
	}
	def(&g.module, "mine")
	def(&g.version, "1.0.0")
	def(&g.parser, g.module)
	if g.says == 0 {
		g.says = abi.Text
	}
	const zero, given = "i32.const 0", "local.get 4; local.get 2; i32.sub"
	unknown := event(abi.Error, abi.FlagFatal, fmt.Sprint("i32.const ", abi.CodeUnknownParser), zero, zero)
	if g.broken {
		unknown = "i64.const 0"
	}
	said := g.manifest()
	var m wat.Module
	m.Memory(abi.ExportMemory, 4, 0)
	m.Data(manifestAt, said)
	m.Func(abi.ExportABI, "", "i32", "", fmt.Sprint("i32.const ", abi.Version))
	m.Func(abi.ExportManifest, "", "i64", "", fmt.Sprint("i64.const ", manifestAt<<32|len(said)))
	m.Func(abi.ExportAlloc, "i32", "i32", "", fmt.Sprint("i32.const ", inputAt))
	m.Func(abi.ExportOpen, "i32 i32 i32", "i64", "", fmt.Sprintf( // the parser's name is known by its length
		"local.get 1; i32.load 4; i32.const %d; i32.eq; if i64; i64.const 0; else; %s; end", len(g.parser), unknown))
	m.Func(abi.ExportPush, "i32 i32 i32 i32 i32", "i64", "",
		"local.get 3; i32.load8_u 0; i32.const 33; i32.eq; if; unreachable; end;"+
			event(g.says, 0, "local.get 1", given, "local.get 1; "+given+"; i32.add"))
	m.Func(abi.ExportFinish, "i32 i32 i32", "i64", "", event(abi.Commit, 0, zero, zero, "local.get 1"))
	m.Func(abi.ExportClose, "i32", "", "", "")
	m.Custom(abi.SectionManifest, said)
	if g.cases != "" {
		m.Custom(abi.SectionCases, g.cases)
	}
	if g.padding != "" {
		m.Custom("padding", g.padding)
	}
	return m.Bytes()
}

// toy is a linked module whose parsers call everything text.
var toy = &sdk.Module{
	Manifest: `{"abi":"1.0","module":"toy","version":"0.1.0","parsers":[{"name":"toy","aliases":["toy-2"],"kind":"unified","models":["(?i)^toy"]},` +
		`{"name":"toy_batch","kind":"batch","jail":{"open":["<"]}},{"name":"other","kind":"reasoning"}]}`,
	New: func(*abi.Session) sdk.Parser { return all{} },
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

var cacheDir = sync.OnceValue(func() string {
	dir, err := os.MkdirTemp("", "turnkey-registry-cache")
	if err != nil {
		panic(err)
	}
	return dir
})

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
	c := Change{Binary: g.bytes(t)}
	for _, f := range change {
		f(&c)
	}
	name := g.module
	if name == "" {
		name = "mine"
	}
	return r.Put(t.Context(), name, c)
}

func write(t testing.TB, dir, name string, data []byte) {
	t.Helper()
	if err := replace(filepath.Join(dir, name), data); err != nil {
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

func (k *talk) hear(events []parse.Event) {
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

func mustParse(t *testing.T, text string) *manifest.Manifest {
	t.Helper()
	m, err := manifest.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}
