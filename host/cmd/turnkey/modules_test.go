package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/turnkey-parsers/turnkey/wasm/wasmtest"
)

// served is a server of the command's, with a folder of modules.
type served struct {
	t            *testing.T
	url, modules string
	errs         *locked
}

// serveModules serves until the test ends. more is YAML for the modules.
func serveModules(t *testing.T, more string) *served {
	t.Helper()
	dir := t.TempDir()
	s := &served{t: t, modules: filepath.Join(dir, "modules"), errs: &locked{}}
	if err := os.Mkdir(s.modules, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "turnkey.yaml")
	text := fmt.Sprintf("listen: 127.0.0.1:0\nengine: native\nadmin: {key: admin-secret}\nupstreams: [{name: e, kind: replay}]\nmodels: [{name: m}]\nmodules:\n  dir: %q\n  cache: %q\n%s", s.modules, dir, more)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var out locked
	ended := make(chan int, 1)
	go func() { ended <- run(ctx, []string{"serve", "--config", file}, nil, &out, s.errs) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		stop()
		if code := <-ended; code != 0 {
			t.Errorf("exit %d: %s", code, s.errs.String())
		}
	})
	address := regexp.MustCompile(`http://\S+?:\d+`)
	for end := patience(t); s.url == ""; time.Sleep(2 * time.Millisecond) {
		s.url = address.FindString(out.String())
		if time.Now().After(end) {
			t.Fatalf("not served: %s", s.errs.String())
		}
	}
	t.Setenv("KEY", "admin-secret")
	return s
}

// runCommand runs a command against the server.
func (s *served) runCommand(args ...string) (int, string) {
	s.t.Helper()
	var out, errs bytes.Buffer
	code := run(s.t.Context(), append(args, "--server", s.url, "--key-env", "KEY"), nil, &out, &errs)
	return code, out.String() + errs.String()
}

// wantOutput runs a command and looks for a pattern in what it prints.
func (s *served) wantOutput(code int, pattern string, args ...string) {
	s.t.Helper()
	got, out := s.runCommand(args...)
	if got != code || !regexp.MustCompile(`(?m)`+pattern).MatchString(out) {
		s.t.Errorf("turnkey %s: exit %d, want %d and %s:\n%s", strings.Join(args, " "), got, code, pattern, out)
	}
}

