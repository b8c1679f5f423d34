package sdktest

import (
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
)

// Step is a push, and what has to be answered at once: text and reasoning as they
// are, parts of a call in square brackets, and "end" where a call is complete.
type Step [2]string

// Eager checks that a parser gives what is certain with the push that makes it so,
// in a session that offers the tool f.
func Eager(t *testing.T, m *sdk.Module, parser string, texts ...[]Step) {
	t.Helper()
	for _, steps := range texts {
		s, _ := sdk.Open(m, &abi.OpenBlock{Parser: parser, Tools: []string{"f"}, Flags: abi.OpenParallel})
		text := ""
		for _, step := range steps {
			off, push, want := len(text), step[0], step[1]
			text += push
			if got := renderSpans(text, s.Push(abi.RawOffset(off), 0, []byte(push)).Events); got != want {
				t.Errorf("%q gives %q, want %q", text, got, want)
			}
		}
	}
}

// renderSpans writes the events of an answer as a Step wants them.
func renderSpans(text string, events []abi.Event) string {
	var b strings.Builder
	for _, e := range events {
		switch e.Kind {
		case abi.Call, abi.CallID, abi.Key, abi.Args, abi.Value:
			b.WriteString("[" + text[e.Start:e.Start+e.Len] + "]")
		case abi.Text, abi.Reasoning:
			b.WriteString(text[e.Start : e.Start+e.Len])
		case abi.CallEnd:
			b.WriteString("end")
		}
	}
	return b.String()
}
