package wasm

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
)

// goGuest builds testdata/goguest once and gives the module's bytes.
var goGuest = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "goguest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "guest.wasm")
	cmd := exec.Command("go", "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", out, "./testdata/goguest")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, err
	}
	binary, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	raw, err := os.ReadFile("testdata/goguest/manifest.json")
	if err != nil {
		return nil, err
	}
	return manifest.WithSection(binary, abi.SectionManifest, raw)
})

func goGuestBytes(t testing.TB) []byte {
	t.Helper()
	binary, err := goGuest()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// cacheDir is one compilation cache for all tests of a run.
var cacheDir = sync.OnceValue(func() string {
	dir, err := os.MkdirTemp("", "turnkey-wasm-cache")
	if err != nil {
		panic(err)
	}
	return dir
})

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(cacheDir())
		os.Exit(code)
	}))
}

func countFiles(t *testing.T, dir string) (n int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			n++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func newRuntime(t testing.TB, change ...func(*Config) *Config) *Runtime {
	t.Helper()
	config := NewConfig().WithCacheDir(cacheDir()).WithLogger(slog.New(slog.DiscardHandler))
	for _, c := range change {
		config = c(config)
	}
	r, err := NewRuntime(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(context.Background()) })
	return r
}

func compile(t testing.TB, r *Runtime, binary []byte, limits Limits) *Module {
	t.Helper()
	m, err := r.Compile(context.Background(), binary, limits)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
