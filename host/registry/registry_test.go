package registry

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/sdk"
)

// one is a set of one embedded module.
type one struct {
	name string
	read func() ([]byte, error)
}

func (o one) Names() []string                    { return []string{o.name} }
func (o one) Module(name string) ([]byte, error) { return o.read() }

func TestFamilies(t *testing.T) {
	r, _ := open(t, Config{Linked: []*sdk.Module{toy}, Native: true})
	for name, want := range map[string][4]bool{ // unified, tools, reasoning, batch
		"toy": {true, false, false, true}, "TOY_2": {true, false, false, true}, "toy_batch": {true, false, false, true}, "other": {false, false, true, false},
	} {
		f, err := r.View().Family(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if got := [4]bool{f.Unified != nil, f.Tools != nil, f.Reasoning != nil, f.Batch != nil}; got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
		if i, err := r.View().Info(name); err != nil || i.Engine != "native" || i.Origin != "linked" || i.Manifest.Module != "toy" {
			t.Errorf("%+v, %v", i, err)
		}
	}
}

func TestUnknownFamilies(t *testing.T) {
	r, _ := open(t, Config{Linked: []*sdk.Module{toy}, Native: true})
	_, err := r.Lease(t.Context(), "", "toi")
	var unknown *UnknownError
	if !errors.As(err, &unknown) || err.Error() != `there is no parser "toi"; nearest are toy; known are other, toy` {
		t.Errorf("got %v", err)
	}
	empty, _ := open(t, Config{})
	if _, _, err := empty.Parser(t.Context(), "toy"); err == nil || !strings.Contains(err.Error(), "no module is at hand") {
		t.Errorf("got %v", err)
	}
}

func TestLinkedParsersFillIn(t *testing.T) {
	r, log := open(t, Config{Linked: []*sdk.Module{toy}})
	if _, _, err := r.Parser(t.Context(), "toy"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "no WebAssembly module is at hand") {
		t.Errorf("the log does not tell: %s", log)
	}
}

func TestModulesAreCompiledOnceAndLate(t *testing.T) {
	reads := 0
	var mu sync.Mutex
	r, _ := open(t, Config{CacheDir: t.TempDir(), Embedded: one{"mine", func() ([]byte, error) {
		mu.Lock()
		reads++
		mu.Unlock()
		return guest{}.Bytes(), nil
	}}})
	if reads != 1 {
		t.Errorf("%d reads for the manifest", reads)
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			ctx, cancel := context.WithCancel(context.Background())
			cancel() // a request that gives up
			if _, _, err := r.Parser(ctx, "mine"); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if reads != 2 {
		t.Errorf("%d reads after eight look-ups", reads)
	}
	_, info, err := r.Parser(t.Context(), "mine")
	if err != nil || info.Engine != "wasm" || info.Origin != "embedded" || len(info.SHA256) != 64 {
		t.Fatalf("%+v, %v", info, err)
	}
	if got := say(t, r, "mine", "Hello."); got != "Hello." {
		t.Errorf("got %q", got)
	}
}

func TestAModuleThatCannotBeCompiledSaysSoAtEachUse(t *testing.T) {
	empty, err := manifest.WithSection([]byte("\x00asm\x01\x00\x00\x00"), abi.SectionManifest, []byte(toy.Manifest))
	if err != nil {
		t.Fatal(err)
	}
	r, _ := open(t, Config{Embedded: one{"toy", func() ([]byte, error) { return empty, nil }}})
	for range 2 {
		if _, err := r.Lease(t.Context(), "toy"); err == nil || !strings.Contains(err.Error(), "module toy") {
			t.Errorf("a module without exports: %v", err)
		}
	}
}

func TestNames(t *testing.T) {
	for name, c := range map[string]struct {
		rule Rule
		put  []guest
		want string // why the last one is refused
	}{
		"of its own":                     {put: []guest{{}}},
		"a built-in module's":            {put: []guest{{Module: "toy", Parser: "mine"}}, want: "shadow: true"},
		"a built-in module's, permitted": {rule: Rule{Shadow: true}, put: []guest{{Module: "toy"}}},
		"a built-in parser's":            {put: []guest{{Parser: "toy_batch"}}, want: `the built-in module toy has the name "toy_batch"`},
		"a built-in parser's, permitted": {rule: Rule{Shadow: true}, put: []guest{{Parser: "toy_batch"}}},
		"a built-in alias":               {put: []guest{{Aliases: []string{"toy-2"}}}, want: `has the name "toy_2"`},
		"own name for an alias":          {put: []guest{{Parser: "toy-2"}}},
		"another's parser":               {put: []guest{{Module: "first", Parser: "p"}, {Parser: "P"}}, want: `"p" is a name that modules first and mine both claim`},
		"another's alias":                {put: []guest{{Module: "first", Aliases: []string{"p"}}, {Aliases: []string{"p"}}}, want: "both claim"},
		"another's alias as its own":     {put: []guest{{Module: "first", Aliases: []string{"mine"}}, {}}},
		"another manifest":               {put: []guest{{Module: "mine", Parser: "x", Version: "no version"}}, want: "version"},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := open(t, Config{Linked: []*sdk.Module{toy}, Native: true, Rules: map[string]Rule{"mine": c.rule, "toy": c.rule}})
			last := len(c.put) - 1
			for _, g := range c.put[:last] {
				put(t, r, g)
			}
			err := tryPut(t, r, c.put[last])
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestOwnNamesGoBeforeAliases(t *testing.T) {
	r, _ := open(t, Config{Linked: []*sdk.Module{toy}, Native: true})
	put(t, r, guest{Module: "first", Aliases: []string{"mine"}, Says: abi.Reasoning})
	if got := say(t, r, "mine", "a"); got != "(a)" {
		t.Errorf("by alias: %q", got)
	}
	put(t, r, guest{})
	if got := say(t, r, "mine", "a") + say(t, r, "first", "b"); got != "a(b)" {
		t.Errorf("by name: %q", got)
	}
}

func TestAShadowedModuleComesBackAsItWas(t *testing.T) {
	r, _ := open(t, Config{Linked: []*sdk.Module{toy}, Native: true, Rules: map[string]Rule{"toy": {Shadow: true}}})
	before, err := r.View().Family(t.Context(), "toy")
	if err != nil {
		t.Fatal(err)
	}
	put(t, r, guest{Module: "toy", Says: abi.Reasoning})
	if got := say(t, r, "toy", "a"); got != "(a)" {
		t.Errorf("shadowed: %q", got)
	}
	if _, err := r.View().Family(t.Context(), "other"); err != nil {
		t.Errorf("a name that the shadow lacks: %v", err)
	}
	if err := r.Remove(t.Context(), "toy", nil); err != nil {
		t.Fatal(err)
	}
	if after, err := r.View().Family(t.Context(), "toy"); err != nil || after != before {
		t.Errorf("got %p, %v, want %p", after, err, before)
	}
	if got := say(t, r, "toy", "a"); got != "a" {
		t.Errorf("unloaded: %q", got)
	}
}

func TestTheParserOfAModel(t *testing.T) {
	r, _ := open(t, Config{Linked: []*sdk.Module{toy}, Native: true, Rules: map[string]Rule{"toy": {Shadow: true}}})
	if name, err := r.View().ForModel("Toy-7b"); name != "toy" || err != nil {
		t.Errorf("got %q, %v", name, err)
	}
	for _, c := range []struct{ engineName, template, name, want string }{
		{"Toy-7b", "", "mine", "toy"},
		{"", "{{ '<other>' }}", "mine", ""}, // its markers are not in the manifest
		{"nothing", "", "Toy-7b", "toy"},
	} {
		if got, err := r.View().Auto(c.engineName, c.template, c.name); got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%+v: %q, error %v", c, got, err)
		}
	}
	if _, err := r.View().ForModel("nothing"); err == nil || !strings.Contains(err.Error(), "known are other, toy") {
		t.Errorf("got %v", err)
	}
	put(t, r, guest{Module: "toy", Models: "^Toy"})
	if name, err := r.View().ForModel("Toy-7b"); name != "toy" || err != nil {
		t.Errorf("shadowed: got %q, %v", name, err)
	}
	put(t, r, guest{Models: "7b$"})
	var both *AmbiguousError
	if _, err := r.View().ForModel("Toy-7b"); !errors.As(err, &both) || !slices.Equal(both.Modules, []string{"toy", "mine"}) {
		t.Errorf("got %v", err)
	}
}

func TestChangesThatModelsCannotTake(t *testing.T) {
	dir := t.TempDir()
	r, _ := open(t, Config{Dir: dir})
	put(t, r, guest{})
	drop := r.Require(func(ctx context.Context, v *View) error {
		_, err := v.Family(ctx, "mine")
		return err
	})
	var refused *RefusedError
	if err := tryPut(t, r, guest{Parser: "yours", Version: "2.0.0"}); !errors.As(err, &refused) || refused.Step != StepModels {
		t.Errorf("a version without the parser: %v", err)
	}
	if err := tryPut(t, r, guest{Parser: "yours", Version: "2.0.0"}, func(c *Change) { c.Rollout = &Rollout{Mode: Canary, Percent: 1} }); err == nil {
		t.Error("a canary without the parser")
	}
	if err := r.Remove(t.Context(), "mine", nil); !errors.As(err, &refused) || refused.Step != StepModels {
		t.Errorf("no module: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "mine.wasm")); err != nil || live(t, r, "mine") != "1.0.0" {
		t.Errorf("after refusals: %v, %s", err, live(t, r, "mine"))
	}
	drop()
	if err := r.Remove(t.Context(), "mine", nil); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left in the folder: %v", left)
	}
}

func TestInspectAFileThatIsNotThere(t *testing.T) {
	if _, err := Inspect(filepath.Join(t.TempDir(), "no.wasm")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestAClosedRegistrySaysSo(t *testing.T) {
	r, _ := open(t, Config{})
	put(t, r, guest{})
	for range 2 {
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if _, err := r.Lease(t.Context(), "mine"); !errors.Is(err, ErrClosed) {
		t.Errorf("lease: %v", err)
	}
	if err := tryPut(t, r, guest{}); !errors.Is(err, ErrClosed) {
		t.Errorf("put: %v", err)
	}
}
