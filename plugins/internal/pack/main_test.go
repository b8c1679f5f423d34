package main

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/cases"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/builtin/kimik2"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/wasm"
	"github.com/turnkey-parsers/turnkey/wasm/wasmtest"
)

// A packed module says what the linked package says: its manifest, and each
// answer, event by event, with the sessions of all cases open side by side.
func TestModuleAnswersLikeThePackage(t *testing.T) {
	t.Chdir("../../..")
	src, err := list("kimi_k2")
	if err != nil {
		t.Fatal(err)
	}
	binary, err := src.build("kimi_k2")
	if err != nil {
		t.Fatal(err)
	}
	if binary, err = src.attach(binary); err != nil {
		t.Fatal(err)
	}
	resolved, err := manifest.Resolve([]byte(kimik2.Module.Manifest))
	if err != nil {
		t.Fatal(err)
	}
	if m, err := manifest.Section(binary, abi.SectionManifest); err != nil || string(m) != string(resolved) {
		t.Errorf("manifest section: %v", err)
	}
	raw, err := manifest.Section(binary, abi.SectionCases)
	if err != nil {
		t.Fatal(err)
	}
	file, err := cases.ParseFile("cases", raw)
	if err != nil {
		t.Fatal(err)
	}
	runtime := wasmtest.NewRuntime(t)
	module, err := runtime.Compile(t.Context(), binary, wasm.Shipped())
	if err != nil {
		t.Fatal(err)
	}
	defer module.Close(t.Context())

	open := make([]*pair, len(file.Cases))
	for i := range file.Cases {
		open[i] = newPair(t, module, &file.Cases[i])
		defer open[i].wasm.Close()
	}
	for more := true; more; {
		more = false
		for _, p := range open {
			more = p.push(t) || more
		}
	}
	s, err := file.Cases[0].OpenBlock("kimi_k2")
	if err != nil {
		t.Fatal(err)
	}
	got, err := module.Constraint(t.Context(), &s)
	if want := kimik2.Module.Constraint(&s); err != nil || !bytes.Equal(got, want) {
		t.Errorf("constraint: %s, %v; want %s", got, err, want)
	}
}

// pair is one case in a session of either kind.
type pair struct {
	c      *cases.Case
	native *sdk.Session
	wasm   *wasm.Session
	at     int
	done   bool
}

func newPair(t *testing.T, m *wasm.Module, c *cases.Case) *pair {
	s, err := c.OpenBlock("kimi_k2")
	if err != nil {
		t.Fatal(err)
	}
	native, want := sdk.Open(&kimik2.Module, &s)
	session, got, err := m.Open(t.Context(), &s)
	if err != nil {
		t.Fatal(err)
	}
	p := &pair{c: c, native: native, wasm: session}
	p.same(t, got, want)
	return p
}

// push gives both the next seven bytes or so, then the end.
func (p *pair) push(t *testing.T) (more bool) {
	if p.done {
		return false
	}
	var want, got abi.Answer
	var err error
	if p.at < len(p.c.Input) {
		end := min(p.at+7, len(p.c.Input))
		for end < len(p.c.Input) && p.c.Input[end]&0xc0 == 0x80 {
			end++
		}
		data := []byte(p.c.Input[p.at:end])
		want = p.native.Push(abi.RawOffset(p.at), 0, data)
		got, err = p.wasm.Push(abi.RawOffset(p.at), 0, data)
		p.at = end
	} else {
		p.done = true
		want = p.native.Finish(abi.RawOffset(p.at), p.c.Finish)
		got, err = p.wasm.Finish(abi.RawOffset(p.at), p.c.Finish)
	}
	if err != nil {
		t.Fatalf("%s: %v", p.c.Name, err)
	}
	p.same(t, got, want)
	return !p.done
}

func (p *pair) same(t *testing.T, got, want abi.Answer) {
	if !slices.Equal(got.Events, want.Events) || !bytes.Equal(got.Literals, want.Literals) {
		t.Errorf("%s, after %d bytes: the module answers %+v, the package %+v", p.c.Name, p.at, got, want)
	}
}

func TestKeyFollowsTheSource(t *testing.T) {
	file := t.TempDir() + "/a.go"
	key := func(code, manifest string) string {
		if err := os.WriteFile(file, []byte(code), 0o644); err != nil {
			t.Fatal(err)
		}
		k, err := (&source{files: []string{file}, manifest: []byte(manifest)}).key()
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	first := key("a", "m")
	if key("a", "m") != first {
		t.Error("the same source gives another key")
	}
	if key("b", "m") == first || key("a", "n") == first {
		t.Error("another source gives the same key")
	}
}

func TestUnknownPlugin(t *testing.T) {
	t.Chdir("../../..")
	if err := run([]string{"no_such_plugin"}); err == nil {
		t.Error("no error")
	}
}
