package builtin

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/cases"
	"github.com/turnkey-parsers/turnkey/abi/tck"
	"github.com/turnkey-parsers/turnkey/host/conform"
	"github.com/turnkey-parsers/turnkey/host/parse"
)

// oneTool is a tool f with a string.
var oneTool = []json.RawMessage{json.RawMessage(`{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"s":{"type":"string"}}}}}`)}

// assembleEverySplit gives what a client gets of a text, which is the same at every split.
func assembleEverySplit(t *testing.T, f *family, c *cases.Case) []cases.Piece {
	t.Helper()
	c.Tools, c.Start = oneTool, abi.ChannelContent
	if err := cases.CheckSplits(conform.Assemble, f, c, tck.EverySplit); err != nil {
		t.Errorf("%q: %v", c.Input, err)
	}
	events, err := conform.Assemble(f, c, []string{c.Input})
	if err != nil {
		t.Errorf("%q: %v", c.Input, err)
	}
	return events
}

// An engine that ignored the schema wrote the call in its own form: it is that call.
func TestNativeCallInGuidedModes(t *testing.T) {
	for name, f := range families(t) {
		for _, mode := range []abi.Mode{abi.ModeGuidedRequired, abi.ModeGuidedNamed} {
			calls := 0
			c := &cases.Case{Mode: mode, NamedTool: "f", Input: f.Text.Around("Sure.") + f.Call.Around(f.String.Around("hello"))}
			for _, e := range assembleEverySplit(t, f, c) {
				if e.Kind == cases.KindToolCall && e.Name == "f" && strings.ReplaceAll(string(e.Arguments), " ", "") == `{"s":"hello"}` {
					calls++
				}
			}
			if calls != 1 {
				t.Errorf("%s, mode %d: %d calls in %q", name, mode, calls, c.Input)
			}
		}
	}
}

// narrations are what a model says about a marker, which # stands for.
var narrations = []string{
	"The # tag starts a call. Then the rest.", "The **#** tag starts a call.", "It begins (#) here.", "The “#” tag.", "In HTML: <code>#</code>.",
	"| tag | use |\n| # | begins a call |", "- # begins a call\n- then comes its name", "Write # first", "#", "first # then #\n\nand so on",
}

// stillNarrow are families whose openers are not prose everywhere yet.
var stillNarrow = []string{}

// unjailed are the openers of families that need none, and name none in the manifest.
var unjailed = map[string][]string{"llama3_json": {"<|python_tag|>"}, "pythonic": {"<|python_start|>"}}

// An opener that no name follows is prose, marker included.
func TestNoNameNoCall(t *testing.T) {
	for name, f := range families(t) {
		if slices.Contains(stillNarrow, name) {
			continue
		}
		openers := unjailed[name]
		if jail := f.Parser().Jail; jail != nil {
			openers = jail.Open
		}
		for _, marker := range openers {
			for _, narration := range narrations {
				text := strings.ReplaceAll(narration, "#", strings.TrimSpace(marker))
				got := ""
				for _, e := range assembleEverySplit(t, f, &cases.Case{Input: f.Text.Around(text)}) {
					got += e.Text
					if e.Kind == cases.KindToolCall {
						got += " a call"
					}
				}
				if got != text {
					t.Errorf("%s makes %q of %q", name, got, text)
				}
			}
		}
	}
}

// No text of a case that lost a piece makes a parser fail.
func TestTextsWithAPieceLeftOut(t *testing.T) {
	for name, f := range families(t) {
		t.Run(name, func(t *testing.T) {
			for _, c := range f.cases {
				if c.Mode != abi.ModeNative {
					continue
				}
				for at := 1; at < len(c.Input); at += 7 {
					text := strings.ToValidUTF8(c.Input[:at]+c.Input[min(len(c.Input), at+11):], "")
					cut := c
					cut.Input, cut.Finish = text, abi.FinishUnknown
					if _, err := conform.Assemble(f, &cut, []string{text}); err != nil && !cut.TurnGrammar {
						t.Errorf("%s: %q: %v", c.Name, text, err)
					}
				}
			}
		})
	}
}

// Closed arguments that are no JSON are the host's to judge: it gets the bytes between their
// brackets, and the call behind them is one.
func TestUnreadableArgumentsAreTheModelsBytes(t *testing.T) {
	for name, f := range families(t) {
		if !strings.HasPrefix(f.Argument, `"`) { // the arguments are no JSON
			continue
		}
		text := f.Text[0] + f.Call.Around(`s: "x"`) + f.Call.Around(`"s": "y"`)
		s, _, err := parse.Open(parse.Config{Engine: f, Open: f.session("f"), Policy: parse.FaultIsError})
		if err != nil {
			t.Fatal(err)
		}
		pushed, err := s.Push(text)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, e := range pushed {
			got += string(e.Data)
			if e.Kind == abi.CallEnd {
				break
			}
		}
		s.Close()
		if !strings.HasSuffix(got, `{s: "x"}`) || strings.Count(got, "{") != 1 {
			t.Errorf("%s hands on %q of %q", name, got, text)
		}
		calls := 0
		for _, p := range assembleEverySplit(t, f, &cases.Case{Input: text}) {
			if p.Kind == cases.KindToolCall {
				calls++
			} else {
				t.Errorf("%s shows %q of %q", name, p.Text, text)
			}
		}
		if calls != 2 {
			t.Errorf("%s reads %d calls in %q", name, calls, text)
		}
	}
}
