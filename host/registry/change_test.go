package registry

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/wasm"
)

const failingCases = `{"family":"mine","cases":[{"name":"greeting","why":"x","basis":"golden","start":"none","input":"Hello.","finish":"stop","want":{"events":[{"kind":"text","text":"Bye."}]}}]}`

func TestRefusals(t *testing.T) {
	small := wasm.ThirdParty()
	small.ModuleBytes = 64
	poor := wasm.ThirdParty()
	poor.MemoryPages = 1
	for name, c := range map[string]struct {
		cfg    Config
		guest  guest
		change func(*Change)
		step   Step
		want   string
	}{
		"no module":           {change: func(c *Change) { c.Binary = []byte("no module") }, step: StepManifest, want: `\0asm`},
		"too large":           {cfg: Config{ThirdParty: &small, Shipped: &small}, step: StepSize, want: "the limit of 64"},
		"another name":        {change: func(c *Change) { c.Binary = guest{Module: "other"}.Bytes() }, step: StepNames, want: "calls it other"},
		"a limit of a class":  {cfg: Config{ThirdParty: &poor}, step: StepCompile, want: "MemoryPages: 4, more than 1"},
		"its own cases":       {guest: guest{Cases: failingCases}, step: StepCases, want: "0 passed, 1 failed of its own cases; the first: FAIL"},
		"cases of nobody":     {guest: guest{Cases: strings.Replace(failingCases, `"mine"`, `"yours"`, 1)}, step: StepCases, want: "1 failed"},
		"cases that are none": {guest: guest{Cases: "{"}, step: StepCases, want: "turnkey.cases"},
		"the kit's checks":    {guest: guest{Broken: true}, step: StepChecks, want: "opening a parser that the module lacks"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c.cfg.Dir = dir
			r, _ := open(t, c.cfg)
			if c.change == nil {
				c.change = func(*Change) {}
			}
			err := tryPut(t, r, c.guest, c.change)
			var refused *RefusedError
			if !errors.As(err, &refused) || refused.Step != c.step || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s: %s", err, c.step, c.want)
			}
			if left, _ := os.ReadDir(dir); len(left) != 0 || len(r.Modules()) != 0 {
				t.Errorf("it is there: %v %v", left, r.Modules())
			}
		})
	}
}

func TestARefusedVersionLeavesTheLiveOneAlone(t *testing.T) {
	r, _ := open(t, Config{})
	put(t, r, guest{})
	if err := tryPut(t, r, guest{Version: "2.0.0", Broken: true}); err == nil {
		t.Fatal("it was taken")
	}
	if got := say(t, r, "mine", "a"); got != "a" || live(t, r, "mine") != "1.0.0" {
		t.Errorf("%q, %s", got, live(t, r, "mine"))
	}
}

func TestARunningStreamKeepsItsVersion(t *testing.T) {
	r, _ := open(t, Config{})
	put(t, r, guest{})
	old := begin(t, r, "mine").push("one ")
	v := old.lease.held[0]
	put(t, r, guest{Version: "2.0.0", Says: abi.Reasoning})
	if got := say(t, r, "mine", "a"); got != "(a)" {
		t.Errorf("a new stream: %q", got)
	}
	if got := v.running.module.Stats().Instances; got != 1 {
		t.Errorf("the old version has %d instances", got)
	}
	if got := module(t, r, "mine").Draining; got != 1 {
		t.Errorf("%d versions are draining", got)
	}
	if got := old.push("two ", "three").end(); got != "one two three" {
		t.Errorf("the running stream: %q", got)
	}
	if v.acquire() || module(t, r, "mine").Draining != 0 {
		t.Error("the old version is open after its last stream")
	}
	if _, _, err := v.running.module.Open(t.Context(), &abi.OpenBlock{Parser: "mine"}); !errors.Is(err, wasm.ErrClosed) {
		t.Errorf("the old module: %v", err)
	}
}