// writeModule writes a version of the module mine outside of the server's folder.
func writeModule(t *testing.T, version string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mine-"+version+".wasm")
	if err := os.WriteFile(path, wasmtest.Guest{Version: version}.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestModulesOfAServer(t *testing.T) {
	s := serveModules(t, "")
	one, two := writeModule(t, "1.0.0"), writeModule(t, "2.0.0")
	s.wantOutput(0, `^hermes +\S+ +built-in +native`, "modules", "ls")
	s.wantOutput(0, `^mine +1.0.0 +live +wasm +admin`, "modules", "put", one)
	s.wantOutput(0, `^mine +2.0.0 +live +wasm +admin +1 KiB +[0-9a-f]{12} +unified +mine +-\nmine +1.0.0 +previous`, "modules", "put", two)
	s.wantOutput(0, `"etag": "[0-9a-f]{32}"`, "modules", "inspect", "mine")
	s.wantOutput(1, `^turnkey: the server refuses: the module was changed meanwhile`, "modules", "rollback", "mine", "--if-match", "x")
	s.wantOutput(0, `^mine +1.0.0 +live`, "modules", "rollback", "mine")
	s.wantOutput(0, `^mine +2.0.0 +canary`, "modules", "put", two, "--rollout", "canary", "--percent", "20")
	s.wantOutput(0, `^mine +2.0.0 +live`, "modules", "promote", "mine")
	s.wantOutput(1, `^turnkey: the server refuses: module mine has no version on trial \(409\)`, "modules", "promote", "mine")
	s.wantOutput(1, `^turnkey: the server refuses: a canary takes 1 to 100 percent`, "modules", "put", one, "--rollout", "canary", "--percent", "0")
	s.wantOutput(0, `^$`, "modules", "rm", "mine")
	s.wantOutput(1, `there is no module mine`, "modules", "rm", "mine")
	s.wantOutput(1, `there is no module mine`, "modules", "inspect", "mine")
	s.wantOutput(1, `no-such.wasm`, "modules", "put", "no-such.wasm")
	t.Setenv("KEY", "wrong")
	s.wantOutput(1, `^turnkey: the server refuses: the administrator's key is needed`, "modules", "ls")
	t.Setenv("KEY", "")
	s.wantOutput(1, `^turnkey: --key-env: the environment variable KEY is not set`, "modules", "ls")
	s.url = ""
	s.wantOutput(1, `^turnkey: --server is needed`, "modules", "rm", "mine")
	if l := s.errs.String(); strings.Contains(l, "secret") || !strings.Contains(l, "module loaded") {
		t.Errorf("the server's log: %s", l)
	}
}

func TestHangUpReadsTheFolder(t *testing.T) {
	s := serveModules(t, "  debounce: 1h\n  poll: 0\n")
	write := func(data []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(s.modules, "mine.wasm"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	listed := func(pattern string) {
		t.Helper()
		var out string
		for end := patience(t); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			if _, out = s.runCommand("modules", "ls"); regexp.MustCompile(`(?m)` + pattern).MatchString(out) {
				return
			}
		}
		t.Errorf("no %s in %s", pattern, out)
	}
	write(wasmtest.Guest{}.Bytes())
	listed(`^mine +1.0.0 +live +wasm +mine.wasm`)
	write([]byte("no module"))
	listed(`^refused: mine.wasm: module mine.wasm: refused \(manifest\)`)
	listed(`^mine +1.0.0 +live`)
}

func TestSignedModulesOfAServer(t *testing.T) {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := serveModules(t, fmt.Sprintf("  keys: [%q]\n", base64.StdEncoding.EncodeToString(public)))
	one := writeModule(t, "1.0.0")
	s.wantOutput(1, `^turnkey: the server refuses: module mine.wasm: refused \(signature\): it is not signed`, "modules", "put", one)
	binary, err := os.ReadFile(one)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(one+".sig", ed25519.Sign(private, binary), 0o600); err != nil {
		t.Fatal(err)
	}
	s.wantOutput(0, `^mine +1.0.0 +live`, "modules", "put", one)
	if _, err := os.Stat(filepath.Join(s.modules, "mine.wasm.sig")); err != nil {
		t.Error(err)
	}
}

func TestConfiguredModules(t *testing.T) {
	for name, c := range map[string]struct{ modules, want string }{
		"a bad key":         {`{keys: ["x"]}`, `configuration: modules.keys\[0\]: not a public ed25519 key`},
		"no such process":   {`{processes: [{name: p, command: [/no/such/parser]}]}`, `/no/such/parser`},
		"a small limit":     {`{dir: mods, limits: {third_party: {module: 64}, shipped: {module: 64}}}`, `refused \(size\): it has more than the limit of 64 bytes`},
		"a limit of memory": {`{dir: mods, limits: {third_party: {memory: 100kB}}}`, `limit MemoryPages: 4, more than 2`},
		"a bad rule":        {`{rules: [{name: m, rollout: canary, percent: 101}]}`, `modules.rules\[m\].percent: want 1 to 100`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			if err := os.Mkdir("mods", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile("mods/mine.wasm", wasmtest.Guest{}.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			text := "listen: 127.0.0.1:0\nengine: native\nupstreams: [{name: e, kind: replay}]\nmodels: [{name: m}]\nmodules: " + c.modules + "\n"
			if err := os.WriteFile("turnkey.yaml", []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			var out, errs bytes.Buffer
			if code := run(t.Context(), []string{"serve", "--config", "turnkey.yaml"}, nil, &out, &errs); code != 1 || !regexp.MustCompile(c.want).MatchString(errs.String()) {
				t.Errorf("exit %d: %s", code, errs.String())
			}
		})
	}
}
