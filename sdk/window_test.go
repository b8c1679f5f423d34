package sdk_test

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
)

type step func(w *sdk.Window)

func (f step) Step(w *sdk.Window) { f(w) }

func open(t *testing.T, f step) (*sdk.Session, abi.Answer) {
	t.Helper()
	return sdk.Open(&sdk.Module{New: func(*abi.OpenBlock) sdk.Parser { return f }}, &abi.OpenBlock{Tools: []string{"f"}})
}

func same(t *testing.T, a abi.Answer, want ...abi.Event) {
	t.Helper()
	if len(a.Events) != len(want) {
		t.Fatalf("events %+v, want %+v", a.Events, want)
	}
	for i, e := range a.Events {
		if e != want[i] {
			t.Errorf("event %d: %+v, want %+v", i, e, want[i])
		}
	}
}

func TestUnknownParser(t *testing.T) {
	s, a := sdk.Open(&sdk.Module{New: func(*abi.OpenBlock) sdk.Parser { return nil }}, &abi.OpenBlock{Parser: "larch"})
	if string(a.Literals) != "the module has no parser larch" {
		t.Errorf("note %q", a.Literals)
	}
	if e := a.Events[len(a.Events)-1]; e.Kind != abi.Error || e.Flags != abi.FlagFatal || e.Start != abi.CodeUnknownParser {
		t.Errorf("last event %+v", e)
	}
	s.Push(0, 0, []byte("x"))
	same(t, s.Finish(1, 0), abi.Event{Kind: abi.Text, Len: 1, End: 1})
}

func TestProseMergesAndCommits(t *testing.T) {
	s, _ := open(t, func(w *sdk.Window) {
		if w.Len() == 6 {
			w.Text(1)
			w.Text(1)
			w.Skip(1)
			w.Text(1)
			w.NewBlock()
			w.Text(1)
			w.Payload(1)
		}
	})
	same(t, s.Push(0, 0, []byte("abcdef")),
		abi.Event{Kind: abi.Text, Start: 0, Len: 2, End: 3},
		abi.Event{Kind: abi.Text, Start: 3, Len: 1, End: 4},
		abi.Event{Kind: abi.Text, Flags: abi.FlagNewBlock, Start: 4, Len: 1, End: 5},
		abi.Event{Kind: abi.Text, Flags: abi.FlagPayload, Start: 5, Len: 1, End: 6})
}

func TestSkipAloneCommits(t *testing.T) {
	s, _ := open(t, func(w *sdk.Window) { w.Skip(w.Len()) })
	same(t, s.Push(0, 0, []byte("ab")), abi.Event{Kind: abi.Commit, End: 2})
	same(t, s.Finish(2, 0))
}

func TestEndDropsTheCall(t *testing.T) {
	s, _ := open(t, func(w *sdk.Window) {
		if !w.Final && w.Len() == 3 {
			w.Call(0, 2, 0)
			w.Skip(2)
		}
	})
	same(t, s.Push(0, 0, []byte("f{x")), abi.Event{Kind: abi.Call, Len: 2, End: 2})
	same(t, s.Finish(3, 0), abi.Event{Kind: abi.CallDrop, End: 3})
}

func TestEndSaysTheRest(t *testing.T) {
	s, _ := open(t, func(w *sdk.Window) {})
	s.Push(0, 0, []byte("held"))
	same(t, s.Finish(4, 0), abi.Event{Kind: abi.Text, Len: 4, End: 4})
}

// A WATCH lets the host leave bytes out: the next push comes with its true offset
// and some left context.
func TestWatchSkip(t *testing.T) {
	var prev rune
	s, _ := open(t, func(w *sdk.Window) {
		prev = w.PrevRune()
		w.Text(w.Len())
		w.Watch(abi.Text, []byte("<"))
	})
	watch := abi.WatchEvent(uint8(abi.Text), 0, []byte("<"), 2)
	same(t, s.Push(0, 0, []byte("ab")), abi.Event{Kind: abi.Text, Len: 2, End: 2}, watch)
	watch.End = 11
	same(t, s.Push(10, 2, []byte("\u00e9<")), abi.Event{Kind: abi.Text, Start: 10, Len: 1, End: 11}, watch)
	if prev != 'é' {
		t.Errorf("the rune before the window is %q", prev)
	}
	same(t, s.Finish(20, 0))
}