func TestRollback(t *testing.T) {
	dir := t.TempDir()
	r, _ := open(t, Config{Dir: dir, Keep: 2})
	for v := 1; v <= 4; v++ {
		put(t, r, guest{Version: fmt.Sprintf("%d.0.0", v)})
	}
	if m := module(t, r, "mine"); len(m.Previous) != 2 || m.Previous[0].Version != "3.0.0" || m.Previous[1].Version != "2.0.0" || m.Swaps != 4 {
		t.Errorf("%+v", m)
	}
	for _, want := range []string{"3.0.0", "2.0.0"} {
		if err := r.Rollback(t.Context(), "mine", nil); err != nil {
			t.Fatal(err)
		}
		if got := live(t, r, "mine"); got != want {
			t.Errorf("live %s, want %s", got, want)
		}
		if i, err := Inspect(filepath.Join(dir, "mine.wasm")); err != nil || i.Manifest.Version != want {
			t.Errorf("in the folder: %v, %v", i, err)
		}
	}
	var nothing *NothingError
	if err := r.Rollback(t.Context(), "mine", nil); !errors.As(err, &nothing) {
		t.Errorf("got %v", err)
	}
	if err := r.Promote(t.Context(), "mine", nil); !errors.As(err, &nothing) {
		t.Errorf("got %v", err)
	}
	var none *NoModuleError
	for _, change := range []func() error{
		func() error { return r.Rollback(t.Context(), "no", nil) },
		func() error { return r.Promote(t.Context(), "no", nil) },
		func() error { return r.Remove(t.Context(), "no", nil) },
	} {
		if err := change(); !errors.As(err, &none) {
			t.Errorf("got %v", err)
		}
	}
}

func TestTheSameBytesAgainAreNoSwap(t *testing.T) {
	r, _ := open(t, Config{})
	put(t, r, guest{})
	put(t, r, guest{})
	if m := module(t, r, "mine"); m.Swaps != 1 || len(m.Previous) != 0 {
		t.Errorf("%+v", m)
	}
}

func TestConditions(t *testing.T) {
	r, _ := open(t, Config{})
	var seen []string
	when := func(ok bool) func(*Change) {
		return func(c *Change) {
			c.If = func(etag string) bool { seen = append(seen, etag); return ok }
		}
	}
	put(t, r, guest{}, when(true))
	if err := tryPut(t, r, guest{Version: "2.0.0"}, when(false)); !errors.Is(err, ErrChanged) {
		t.Errorf("got %v", err)
	}
	first := module(t, r, "mine").ETag
	if len(seen) != 2 || seen[0] != "" || seen[1] != first || first == "" {
		t.Errorf("etags %q, now %q", seen, first)
	}
	put(t, r, guest{Version: "2.0.0"}, when(true))
	if now := module(t, r, "mine").ETag; now == first {
		t.Error("the etag did not change")
	}
	if err := r.Rollback(t.Context(), "mine", nil); err != nil || module(t, r, "mine").ETag != first {
		t.Errorf("%v, etag %q, want %q", err, module(t, r, "mine").ETag, first)
	}
}

func TestSignatures(t *testing.T) {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	_, stranger, _ := ed25519.GenerateKey(nil)
	binary := guest{}.Bytes()
	good := ed25519.Sign(private, binary)
	for name, c := range map[string]struct {
		signature []byte
		want      string
	}{
		"bytes":        {signature: good},
		"base64":       {signature: []byte(base64.StdEncoding.EncodeToString(good) + "\n")},
		"none":         {want: "it is not signed"},
		"a stranger's": {signature: ed25519.Sign(stranger, binary), want: "by none of the 1 keys"},
		"of others":    {signature: ed25519.Sign(private, append(binary, 0)), want: "or the module was altered"},
		"no signature": {signature: []byte("x"), want: "not 64 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := open(t, Config{Keys: []ed25519.PublicKey{public}})
			err := r.Put(t.Context(), "mine", Change{Binary: binary, Signature: c.signature})
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s: got %v, want %q", name, err, c.want)
			}
		})
	}
	r, _ := open(t, Config{Keys: []ed25519.PublicKey{public}, Dir: t.TempDir()})
	if err := r.Put(t.Context(), "mine", Change{Binary: binary, Signature: good}); err != nil {
		t.Fatal(err)
	}
	again, _ := open(t, Config{Keys: []ed25519.PublicKey{public}, Dir: r.cfg.Dir})
	if live(t, again, "mine") != "1.0.0" {
		t.Error("the signature was not kept in the folder")
	}
}

