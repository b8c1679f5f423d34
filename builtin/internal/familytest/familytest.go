// Package familytest runs the checks that every family of built-in parsers has to
// pass on its own: go test ./builtin/qwen3 tests that family in seconds. What is
// asked of all families together is in the tests of package builtin.
package familytest

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/host/conform"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

// Run checks the parsers of m against all files of cases in testdata, at every
// split, and on random texts of cfg's vocabulary, as turnkey's host gives them to
// a client. cfg needs neither Cases nor Client.
func Run(t *testing.T, m *sdk.Module, cfg sdktest.Config) {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases in testdata: ", err)
	}
	cfg.Client = conform.Assemble
	for _, path := range paths {
		c := cfg
		c.Cases, c.Vocabulary = path, nil
		t.Run(strings.TrimSuffix(filepath.Base(path), ".json"), func(t *testing.T) { sdktest.Run(t, m, c) })
	}
	sdktest.Run(t, m, cfg)
}

// Fuzz checks the parsers of m on texts of cfg's vocabulary, under go test -fuzz.
func Fuzz(f *testing.F, m *sdk.Module, cfg sdktest.Config) {
	f.Helper()
	cfg.Client = conform.Assemble
	sdktest.Fuzz(f, m, cfg)
}
