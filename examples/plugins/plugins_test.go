// Package plugins tests the example parsers in every language: each is built, its
// promises are checked and its cases are run, at every split.
package plugins

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/tck"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/host/process"
	"github.com/turnkey-parsers/turnkey/wasm"
)

func run(t *testing.T, env []string, command ...string) {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out)
	}
}

// buildGo builds the Go guest, and attaches what C and Rust modules hold by
// themselves.
func buildGo(t *testing.T, to string) {
	run(t, []string{"GOOS=wasip1", "GOARCH=wasm"}, "go", "build", "-buildmode=c-shared", "-trimpath", "-ldflags=-s -w", "-o", to, "./birch_wasm")
	binary := read(t, to)
	for section, file := range map[string]string{abi.SectionManifest: "birch/manifest.json", abi.SectionCases: "birch/testdata/cases.json"} {
		var err error
		if binary, err = manifest.WithSection(binary, section, read(t, file)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(to, binary, 0o600); err != nil {
		t.Fatal(err)
	}
}

func buildC(t *testing.T, to string) {
	run(t, nil, "clang", "--target=wasm32", "-O2", "-nostdlib", "-mbulk-memory", "-Wall", "-Wextra", "-Werror", "-Wl,--no-entry",
		"-I../../sdk/c", "-Ibirch", "-Ibirch/testdata", "-o", to, "birch_c/birch.c")
}

func buildRust(t *testing.T, to string) {
	rustc := rustc(t)
	target := []string{"--edition", "2021", "--target", "wasm32-unknown-unknown", "-C", "opt-level=3", "-C", "panic=abort"}
	lib := filepath.Join(t.TempDir(), "libturnkey.rlib")
	run(t, nil, append([]string{rustc, "--crate-type", "rlib", "--crate-name", "turnkey", "-o", lib, "../../sdk/rust/src/lib.rs"}, target...)...)
	run(t, nil, append([]string{rustc, "--crate-type", "cdylib", "-C", "strip=symbols", "--extern", "turnkey=" + lib, "-o", to, "birch_rust/src/birch.rs"}, target...)...)
}

// rustc finds a compiler that has the wasm target: one from a rustup may lack it
// where the distribution's has it.
func rustc(t *testing.T) string {
	for _, c := range []string{"rustc", "/usr/bin/rustc"} {
		dir, err := exec.Command(c, "--print", "target-libdir", "--target", "wasm32-unknown-unknown").Output()
		if err != nil {
			continue
		}
		if found, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "libcore-*")); len(found) > 0 {
			return c
		}
	}
	t.Fatal("no rustc with the target wasm32-unknown-unknown; `make deps` installs one")
	return ""
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestModules(t *testing.T) {
	ctx := context.Background()
	runtime, err := wasm.NewRuntime(ctx, wasm.NewConfig().WithCacheDir(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	defer runtime.Close(ctx)
	for language, build := range map[string]func(*testing.T, string){"go": buildGo, "c": buildC, "rust": buildRust} {
		t.Run(language, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "birch.wasm")
			build(t, file)
			binary := read(t, file)
			module, err := runtime.Compile(ctx, binary, wasm.ThirdParty())
			if err != nil {
				t.Fatal(err)
			}
			defer module.Close(ctx)
			t.Logf("%d bytes", len(binary))
			engine := func(parser string) (parse.Engine, error) { return parse.Wasm(module, parser) }
			if err := tck.CheckModule(module.Manifest(), engine); err != nil {
				t.Error(err)
			}
			cases, err := manifest.Section(binary, abi.SectionCases)
			if err != nil {
				t.Fatal(err)
			}
			runCases(t, language, cases, engine)
		})
	}
}

func TestProcess(t *testing.T) {
	command := filepath.Join(t.TempDir(), "birch_process")
	run(t, nil, "go", "build", "-o", command, "./birch_process")
	p, err := process.Start(context.Background(), process.Config{Command: []string{command}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := tck.CheckModule(p.Manifest(), p.Engine); err != nil {
		t.Error(err)
	}
	runCases(t, "process", read(t, "birch/testdata/cases.json"), p.Engine)
}

func runCases(t *testing.T, engine string, cases []byte, open func(string) (parse.Engine, error)) {
	t.Helper()
	file, err := tck.ParseFile("cases.json", cases)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	sum, err := tck.Run(tck.Config{Files: []*tck.File{file}, Name: engine, Splits: tck.EverySplit, Engine: open}, io.Writer(&out), false)
	if err != nil {
		t.Fatal(err)
	}
	if sum.Failed > 0 || sum.Passed == 0 {
		t.Errorf("%s", out.String())
	}
}