func TestKeys(t *testing.T) {
	public, _, _ := ed25519.GenerateKey(nil)
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		base64.StdEncoding.EncodeToString(public), base64.StdEncoding.EncodeToString(der),
		string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})),
	} {
		if key, err := ParseKey(text); err != nil || !key.Equal(public) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"", "no key", "AAAA"} {
		if _, err := ParseKey(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestLockFile(t *testing.T) {
	binary := guest{}.Bytes()
	b, err := describeBuild("x", wasm.NewBuild(binary))
	if err != nil {
		t.Fatal(err)
	}
	other := hex.EncodeToString(make([]byte, 32))
	for name, c := range map[string]struct{ lock, want string }{
		"listed":          {lock: b.SHA256 + "  mine.wasm\n"},
		"among others":    {lock: "# ours\n\n" + other + "  mine.wasm\n" + strings.ToUpper(b.SHA256) + " *mine.wasm\n"},
		"another digest":  {lock: other + "  mine.wasm\n", want: "which is not the one it lists"},
		"not listed":      {lock: b.SHA256 + "  yours.wasm\n", want: "does not list mine.wasm"},
		"not a lock file": {lock: "mine.wasm\n", want: "line 1"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "turnkey.lock")
			write(t, filepath.Dir(file), "turnkey.lock", []byte(c.lock))
			r, _ := open(t, Config{LockFile: file})
			err := tryPut(t, r, guest{})
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s: got %v, want %q", name, err, c.want)
			}
		})
	}
	r, _ := open(t, Config{LockFile: filepath.Join(t.TempDir(), "no.lock")})
	if err := tryPut(t, r, guest{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no lock file: %v", err)
	}
}

func TestTrustClasses(t *testing.T) {
	r, _ := open(t, Config{Rules: map[string]Rule{"ours": {Trusted: true}}})
	put(t, r, guest{})
	put(t, r, guest{Module: "ours"})
	for name, instances := range map[string]int{"mine": 3, "ours": 1} {
		var talks []*talk
		for range 3 {
			talks = append(talks, begin(t, r, name))
		}
		if got := module(t, r, name).Live; got.Sessions != 3 || got.Requests != 3 || name == "mine" && got.Instances != instances || name == "ours" && got.Instances > 2 {
			t.Errorf("%s: %+v", name, got)
		}
		for _, k := range talks {
			k.end()
		}
	}
}

// Whoever brings a module in, its bytes are hashed, read, metered and compiled
// once, verified, tested and kept as they are.
func TestAModuleIsReadOnce(t *testing.T) {
	dir := t.TempDir()
	lock := filepath.Join(t.TempDir(), "turnkey.lock")
	var digests strings.Builder
	binaries := [][]byte{guest{}.Bytes(), guest{Version: "2.0.0"}.Bytes(), guest{Version: "3.0.0"}.Bytes()}
	for _, b := range binaries {
		fmt.Fprintf(&digests, "%x  mine.wasm\n", sha256.Sum256(b))
	}
	write(t, filepath.Dir(lock), "turnkey.lock", []byte(digests.String()))
	r, _ := open(t, Config{Dir: dir, LockFile: lock})
	for i, bring := range []func(){
		func() { write(t, dir, "mine.wasm", binaries[0]); r.rescan(t.Context(), false) },
		func() { write(t, dir, "mine.wasm", binaries[1]); r.rescan(t.Context(), false) },
		func() {
			if err := r.Put(t.Context(), "mine", Change{Binary: binaries[2]}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		before := wasm.WorkDone()
		bring()
		now := wasm.WorkDone()
		got := wasm.Work{Hashed: now.Hashed - before.Hashed, Parsed: now.Parsed - before.Parsed,
			Metered: now.Metered - before.Metered, Compiled: now.Compiled - before.Compiled}
		if want := (wasm.Work{Hashed: 1, Parsed: 1, Metered: 1, Compiled: 1}); got != want {
			t.Errorf("load %d: %+v, want each once", i, got)
		}
		if m := module(t, r, "mine"); m.Live.Version != fmt.Sprintf("%d.0.0", i+1) {
			t.Errorf("load %d: %s is live", i, m.Live.Version)
		}
	}
}
