package registry

import (
	"crypto/ed25519"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
)

// eventually waits for something that Run does: for as long as the test program
// may run, as a busy machine takes its time.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	end, limited := t.Deadline()
	end = end.Add(-10 * time.Second) // the failure has to be told, too
	for !limited || time.Now().Before(end) {
		if ok() {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
	t.Fatalf("%s: not in the time that tests have", what)
}

func TestTheFolderIsLoadedAtTheStart(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "any-name.wasm", guest{}.Bytes())
	write(t, dir, "notes.txt", []byte("x"))
	r, _ := open(t, Config{Dir: dir})
	m := module(t, r, "mine")
	if m.Live == nil || m.Live.Origin != "any-name.wasm" || m.File != "any-name.wasm" {
		t.Errorf("%+v", m)
	}
}

func TestAStartWithABadModuleFails(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "bad.wasm", []byte("no module"))
	for name, c := range map[string]struct {
		cfg  Config
		want string
	}{
		"a bad module": {Config{Dir: dir}, "module bad.wasm: refused (manifest)"},
		"no folder":    {Config{Dir: filepath.Join(dir, "none")}, "modules: open"},
		"a bad rule":   {Config{Rules: map[string]Rule{"m": {Rollout: Rollout{Mode: Canary}}}}, "modules.rules[m]: a canary takes 1 to 100 percent"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := New(t.Context(), c.cfg); err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// follow changes the folder: every way to notice a change has to bring the same
// about.
func follow(t *testing.T, r *Registry, dir string, notice func()) {
	t.Helper()
	step := func(what string, ok func() bool) {
		t.Helper()
		notice()
		eventually(t, what, ok)
	}
	is := func(version string) func() bool {
		return func() bool {
			m, ok := r.Module("mine")
			return version == "" && !ok || ok && m.Live != nil && m.Live.Version == version
		}
	}
	write(t, dir, "mine.wasm", guest{}.Bytes())
	step("a new file", is("1.0.0"))
	write(t, dir, "mine.wasm", guest{Version: "2.0.0"}.Bytes())
	step("a changed file", is("2.0.0"))
	write(t, dir, "mine.wasm", guest{Version: "3.0.0", Broken: true}.Bytes())
	step("a bad file", func() bool { return len(r.Refused()) == 1 })
	if !is("2.0.0")() {
		t.Error("a bad file replaced a good version")
	}
	if err := os.Remove(filepath.Join(dir, "mine.wasm")); err != nil {
		t.Fatal(err)
	}
	step("a removed file", is(""))
	if len(r.Refused()) != 0 {
		t.Errorf("%v", r.Refused())
	}
}

func TestTheFolderIsWatched(t *testing.T) {
	dir := t.TempDir()
	r, _ := open(t, Config{Dir: dir, Debounce: 5 * time.Millisecond})
	run(t, r)
	follow(t, r, dir, func() {})
}

func TestTheFolderIsPolled(t *testing.T) {
	dir := t.TempDir()
	r, _ := open(t, Config{Dir: dir, Debounce: time.Hour, Poll: 10 * time.Millisecond})
	run(t, r)
	follow(t, r, dir, func() {})
}

func TestTheFolderIsReadAgainWhenTold(t *testing.T) {
	dir := t.TempDir()
	r, _ := open(t, Config{Dir: dir, Debounce: time.Hour})
	run(t, r)
	follow(t, r, dir, r.Reload)
}

func TestAReloadTriesAgainWhatWasRefused(t *testing.T) {
	dir := t.TempDir()
	r, log := open(t, Config{Dir: dir, Debounce: time.Hour, LockFile: filepath.Join(dir, "turnkey.lock")})
	write(t, dir, "mine.wasm", guest{}.Bytes())
	run(t, r)
	r.Reload()
	eventually(t, "the refusal", func() bool { return len(r.Refused()) == 1 })
	if !strings.Contains(log.String(), "a module of the folder is not loaded") {
		t.Errorf("the log: %s", log)
	}
	i, err := Inspect(filepath.Join(dir, "mine.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "turnkey.lock", []byte(i.SHA256+"  mine.wasm\n"))
	r.Reload()
	eventually(t, "the module", func() bool { _, ok := r.Module("mine"); return ok && len(r.Refused()) == 0 })
}

func TestASignatureThatComesLater(t *testing.T) {
	public, private, _ := ed25519.GenerateKey(nil)
	dir := t.TempDir()
	r, _ := open(t, Config{Dir: dir, Debounce: 5 * time.Millisecond, Keys: []ed25519.PublicKey{public}})
	run(t, r)
	binary := guest{}.Bytes()
	write(t, dir, "mine.wasm", binary)
	eventually(t, "the refusal", func() bool { return len(r.Refused()) == 1 })
	write(t, dir, "mine.wasm.sig", ed25519.Sign(private, binary))
	eventually(t, "the module", func() bool { _, ok := r.Module("mine"); return ok && len(r.Refused()) == 0 })
}

func TestTwoFilesOfOneModule(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.wasm", guest{}.Bytes())
	write(t, dir, "b.wasm", guest{Version: "2.0.0"}.Bytes())
	if _, err := New(t.Context(), Config{Dir: dir}); err == nil || !strings.Contains(err.Error(), "module mine is in the file a.wasm already") {
		t.Errorf("got %v", err)
	}
}

func TestAFileThatBecomesAnotherModule(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.wasm", guest{}.Bytes())
	r, _ := open(t, Config{Dir: dir, Debounce: time.Hour})
	run(t, r)
	write(t, dir, "a.wasm", guest{Module: "yours"}.Bytes())
	r.Reload()
	eventually(t, "the change", func() bool {
		_, mine := r.Module("mine")
		_, yours := r.Module("yours")
		return yours && !mine
	})
}

func TestTheFolderLeavesAnAdministratorsChangesAlone(t *testing.T) {
	dir := t.TempDir()
	r, _ := open(t, Config{Dir: dir, Linked: []*sdk.Module{toy}, Native: true})
	write(t, dir, "file.wasm", guest{}.Bytes())
	r.rescan(t.Context(), false)
	put(t, r, guest{Version: "2.0.0"})
	put(t, r, guest{Module: "toy", Says: abi.Reasoning}, func(c *Change) { c.Shadow = true })
	r.rescan(t.Context(), true)
	if m := module(t, r, "mine"); m.Live.Version != "2.0.0" || m.File != "file.wasm" || m.Swaps != 2 {
		t.Errorf("%+v", m)
	}
	if m := module(t, r, "toy"); m.Live == nil || m.File != "" {
		t.Errorf("a shadow that no rule permits is kept over a restart: %+v", m)
	}
	if err := r.Rollback(t.Context(), "mine", nil); err != nil {
		t.Fatal(err)
	}
	r.rescan(t.Context(), true)
	if m := module(t, r, "mine"); m.Live.Version != "1.0.0" || m.Swaps != 3 {
		t.Errorf("%+v", m)
	}
}

// A module that an administrator brought in becomes the file's when a file of the
// same bytes appears.
func TestAFileOfWhatIsLive(t *testing.T) {
	dir := t.TempDir()
	r, _ := open(t, Config{})
	put(t, r, guest{})
	r.cfg.Dir = dir
	write(t, dir, "file.wasm", guest{}.Bytes())
	r.rescan(t.Context(), false)
	if m := module(t, r, "mine"); m.File != "file.wasm" || m.Swaps != 1 {
		t.Errorf("%+v", m)
	}
	if err := os.Remove(filepath.Join(dir, "file.wasm")); err != nil {
		t.Fatal(err)
	}
	r.rescan(t.Context(), false)
	if m, ok := r.Module("mine"); ok {
		t.Errorf("its file is gone: %+v", m)
	}
}
