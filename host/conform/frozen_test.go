package conform_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/cases"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/tck"
	"github.com/turnkey-parsers/turnkey/host/conform"
	"github.com/turnkey-parsers/turnkey/wasm"
	"github.com/turnkey-parsers/turnkey/wasm/wasmtest"
)

// TestFrozenModules loads the modules that were built for earlier versions of the
// ABI and runs their own cases: a host takes every module of its major.
func TestFrozenModules(t *testing.T) {
	const folder = "../../abi/testdata/frozen"
	sums, err := os.ReadFile(filepath.Join(folder, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	runtime := wasmtest.NewRuntime(t)
	lines := strings.Split(strings.TrimSpace(string(sums)), "\n")
	for _, line := range lines {
		digest, name, _ := strings.Cut(line, "  ")
		t.Run(name, func(t *testing.T) {
			binary := unpack(t, filepath.Join(folder, name+".gz"))
			if got := sha256.Sum256(binary); hex.EncodeToString(got[:]) != digest {
				t.Fatal("it is not the module that was frozen")
			}
			module, err := runtime.Compile(ctx, binary, wasm.Shipped())
			if err != nil {
				t.Fatal(err)
			}
			defer module.Close(ctx)
			if err := tck.CheckModule(module.Manifest(), module.Parser); err != nil {
				t.Error(err)
			}
			runOwnCases(t, binary, module)
		})
	}
	if len(lines) < 3 {
		t.Errorf("%d modules; they are never taken away", len(lines))
	}
}

func runOwnCases(t *testing.T, binary []byte, module *wasm.Module) {
	raw, err := manifest.Section(binary, abi.SectionCases)
	if err != nil {
		t.Fatal(err)
	}
	file, err := cases.ParseFile("cases.json", raw)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	sum, err := conform.Run(conform.Config{Files: []*cases.File{file}, Name: "frozen", Splits: tck.EverySplit, Engine: module.Parser}, &out, false)
	if err != nil {
		t.Fatal(err)
	}
	if sum.Failed > 0 || sum.Passed == 0 {
		t.Errorf("%d passed, %d failed:\n%s", sum.Passed, sum.Failed, out.String())
	}
	t.Logf("%d cases passed", sum.Passed)
}

func unpack(t *testing.T, name string) []byte {
	t.Helper()
	packed, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	binary, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return binary
}