func TestWatchOnlyWherePromised(t *testing.T) {
	for name, f := range map[string]step{
		"bytes are held": func(w *sdk.Window) { w.Watch(abi.Text, []byte("<")) },
		"a new block is owed": func(w *sdk.Window) {
			w.Skip(w.Len())
			w.NewBlock()
			w.Watch(abi.Text, []byte("<"))
		},
		"too many bytes matter": func(w *sdk.Window) {
			w.Skip(w.Len())
			w.Watch(abi.Text, []byte("123456789"))
		},
		"no fragment could go on": func(w *sdk.Window) {
			w.Skip(w.Len())
			w.Call(0, 0, 0)
			w.Watch(abi.Args, []byte("<"))
		},
		"the value is complete": func(w *sdk.Window) {
			w.Call(0, 0, 0)
			w.Key(0, 0, 0)
			w.Value(0, w.Len(), abi.ReadString|abi.FlagMore)
			w.Skip(w.Len())
			w.Value(0, 0, abi.ReadString)
			w.Watch(abi.Value, []byte("<"))
		},
		"nothing is held": func(w *sdk.Window) {
			w.Skip(w.Len())
			w.Hold([]byte("<"))
		},
	} {
		s, _ := open(t, f)
		for _, e := range s.Push(0, 0, []byte("ab")).Events {
			if e.Kind == abi.Watch {
				t.Errorf("%s, but there is %+v", name, e)
			}
		}
	}
}

func TestLiterals(t *testing.T) {
	s, _ := open(t, func(w *sdk.Window) {
		if w.Len() > 0 {
			w.CallLiteral("f")
			w.ArgsLiteral("{")
			w.Args(0, 1, 0)
			w.ArgsLiteral("}")
			w.Skip(1)
			w.CallEnd()
		}
	})
	a := s.Push(0, 0, []byte("x"))
	if string(a.Literals) != "f{}" {
		t.Errorf("literals %q", a.Literals)
	}
	var kinds []abi.Kind
	for _, e := range a.Events {
		kinds = append(kinds, e.Kind)
	}
	want := []abi.Kind{abi.Literal, abi.Call, abi.Literal, abi.Args, abi.Args, abi.Literal, abi.Args, abi.CallEnd}
	if string(bytesOf(kinds)) != string(bytesOf(want)) {
		t.Errorf("events %v, want %v", kinds, want)
	}
}

func bytesOf(kinds []abi.Kind) []byte {
	b := make([]byte, len(kinds))
	for i, k := range kinds {
		b[i] = byte(k)
	}
	return b
}

func TestMisuse(t *testing.T) {
	for name, f := range map[string]step{
		"a span outside the window": func(w *sdk.Window) { w.Call(0, w.Len()+1, 0) },
		"more than there is":        func(w *sdk.Window) { w.Text(w.Len() + 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", name)
				}
			}()
			open(t, f)
		}()
	}
}

// A block that a thought owes is not paid by text.
func TestNewThought(t *testing.T) {
	s, _ := open(t, func(w *sdk.Window) {
		if w.Len() == 3 {
			w.NewThought()
			w.Text(1)
			w.Watch(abi.Reasoning, []byte("<"))
			w.Reasoning(1)
			w.Text(1)
			w.Watch(abi.Text, []byte("<"))
		}
	})
	same(t, s.Push(0, 0, []byte("abc")),
		abi.Event{Kind: abi.Text, Start: 0, Len: 1, End: 1},
		abi.Event{Kind: abi.Reasoning, Flags: abi.FlagNewBlock, Start: 1, Len: 1, End: 2},
		abi.Event{Kind: abi.Text, Start: 2, Len: 1, End: 3},
		abi.WatchEvent(uint8(abi.Text), 0, []byte("<"), 3))
}
