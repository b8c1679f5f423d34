// Package guests builds the example parsers as modules, for tests and benchmarks.
// Each is built once a process.
package guests

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
)

// Go is the Birch parser in Go, with its manifest and its cases attached.
func Go(t testing.TB) []byte { return must(t, goModule) }

// C is the Birch parser in C.
func C(t testing.TB) []byte { return must(t, cModule) }

// Rust is the Birch parser in Rust.
func Rust(t testing.TB) []byte { return must(t, rustModule) }

func must(t testing.TB, build func() ([]byte, error)) []byte {
	t.Helper()
	binary, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

var goModule = sync.OnceValues(func() ([]byte, error) {
	binary, err := built(func(_, to string) error {
		return run([]string{"GOOS=wasip1", "GOARCH=wasm", "GOFLAGS="}, "go", "build", "-buildmode=c-shared", "-trimpath", "-ldflags=-s -w", "-o", to, "./birch_wasm")
	})
	for section, file := range map[string]string{abi.SectionManifest: "birch/manifest.json", abi.SectionCases: "birch/testdata/cases.json"} {
		if err != nil {
			return nil, err
		}
		var content []byte
		if content, err = os.ReadFile(filepath.Join(folder(), file)); err == nil {
			binary, err = manifest.WithSection(binary, section, content)
		}
	}
	return binary, err
})

var cModule = sync.OnceValues(func() ([]byte, error) {
	return built(func(_, to string) error {
		return run(nil, "clang", "--target=wasm32", "-O2", "-nostdlib", "-mbulk-memory", "-Wall", "-Wextra", "-Werror", "-Wl,--no-entry",
			"-I../../sdk/c", "-Ibirch", "-Ibirch/testdata", "-o", to, "birch_c/birch.c")
	})
})

var rustModule = sync.OnceValues(func() ([]byte, error) {
	rustc, err := rustc()
	if err != nil {
		return nil, err
	}
	target := []string{"--edition", "2021", "--target", "wasm32-unknown-unknown", "-C", "opt-level=3", "-C", "panic=abort"}
	return built(func(dir, to string) error {
		lib := filepath.Join(dir, "libturnkey.rlib")
		if err := run(nil, rustc, append([]string{"--crate-type", "rlib", "--crate-name", "turnkey", "-o", lib, "../../sdk/rust/src/lib.rs"}, target...)...); err != nil {
			return err
		}
		return run(nil, rustc, append([]string{"--crate-type", "cdylib", "-C", "strip=symbols", "--extern", "turnkey=" + lib, "-o", to, "birch_rust/src/birch.rs"}, target...)...)
	})
})

// built gives what build writes.
func built(build func(dir, to string) error) ([]byte, error) {
	dir, err := os.MkdirTemp("", "birch")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	to := filepath.Join(dir, "birch.wasm")
	if err := build(dir, to); err != nil {
		return nil, err
	}
	return os.ReadFile(to)
}

// folder is that of the examples.
var folder = sync.OnceValue(func() string {
	mod, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "."
	}
	return filepath.Join(filepath.Dir(strings.TrimSpace(string(mod))), "examples", "plugins")
})

func run(env []string, command string, args ...string) error {
	cmd := exec.Command(command, args...)
	cmd.Dir = folder()
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return nil
}

// rustc finds a compiler that has the wasm target: one from a rustup may lack it
// where the distribution's has it.
func rustc() (string, error) {
	for _, c := range []string{"rustc", "/usr/bin/rustc"} {
		dir, err := exec.Command(c, "--print", "target-libdir", "--target", "wasm32-unknown-unknown").Output()
		if err != nil {
			continue
		}
		if found, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "libcore-*")); len(found) > 0 {
			return c, nil
		}
	}
	return "", errors.New("no rustc with the target wasm32-unknown-unknown; `make deps` installs one")
}
