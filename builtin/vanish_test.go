package builtin

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/cases"
	"github.com/turnkey-parsers/turnkey/abi/tck"
	"github.com/turnkey-parsers/turnkey/host/conform"
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
