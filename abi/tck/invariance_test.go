package tck

import (
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/check"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/abi/tck/toy"
	"github.com/turnkey-parsers/turnkey/sdk/native"
)

const toyText = `Hi, <b é <t>so? </ <t></t> 日 (f{"a":1}) and (g{}) b<t`

func TestCheckTextPassesASoundParser(t *testing.T) {
	for _, start := range []abi.Channel{abi.ChannelUnknown, abi.ChannelReasoning} {
		if err := CheckText(toyEngine(t, "toy"), abi.OpenBlock{Start: start, Tools: []string{"f"}}, toyText, abi.FinishUnknown, EverySplit); err != nil {
			t.Error(err)
		}
	}
}

// Each flawed parser must be found out, with words that tell what to mend.
func TestCheckTextFindsFlaws(t *testing.T) {
	for flaw, want := range map[string]string{
		"toy_eager": "what was said differs",
		"toy_late":  "what was said differs",
		"toy_watch": "WATCH honoured",
		"toy_own":   `synthesises`,
		"toy_panic": "panic: cut",
	} {
		err := CheckText(toyEngine(t, flaw), abi.OpenBlock{Tools: []string{"f"}}, toyText, abi.FinishUnknown, EverySplit)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want something with %q", flaw, err, want)
		}
	}
}

// The transcript must not depend on how runs and fragments were cut.
func TestTranscriptDoesNotDependOnCuts(t *testing.T) {
	call := abi.Event{Kind: abi.Call, Len: 1}
	key := abi.Event{Kind: abi.Key, Len: 1}
	v := func(flags uint8, start, n uint32) abi.Event {
		return abi.Event{Kind: abi.Value, Flags: flags, Start: start, Len: n}
	}
	summaryOf := func(events ...abi.Event) summary {
		got := transcript{input: []byte("abcdef")}
		if err := got.applyAnswer(abi.Answer{Events: events}, check.Pushing); err != nil {
			t.Fatal(err)
		}
		return got.summary()
	}
	text := func(flags uint8, start, n uint32) abi.Event {
		return abi.Event{Kind: abi.Text, Flags: flags, Start: start, Len: n, End: 6}
	}
	if summaryOf(text(0, 0, 4)) != summaryOf(text(0, 0, 2), text(0, 2, 2)) {
		t.Error("runs that touch are not one")
	}
	if summaryOf(text(0, 0, 4)) == summaryOf(text(0, 0, 2), text(0, 3, 1)) {
		t.Error("a gap makes no difference")
	}
	if summaryOf(text(0, 0, 4)) == summaryOf(text(0, 0, 2), text(1, 2, 2)) {
		t.Error("a new block makes no difference")
	}
	if summaryOf(call, key, v(0x11, 1, 2), v(1, 3, 1)) != summaryOf(call, key, v(0x11, 1, 0), v(0x11, 1, 3), v(1, 0, 0)) {
		t.Error("fragments of a value that touch are not one")
	}
	if summaryOf(call, key, v(0x11, 1, 2)) == summaryOf(call, key, v(1, 1, 2)) {
		t.Error("an open value is as good as a closed one")
	}
}

func FuzzTranscript(f *testing.F) {
	f.Add([]byte("\x03\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"), []byte("own"), "text", true)
	f.Fuzz(func(t *testing.T, answer, literals []byte, text string, last bool) {
		at := check.Pushing
		if last {
			at = check.Finishing
		}
		var a abi.Answer
		for ; len(answer) >= abi.EventSize; answer = answer[abi.EventSize:] {
			a.Events = append(a.Events, abi.DecodeEvent(answer))
		}
		a.Literals = literals
		got := transcript{input: []byte(text), check: check.Checker{Rules: check.Rules{Synthesises: true, Strict: true}}}
		if got.applyAnswer(a, at) != nil {
			return
		}
		if got.watch.Kind == abi.Watch && got.watch.Flags != abi.FlagHold {
			got.leaveOut([]byte("more"))
		}
		if got.summary().end > abi.RawOffset(len(got.input)) || got.String() == "" {
			t.Fatalf("%v", &got)
		}
	})
}

func toyEngine(t testing.TB, name string) parser.Engine {
	t.Helper()
	e, err := native.Parser(&toy.Module, name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
