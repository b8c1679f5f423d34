package tck

import (
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
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

// The answers come after the push of "ab日c"; their LITERAL bytes are "own".
func TestLedgerRefuses(t *testing.T) {
	ev := func(k abi.Kind, flags uint8, start, n, end uint32) abi.Event {
		return abi.Event{Kind: k, Flags: flags, Start: start, Len: n, End: end}
	}
	call := ev(abi.Call, 0, 0, 1, 0)
	for _, c := range []struct {
		name   string
		events []abi.Event
		want   string
	}{
		{"sound", []abi.Event{call, ev(abi.Text, 0, 0, 2, 2), ev(abi.Key, 0, 2, 3, 5), ev(abi.Value, 2, 5, 1, 6), ev(abi.CallEnd, 0, 0, 0, 6)}, ""},
		{"end beyond", []abi.Event{ev(abi.Commit, 0, 0, 0, 7)}, "beyond the 6 bytes"},
		{"end down", []abi.Event{ev(abi.Commit, 0, 0, 0, 2), ev(abi.Commit, 0, 0, 0, 1)}, "goes down"},
		{"end in a character", []abi.Event{ev(abi.Commit, 0, 0, 0, 3)}, "cuts a character"},
		{"span in a character", []abi.Event{ev(abi.Text, 0, 0, 3, 5)}, "cuts a character"},
		{"span beyond", []abi.Event{ev(abi.Text, 0, 2, 5, 6)}, "outside"},
		{"span overflows", []abi.Event{ev(abi.Text, 0, 2, 1<<32-1, 6)}, "outside"},
		{"said twice", []abi.Event{ev(abi.Text, 0, 0, 2, 2), ev(abi.Reasoning, 0, 1, 1, 2)}, "said before"},
		{"text not accounted for", []abi.Event{ev(abi.Text, 0, 0, 2, 1)}, "behind its own end"},
		{"text flags", []abi.Event{ev(abi.Text, 4, 0, 2, 2)}, "not defined"},
		{"payload reasoning", []abi.Event{ev(abi.Reasoning, 2, 0, 2, 2)}, "not defined"},
		{"unknown kind", []abi.Event{ev(17, 0, 0, 0, 0)}, "unknown"},
		{"unknown kind, skipped", []abi.Event{ev(17, 0x80, 0, 0, 0)}, ""},
		{"watch not last", []abi.Event{abi.WatchEvent(1, 0, nil, 0), ev(abi.Text, 0, 0, 6, 6)}, "last event"},
		{"watch while holding", []abi.Event{abi.WatchEvent(1, 0, nil, 0)}, "holds 6 bytes"},
		{"watch no channel", []abi.Event{ev(abi.Text, 0, 0, 6, 6), abi.WatchEvent(3, 0, nil, 6)}, "no channel"},
		{"watch no value", []abi.Event{call, abi.WatchEvent(8, 0, nil, 6)}, "no VALUE"},
		{"hold", []abi.Event{abi.WatchEvent(15, 0, nil, 0)}, ""},
		{"literal alone", []abi.Event{ev(abi.Literal, 0, 0, 3, 0)}, "ends with a LITERAL"},
		{"literal outside", []abi.Event{ev(abi.Literal, 0, 1, 3, 0), ev(abi.Note, 0, 0, 0, 0)}, "outside the 3 bytes"},
		{"literal for text", []abi.Event{ev(abi.Literal, 0, 0, 3, 0), ev(abi.Text, 0, 0, 1, 1)}, "must not stand before"},
		{"literal for a name", []abi.Event{ev(abi.Literal, 0, 0, 3, 0), call}, "synthesises"},
		{"literal for a note", []abi.Event{ev(abi.Literal, 0, 0, 3, 0), ev(abi.Note, 0, 0, 0, 0)}, ""},
		{"after a fatal error", []abi.Event{ev(abi.Error, 1, 0, 0, 0), ev(abi.Commit, 0, 0, 0, 1)}, "fatal"},
		{"state", []abi.Event{ev(abi.State, 4, 0, 0, 0)}, "no channel"},
		{"state, late", []abi.Event{ev(abi.State, 1, 0, 0, 0)}, "tk_open only"},
		{"too many events", make([]abi.Event, 64+8*6+1), "too many"},
		{"two calls", []abi.Event{call, {Kind: abi.Call, Call: 1}}, "still open"},
		{"call number", []abi.Event{{Kind: abi.Call, Call: 1}}, "the next is 0"},
		{"no call", []abi.Event{ev(abi.Args, 0, 0, 1, 1)}, "not open"},
		{"name reading", []abi.Event{ev(abi.Call, 5, 0, 1, 1)}, "not defined"},
		{"key and args", []abi.Event{call, ev(abi.Key, 0, 0, 1, 1), ev(abi.Args, 0, 0, 1, 1)}, "one or the other"},
		{"args and key", []abi.Event{call, ev(abi.Args, 0, 0, 1, 1), ev(abi.Key, 0, 0, 1, 1)}, "one or the other"},
		{"value without key", []abi.Event{call, ev(abi.Value, 0, 0, 1, 1)}, "without a KEY"},
		{"value twice", []abi.Event{call, ev(abi.Key, 0, 0, 1, 1), ev(abi.Value, 0, 0, 1, 1), ev(abi.Value, 0, 0, 1, 1)}, "without a KEY"},
		{"value flags", []abi.Event{call, ev(abi.Key, 0, 0, 1, 1), ev(abi.Value, 9, 0, 1, 1)}, "not defined"},
		{"value flags change", []abi.Event{call, ev(abi.Key, 0, 0, 1, 1), ev(abi.Value, 0x11, 0, 1, 1), ev(abi.Value, 2, 0, 1, 1)}, "began with"},
		{"key without value", []abi.Event{call, ev(abi.Key, 0, 0, 1, 1), ev(abi.CallEnd, 0, 0, 0, 1)}, "no value"},
		{"key after key", []abi.Event{call, ev(abi.Key, 0, 0, 1, 1), ev(abi.Key, 0, 0, 1, 1)}, "no value"},
		{"cut value", []abi.Event{call, ev(abi.Key, 0, 0, 1, 1), ev(abi.Value, 0x10, 0, 1, 1), ev(abi.CallEnd, 0, 0, 0, 1)}, "more follows"},
		{"unsound end", []abi.Event{call, ev(abi.Key, 0, 0, 1, 1), ev(abi.CallEnd, 1, 0, 0, 1)}, ""},
		{"nested", []abi.Event{call, ev(abi.Key, 0, 0, 1, 1), ev(abi.Open, 2, 0, 0, 1), ev(abi.Value, 0, 0, 1, 1), ev(abi.Value, 0, 0, 0, 1), ev(abi.Close, 0, 0, 0, 1), ev(abi.CallEnd, 0, 0, 0, 1)}, ""},
		{"key in array", []abi.Event{call, ev(abi.Key, 0, 0, 1, 1), ev(abi.Open, 2, 0, 0, 1), ev(abi.Key, 0, 0, 1, 1)}, "in an array"},
		{"close too much", []abi.Event{call, ev(abi.Close, 0, 0, 0, 1)}, "nothing is open"},
		{"nested left open", []abi.Event{call, ev(abi.Key, 0, 0, 1, 1), ev(abi.Open, 1, 0, 0, 1), ev(abi.CallEnd, 0, 0, 0, 1)}, "still open"},
		{"open flags", []abi.Event{call, ev(abi.Key, 0, 0, 1, 1), ev(abi.Open, 3, 0, 0, 1)}, "1 is an object"},
	} {
		l := ledger{input: []byte("ab日c")}
		err := l.apply(abi.Answer{Events: c.events, Literals: []byte("own")}, false)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
	l := ledger{input: []byte("ab")}
	if err := l.apply(abi.Answer{Events: []abi.Event{{Kind: abi.Text, Len: 1, End: 1}}}, true); err == nil {
		t.Error("a byte that is not accounted for at the end was accepted")
	}
	l = ledger{}
	if err := l.apply(abi.Answer{Events: []abi.Event{{Kind: abi.Call}}}, true); err == nil {
		t.Error("a call left open at the end was accepted")
	}
}

// The sum must not depend on how runs and fragments were cut.
func TestLedgerSums(t *testing.T) {
	call := abi.Event{Kind: abi.Call, Len: 1}
	key := abi.Event{Kind: abi.Key, Len: 1}
	v := func(flags uint8, start, n uint32) abi.Event {
		return abi.Event{Kind: abi.Value, Flags: flags, Start: start, Len: n}
	}
	sum := func(events ...abi.Event) state {
		l := ledger{input: []byte("abcdef")}
		if err := l.apply(abi.Answer{Events: events}, false); err != nil {
			t.Fatal(err)
		}
		return l.state()
	}
	text := func(flags uint8, start, n uint32) abi.Event {
		return abi.Event{Kind: abi.Text, Flags: flags, Start: start, Len: n, End: 6}
	}
	if sum(text(0, 0, 4)) != sum(text(0, 0, 2), text(0, 2, 2)) {
		t.Error("runs that touch are not one")
	}
	if sum(text(0, 0, 4)) == sum(text(0, 0, 2), text(0, 3, 1)) {
		t.Error("a gap makes no difference")
	}
	if sum(text(0, 0, 4)) == sum(text(0, 0, 2), text(1, 2, 2)) {
		t.Error("a new block makes no difference")
	}
	if sum(call, key, v(0x11, 1, 2), v(1, 3, 1)) != sum(call, key, v(0x11, 1, 0), v(0x11, 1, 3), v(1, 0, 0)) {
		t.Error("fragments of a value that touch are not one")
	}
	if sum(call, key, v(0x11, 1, 2)) == sum(call, key, v(1, 1, 2)) {
		t.Error("an open value is as good as a closed one")
	}
}

func FuzzLedger(f *testing.F) {
	f.Add([]byte("\x03\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"), []byte("own"), "text", true)
	f.Fuzz(func(t *testing.T, answer, literals []byte, text string, last bool) {
		var a abi.Answer
		for ; len(answer) >= abi.EventSize; answer = answer[abi.EventSize:] {
			a.Events = append(a.Events, abi.DecodeEvent(answer))
		}
		a.Literals = literals
		l := ledger{input: []byte(text), synthesises: true}
		if l.apply(a, last) != nil {
			return
		}
		if l.watch.Kind == abi.Watch && l.watch.Flags != abi.FlagHold {
			if err := l.skip([]byte("more")); err != nil {
				t.Fatalf("bytes that the WATCH left out are refused: %v", err)
			}
		}
		if l.state().end > uint32(len(l.input)) || l.String() == "" {
			t.Fatalf("%v", &l)
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
