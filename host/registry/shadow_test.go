package registry

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/cases"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/abi/tck"
	"github.com/turnkey-parsers/turnkey/builtin"
	"github.com/turnkey-parsers/turnkey/host/conform"
	"github.com/turnkey-parsers/turnkey/sdk/native"
)

// TestAShadowChangesNothing runs every family's cases through a parser with
// itself as its shadow: the cases pass, and the two never differ.
func TestAShadowChangesNothing(t *testing.T) {
	paths, err := filepath.Glob("../../builtin/*/testdata/cases.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	log := &journal{}
	beside := &trial{version: newVersion(&build{Info: Info{Manifest: &manifest.Manifest{}}}, nil), counts: &counts{},
		log: slog.New(slog.NewTextHandler(log, nil)), wake: func() {}, Rollout: Rollout{Differences: 1 << 30}}
	splits, err := tck.ParseSplits("random:3")
	if err != nil {
		t.Fatal(err)
	}
	c := conform.Config{Name: "shadowed", Splits: splits, Engine: func(family string) (parser.Engine, error) {
		e := linkedParser(t, family)
		if e == nil {
			return nil, nil
		}
		return &observed{e, func(open *abi.OpenBlock) observer { return newShadowRun(beside, e, open) }}, nil
	}}
	for _, path := range paths {
		f, err := cases.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		c.Files = append(c.Files, f)
	}
	var out, plain strings.Builder
	sum, err := conform.Run(c, &out, false)
	if err != nil {
		t.Fatal(err)
	}
	c.Engine = func(family string) (parser.Engine, error) { return linkedParser(t, family), nil }
	alone, err := conform.Run(c, &plain, false)
	if err != nil {
		t.Fatal(err)
	}
	if sum != alone || sum.Passed == 0 {
		t.Errorf("with a shadow %s, without %s:\n%s", sum, alone, out.String())
	}
	if n := beside.different.Load(); n > 0 {
		t.Errorf("%d of %d answers differ from themselves: %s", n, beside.answers.Load(), log.String())
	}
	t.Logf("%s, %d answers compared", sum, beside.answers.Load())
}

// linkedParser gives the linked parser of that name, nil if there is none.
func linkedParser(t *testing.T, name string) parser.Engine {
	for _, m := range builtin.Modules {
		described, err := manifest.Parse([]byte(m.Manifest))
		if err != nil {
			t.Fatal(err)
		}
		if found, ok := (manifest.Set{described}).Find(name); ok {
			e, err := native.Parser(m, found.Parser.Name)
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
	}
	return nil
}
