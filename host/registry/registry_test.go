package registry

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/plugins"
	"github.com/turnkey-parsers/turnkey/sdk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// toy is a module whose parsers call everything text.
var toy = &sdk.Module{
	Manifest: `{"abi":"1.0","module":"toy","version":"0.1.0","parsers":[{"name":"toy","aliases":["toy-2"],"kind":"unified"},` +
		`{"name":"toy_batch","kind":"batch","jail":{"open":["<"]}},{"name":"other","kind":"reasoning"}]}`,
	New: func(*abi.Session) sdk.Parser { return all{} },
}

type all struct{}

func (all) Step(w *sdk.Window) { w.Text(w.Len()) }

// one is a set of one embedded module.
type one struct {
	name string
	read func() ([]byte, error)
}

func (o one) Names() []string                    { return []string{o.name} }
func (o one) Module(name string) ([]byte, error) { return o.read() }

func open(t *testing.T, c Config) (*Registry, *bytes.Buffer) {
	t.Helper()
	log := &bytes.Buffer{}
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

func TestFamilies(t *testing.T) {
	r, _ := open(t, Config{Linked: []*sdk.Module{toy}, Native: true})
	for name, want := range map[string][4]bool{ // unified, tools, reasoning, batch
		"toy": {true, false, false, true}, "TOY_2": {true, false, false, true}, "toy_batch": {true, false, false, true}, "other": {false, false, true, false},
	} {
		f, err := r.Family(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if got := [4]bool{f.Unified != nil, f.Tools != nil, f.Reasoning != nil, f.Batch != nil}; got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
		if f.Info.Engine != "native" || f.Info.Origin != "linked" || f.Info.Manifest.Module != "toy" {
			t.Errorf("%+v", f.Info)
		}
	}
}

func TestUnknownFamilies(t *testing.T) {
	r, _ := open(t, Config{Linked: []*sdk.Module{toy}, Native: true})
	_, err := r.Family(t.Context(), "toi")
	var unknown *UnknownError
	if !errors.As(err, &unknown) || err.Error() != `there is no parser "toi"; known are toy` {
		t.Errorf("got %v", err)
	}
	empty, _ := open(t, Config{})
	if _, _, err := empty.Parser(t.Context(), "toy"); err == nil || !strings.Contains(err.Error(), "no module is at hand") {
		t.Errorf("got %v", err)
	}
}

func TestLinkedParsersFillIn(t *testing.T) {
	r, log := open(t, Config{Linked: []*sdk.Module{toy}})
	if _, _, err := r.Parser(t.Context(), "toy"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "no WebAssembly module is at hand") {
		t.Errorf("the log does not tell: %s", log)
	}
}

// built gives a built module.
func built(t *testing.T) (name string, read func() ([]byte, error)) {
	t.Helper()
	if len(plugins.Names()) == 0 {
		t.Skip("no modules are built: make modules")
	}
	name = plugins.Names()[0]
	return name, func() ([]byte, error) { return plugins.Module(name) }
}

func TestModulesAreCompiledOnceAndLate(t *testing.T) {
	name, read := built(t)
	reads := 0
	var mu sync.Mutex
	r, _ := open(t, Config{CacheDir: t.TempDir(), Embedded: one{name, func() ([]byte, error) {
		mu.Lock()
		reads++
		mu.Unlock()
		return read()
	}}})
	if reads != 1 {
		t.Errorf("%d reads for the manifest", reads)
	}
	parser := r.Infos()[0].Manifest.Parsers[0].Name
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if _, _, err := r.Parser(context.Background(), parser); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if reads != 2 {
		t.Errorf("%d reads after eight look-ups", reads)
	}
	e, info, err := r.Parser(t.Context(), parser)
	if err != nil || info.Engine != "wasm" || info.Origin != "embedded" || len(info.SHA256) != 64 {
		t.Fatalf("%+v, %v", info, err)
	}
	s, _, err := parse.Open(parse.Config{Engine: e})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Push("Hello."); err != nil {
		t.Error(err)
	}
}

func TestFolder(t *testing.T) {
	_, read := built(t)
	binary, err := read()
	if err != nil {
		t.Fatal(err)
	}
	folder := fstest.MapFS{"mine.wasm": {Data: binary}, "notes.txt": {Data: []byte("x")}}
	r, log := open(t, Config{Folder: folder, CacheDir: t.TempDir()})
	if i := r.Infos(); len(i) != 1 || i[0].Origin != "mine.wasm" {
		t.Errorf("%+v", i)
	}
	if _, _, err := r.Parser(t.Context(), r.Infos()[0].Manifest.Parsers[0].Name); err != nil || log.Len() > 0 {
		t.Errorf("%v, log %s", err, log)
	}
	both, log := open(t, Config{Embedded: one{"x", read}, Folder: folder})
	if len(both.Infos()) != 1 || !strings.Contains(log.String(), "mine.wasm") {
		t.Errorf("a taken name: %d modules, log %s", len(both.Infos()), log)
	}
}

func TestModulesThatCannotLoad(t *testing.T) {
	if _, err := New(t.Context(), Config{Folder: fstest.MapFS{"bad.wasm": {Data: []byte("no module")}}}); err == nil || !strings.Contains(err.Error(), "bad.wasm") {
		t.Errorf("got %v", err)
	}
	empty, err := manifest.WithSection([]byte("\x00asm\x01\x00\x00\x00"), abi.SectionManifest, []byte(toy.Manifest))
	if err != nil {
		t.Fatal(err)
	}
	r, _ := open(t, Config{Folder: fstest.MapFS{"empty.wasm": {Data: empty}}})
	for range 2 {
		if _, _, err := r.Parser(t.Context(), "toy"); err == nil || !strings.Contains(err.Error(), "module toy") {
			t.Errorf("a module without exports: %v", err)
		}
	}
}

func TestLookup(t *testing.T) {
	r, _ := open(t, Config{Linked: []*sdk.Module{toy}, Native: true})
	for _, name := range []string{"toy", "toy-2", "other"} {
		if i, err := r.Lookup(name); err != nil || i.Manifest.Module != "toy" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := r.Lookup("x"); err == nil {
		t.Error("found x")
	}
	if _, err := Inspect(filepath.Join(t.TempDir(), "no.wasm")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestCacheDirIsPrivate(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	dir := CacheDir()
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%s: %v, %v", dir, info, err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if private(link) {
		t.Error("a link is taken for a private folder")
	}
}
