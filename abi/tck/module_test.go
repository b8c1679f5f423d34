package tck

import (
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/abi/tck/toy"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/native"
)

func checkOnly(t *testing.T, m *sdk.Module, name string) error {
	t.Helper()
	described, err := manifest.Parse([]byte(m.Manifest))
	if err != nil {
		t.Fatal(err)
	}
	found, ok := manifest.Set{described}.Find(name)
	if !ok {
		t.Fatalf("no parser %s", name)
	}
	described.Parsers = []manifest.Parser{*found.Parser}
	return CheckModule(described, func(name string) (parser.Engine, error) { return native.Parser(m, name) })
}

func TestCheckModule(t *testing.T) {
	if err := checkOnly(t, &toy.Module, "toy"); err != nil {
		t.Error(err)
	}
	for flaw, want := range map[string]string{
		"toy_watch":      "parser toy_watch: text",
		"toy_panic":      "panic: cut",
		"toy_shared":     "what was said differs",
		"toy_constraint": `constraint: scope "reply"`,
	} {
		if err := checkOnly(t, &toy.Module, flaw); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want something with %q", flaw, err, want)
		}
	}
}

func TestCheckModuleUnknownParser(t *testing.T) {
	takesAny := toy.Module
	takesAny.New = func(s *abi.OpenBlock) sdk.Parser {
		named := *s
		named.Parser = "toy"
		return toy.Module.New(&named)
	}
	if err := checkOnly(t, &takesAny, "toy"); err == nil || !strings.Contains(err.Error(), "a parser that the module lacks") {
		t.Errorf("got %v", err)
	}
}
