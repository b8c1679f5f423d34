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
	"github.com/turnkey-parsers/turnkey/abi/cases"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/abi/tck"
	"github.com/turnkey-parsers/turnkey/examples/plugins/guests"
	"github.com/turnkey-parsers/turnkey/host/conform"
	"github.com/turnkey-parsers/turnkey/host/process"
	"github.com/turnkey-parsers/turnkey/wasm"
	"github.com/turnkey-parsers/turnkey/wasm/wasmtest"
)

func run(t *testing.T, env []string, command ...string) {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out)
	}
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
	runtime := wasmtest.NewRuntime(t)
	for language, build := range map[string]func(testing.TB) []byte{"go": guests.Go, "c": guests.C, "rust": guests.Rust} {
		t.Run(language, func(t *testing.T) {
			binary := build(t)
			module, err := runtime.Compile(ctx, binary, wasm.ThirdParty())
			if err != nil {
				t.Fatal(err)
			}
			defer module.Close(ctx)
			t.Logf("%d bytes", len(binary))
			if err := tck.CheckModule(module.Manifest(), module.Parser); err != nil {
				t.Error(err)
			}
			raw, err := manifest.Section(binary, abi.SectionCases)
			if err != nil {
				t.Fatal(err)
			}
			runCases(t, language, raw, module.Parser)
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
	if err := tck.CheckModule(p.Manifest(), p.Parser); err != nil {
		t.Error(err)
	}
	runCases(t, "process", read(t, "birch/testdata/cases.json"), p.Parser)
}

func runCases(t *testing.T, engine string, raw []byte, open func(string) (parser.Engine, error)) {
	t.Helper()
	file, err := cases.ParseFile("cases.json", raw)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	sum, err := conform.Run(conform.Config{Files: []*cases.File{file}, Name: engine, Splits: tck.EverySplit, Engine: open}, io.Writer(&out), false)
	if err != nil {
		t.Fatal(err)
	}
	if sum.Failed > 0 || sum.Passed == 0 {
		t.Errorf("%s", out.String())
	}
}
