package builtin

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/cases"
	"github.com/turnkey-parsers/turnkey/host/conform"
	"github.com/turnkey-parsers/turnkey/host/parse"
)

// toolF is a tool f with a string s.
var toolF = []json.RawMessage{json.RawMessage(`{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"s":{"type":"string"}}}}}`)}

// assemble gives what a client gets of a text.
func (f *family) assemble(t *testing.T, text string) (said string, calls []cases.Piece) {
	t.Helper()
	pieces, err := conform.Assemble(f, &cases.Case{Tools: toolF, Start: abi.ChannelContent, Input: text}, []string{text})
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	for _, p := range pieces {
		if p.Kind == cases.KindToolCall {
			calls = append(calls, p)
		}
		said += p.Text
	}
	return said, calls
}

// lateValues are the families in which a value's end is certain only by what comes later.
var lateValues = map[string]bool{"deepseek_v41": true, "kimi_k3": true, "minimax_m2": true}

// A call behind a quotation mark that has no partner is a call, and is known to be one
// as early as without that mark, once it has an argument.
func TestCallBehindALoneQuotationMark(t *testing.T) {
	for name, f := range families(t) {
		t.Run(name, func(t *testing.T) {
			lead := f.Text[0] + `It's "y`
			argument := strings.ReplaceAll(f.Argument, "#", "1")
			text := lead + f.Call.Around(argument+f.String.Around(`x`))
			for _, tail := range []string{"", " \"a\" and 'b'.", " \"c"} {
				said, calls := f.assemble(t, text+tail)
				if len(calls) != 1 || !strings.HasPrefix(said, `It's "y`) {
					t.Errorf("%q gives %q and calls %v", text+tail, said, calls)
				}
			}
			begun := f.Call[0] + argument + f.String[0] + "x"
			if got, want := f.callsIn(t, lead+begun), f.callsIn(t, f.Text[0]+begun); got != want && !lateValues[name] {
				t.Errorf("%d calls in the middle of the call, want %d", got, want)
			}
		})
	}
}

// callsIn counts the calls that a text has begun.
func (f *family) callsIn(t *testing.T, text string) int {
	t.Helper()
	s, _, err := parse.Open(parse.Config{Engine: f, Open: f.session("f"), Policy: parse.FaultIsError})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	events, err := s.Push(text)
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for _, e := range events {
		if e.Kind == abi.Call {
			calls++
		}
	}
	return calls
}
