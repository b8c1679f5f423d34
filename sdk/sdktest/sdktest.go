// Package sdktest tests a parser that is written with package sdk: every case
// and any text that the grammar's own tokens make, at every split, with each
// WATCH ignored and honoured, ended after every character.
//
//	func TestParser(t *testing.T) {
//		sdktest.Run(t, &larch.Module, sdktest.Config{
//			Cases:      "testdata/cases.json",
//			Client:     conform.Assemble, // of host/conform
//			Vocabulary: []string{"<think>", "</think>", "<|call|>", `{"a":`, "}"},
//		})
//	}
package sdktest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/cases"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/abi/tck"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/native"
)

// Config says what a parser is tested with.
type Config struct {
	// Cases is a file of cases, in the format that package cases reads. Cases for
	// parsers of other modules are left out.
	Cases string
	// Client is the host that says what a client gets of a case, or of a random
	// text: conform.Assemble of host/conform is turnkey's. Cases need it; without
	// cases it may be nil, and only the parser's own answers are checked.
	Client cases.Client
	// Vocabulary is the grammar's tokens: markers, and what may stand between
	// them. Random texts are made of them, of parts of them, and of plain words,
	// quotes and brackets.
	Vocabulary []string
	// MaxHold is how many bytes the parser may hold back in prose and calls,
	// whatever comes; 0 if it leaves the limit to the host.
	MaxHold int
	// Options are the options of the model's configuration, for all sessions.
	Options []abi.Option
	// Exceptions are cases that are known to fail, by name, and why. They are run
	// and printed, and fail the test once they pass.
	Exceptions map[string]string
	// Leaks may judge what a random text became: it gets all visible text and all
	// reasoning, joined, and says what should not be there, or "".
	Leaks func(s *abi.OpenBlock, input, text, reasoning string) string
}

// Run tests all parsers of the module. The number of random texts is
// rapid's (-rapid.checks).
func Run(t *testing.T, m *sdk.Module, cfg Config) {
	t.Helper()
	described, engines := openParsers(t, m)
	if cfg.Cases != "" {
		runCases(t, described, engines, cfg)
	}
	if len(cfg.Vocabulary) == 0 {
		return
	}
	for _, e := range engines {
		t.Run("random/"+e.Parser().Name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				data := rapid.SliceOfN(rapid.Byte(), tck.RandomHeader, tck.RandomHeader+2*40).Draw(t, "tokens")
				if err := checkRandom(e, data, cfg); err != nil {
					t.Fatal(err)
				}
			})
		})
		if cfg.MaxHold > 0 {
			t.Run("hold/"+e.Parser().Name, func(t *testing.T) {
				t.Parallel()
				checkHold(t, e, cfg)
			})
		}
	}
}

// Fuzz tests all parsers of the module on random texts, under go test -fuzz.
func Fuzz(f *testing.F, m *sdk.Module, cfg Config) {
	f.Helper()
	_, engines := openParsers(f, m)
	f.Add(uint8(0), []byte{0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8})
	f.Add(uint8(1), []byte{2, 0, 1, 0, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0})
	f.Fuzz(func(t *testing.T, parser uint8, tokens []byte) {
		tokens = tokens[:min(len(tokens), tck.RandomHeader+2*64)]
		if err := checkRandom(engines[int(parser)%len(engines)], tokens, cfg); err != nil {
			t.Fatal(err)
		}
	})
}

// openParsers gives the parsers of the module.
func openParsers(t testing.TB, m *sdk.Module) (*manifest.Manifest, []parser.Engine) {
	t.Helper()
	described, err := manifest.Parse([]byte(m.Manifest))
	if err != nil {
		t.Fatal(err)
	}
	engines := make([]parser.Engine, len(described.Parsers))
	for i, p := range described.Parsers {
		if engines[i], err = native.Parser(m, p.Name); err != nil {
			t.Fatal(err)
		}
	}
	return described, engines
}

// runCases runs the cases that the module has a parser for.
func runCases(t *testing.T, described *manifest.Manifest, engines []parser.Engine, cfg Config) {
	if cfg.Client == nil {
		t.Fatal("Config.Cases needs a Config.Client, the host that makes of them what a client gets: conform.Assemble of host/conform")
	}
	file, err := cases.Load(cfg.Cases)
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, c := range file.Cases {
		found, ok := manifest.Set{described}.Find(c.Family)
		if !ok {
			continue
		}
		e := engines[slices.IndexFunc(engines, func(e parser.Engine) bool { return e.Parser().Name == found.Parser.Name })]
		ran++
		t.Run("case/"+c.Name, func(t *testing.T) {
			t.Parallel()
			err := runCase(e, &c, cfg)
			why, excepted := cfg.Exceptions[c.Name]
			switch {
			case !excepted && err != nil:
				t.Error(err)
			case excepted && err == nil:
				t.Errorf("the case passes; take it out of the exceptions (%s)", why)
			case excepted:
				t.Logf("EXCEPTION %s: %s: %v", c.Name, why, err)
			}
		})
	}
	if ran == 0 {
		t.Errorf("%s: none of the %d cases is for a parser of this module", cfg.Cases, len(file.Cases))
	}
	for name := range cfg.Exceptions {
		if !slices.ContainsFunc(file.Cases, func(c cases.Case) bool { return c.Name == name }) {
			t.Errorf("exception %q: %s has no such case", name, cfg.Cases)
		}
	}
}

// runCase checks one case: what the parser answers, also in a request without
// tools, and what a client gets.
func runCase(e parser.Engine, c *cases.Case, cfg Config) error {
	c.Options = cfg.Options
	s, err := c.OpenBlock(e.Parser().Name)
	if err != nil {
		return err
	}
	err = tck.CheckText(e, s, c.Input, c.Finish, tck.EverySplit)
	s.Tools, s.Mode, s.NamedTool = nil, abi.ModeNative, ""
	err = errors.Join(err, tck.CheckText(e, s, c.Input, c.Finish, tck.EverySplit))
	if f := cases.Check(cfg.Client, e, c, tck.EverySplit); f != nil {
		return errors.Join(err, fmt.Errorf("%s\n split %s: %s\n want %v %s\n got  %v %s", c.Why, f.Split, f.Reason, c.Want, c.WantError, f.Got, f.Error))
	}
	return err
}
