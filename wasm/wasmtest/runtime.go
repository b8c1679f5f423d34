package wasmtest

import (
	"context"
	"log/slog"
	"testing"

	"github.com/turnkey-parsers/turnkey/wasm"
)

// CacheDir is the folder of compiled code that all tests share, with each other
// and with the next run: compiling a module takes seconds, under the race
// detector ten times as many, and the machine code is the same.
func CacheDir(t testing.TB) string {
	t.Helper()
	if dir := wasm.CacheDir(); dir != "" {
		return dir
	}
	return t.TempDir()
}

// NewRuntime gives a runtime on CacheDir that logs nothing and is closed with
// the test.
func NewRuntime(t testing.TB) *wasm.Runtime {
	t.Helper()
	config := wasm.NewConfig().WithCacheDir(CacheDir(t)).WithLogger(slog.New(slog.DiscardHandler))
	r, err := wasm.NewRuntime(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	return r
}
