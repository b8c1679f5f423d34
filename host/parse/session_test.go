package parse

import (
	"errors"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
)

func TestEventsAreSlicesOfTheText(t *testing.T) {
	e := &script{push: answerInTurn([]abi.Event{
		spanEvent(abi.Reasoning, 0, 2), markEvent(abi.Commit, 3), spanEvent(abi.Text, 3, 3),
		spanEvent(abi.Call, 7, 1, 7), spanEvent(abi.Args, 8, 2, 10), markEvent(abi.CallEnd, 11),
	})}
	s, _ := open(t, Config{Engine: e})
	events, err := s.Push("hm|ué|f{}|")
	if err != nil {
		t.Fatal(err)
	}
	wantEvents(t, "events", renderEvents(events), `reasoning "hm"`, `commit`, `text "ué"`, `call "f"`, `args "{}"`, `end`)
	if got := events[2]; got.Start != 3 || got.End != 6 || got.Accounted != 6 {
		t.Errorf("text's offsets: %+v", got)
	}
	wantEvents(t, "finish", finish(t, s), "commit")
	if e.closed == 0 {
		t.Error("the source was not closed at the end")
	}
	if more, err := s.Push("x"); len(more) > 0 || err != nil {
		t.Errorf("after the end: %v %v", more, err)
	}
}

func TestWatchIsServedWithoutTheSource(t *testing.T) {
	watch := func(kind abi.Kind, end abi.RawOffset) abi.Event {
		return abi.WatchEvent(uint8(kind), 0, []byte("<"), end)
	}
	e := &script{
		open: answer(watch(abi.Text, 0)),
		push: answerInTurn([]abi.Event{spanEvent(abi.Reasoning, 10, 2), watch(abi.Reasoning, 12)}, []abi.Event{markEvent(abi.Commit, 15)}),
	}
	s, _ := open(t, Config{Engine: e})
	wantEvents(t, "served", push(t, s, "plain "), `text "plain "`)
	wantEvents(t, "split", push(t, s, "ué <b"), `text "ué "`, `reasoning "<b"`)
	wantEvents(t, "served as reasoning", push(t, s, "é"), `reasoning "é"`)
	wantEvents(t, "withdrawn", push(t, s, "<"), `commit`)
	wantEvents(t, "no watch any more", push(t, s, "x"))
	wantEvents(t, "source's calls", e.log, `push 10 4 "ué <b"`, `push 14 2 "é<"`, `push 15 0 "x"`)
}

func TestWatchThatNothingEnds(t *testing.T) {
	e := &script{open: answer(abi.WatchEvent(uint8(abi.Text), 0, nil, 0))}
	s, _ := open(t, Config{Engine: e})
	wantEvents(t, "served", push(t, s, "a < \xff b"), "text \"a < \uFFFD b\"")
	wantEvents(t, "finish", finish(t, s), "commit")
	wantEvents(t, "source's calls", e.log, "finish 9 0")
}

func TestWatchInArgumentsAndValues(t *testing.T) {
	e := &script{push: answerInTurn(
		[]abi.Event{spanEvent(abi.Call, 0, 1), spanEvent(abi.Args, 1, 1), abi.WatchEvent(uint8(abi.Args), 0, []byte("}"), 2)},
		[]abi.Event{markEvent(abi.CallEnd, 5), inCall(spanEvent(abi.Call, 5, 1), 1), inCall(spanEvent(abi.Key, 6, 1), 1),
			inCall(flagged(spanEvent(abi.Value, 0, 0, 7), abi.ReadString|abi.FlagTrim|abi.FlagMore), 1), abi.WatchEvent(uint8(abi.Value), 1, []byte("<"), 7)},
	)}
	s, _ := open(t, Config{Engine: e})
	push(t, s, "f{")
	wantEvents(t, "arguments", push(t, s, `"a`), `args "\"a"`)
	push(t, s, "}gk")
	wantEvents(t, "value", push(t, s, "vv"), `value/49 "vv"`)
}

func TestHoldDeliversLater(t *testing.T) {
	hold := func(end abi.RawOffset) abi.Event { return abi.WatchEvent(abi.FlagHold, 0, []byte(`"`), end) }
	e := &script{push: answerInTurn([]abi.Event{hold(0)}, []abi.Event{spanEvent(abi.Text, 0, 5), hold(5)}, []abi.Event{markEvent(abi.Commit, 7)})}
	s, _ := open(t, Config{Engine: e})
	wantEvents(t, "held", push(t, s, "<a"))
	wantEvents(t, "still held", push(t, s, "bc"))
	wantEvents(t, "delivered", push(t, s, `"`), `text "<abc\""`)
	wantEvents(t, "held again", push(t, s, "yz"))
	if s.Accounted() != 5 || s.Pushed() != 7 {
		t.Errorf("accounted %d of %d, want 5 of 7", s.Accounted(), s.Pushed())
	}
	finish(t, s)
	wantEvents(t, "source's calls", e.log, `push 0 0 "<a"`, `push 2 0 "bc\""`, `push 5 0 "yz"`, "finish 7 0")
}

func TestCutCharactersWait(t *testing.T) {
	e := &script{open: answer(abi.WatchEvent(uint8(abi.Text), 0, nil, 0))}
	s, _ := open(t, Config{Engine: e})
	wantEvents(t, "half", push(t, s, "a\xe9\x9b"), `text "a"`)
	wantEvents(t, "whole", push(t, s, "\xaab"), `text "雪b"`)
	wantEvents(t, "half", push(t, s, "\xe9\x9b"))
	wantEvents(t, "end", finish(t, s), "text \"\uFFFD\uFFFD\"", "commit")
}

func TestFaultMakesTheRestText(t *testing.T) {
	for name, second := range map[string]any{
		"the engine fails":     errTrap,
		"the answer is broken": []abi.Event{spanEvent(abi.Text, 9, 1), spanEvent(abi.Text, 2, 1)},
	} {
		t.Run(name, func(t *testing.T) {
			var told *FaultError
			e := &script{push: answerInTurn([]abi.Event{spanEvent(abi.Text, 0, 9), markEvent(abi.Commit, 9)}, second)}
			s, _ := open(t, Config{Engine: e, OnFault: func(f *FaultError) { told = f }})
			push(t, s, "Valve B2 ")
			wantEvents(t, "fault", push(t, s, "BOOM"), `text "BOOM"`)
			wantEvents(t, "after it", push(t, s, " is shut."), `text " is shut."`)
			wantEvents(t, "finish", finish(t, s))
			if told == nil || s.Fault() != told || told.Offset != 9 {
				t.Errorf("fault: %v", told)
			}
			if broken := second != error(errTrap); broken != (e.discarded != nil) {
				t.Errorf("discarded: %v", e.discarded)
			}
			if s.Accounted() != s.Pushed() || e.closed != 1 {
				t.Errorf("accounted %d of %d, closed %d times", s.Accounted(), s.Pushed(), e.closed)
			}
		})
	}
}

func TestFaultIsError(t *testing.T) {
	e := &script{
		open: answer(abi.WatchEvent(uint8(abi.Text), 0, []byte("<"), 0)),
		push: answerInTurn(errTrap),
	}
	s, _ := open(t, Config{Engine: e, Policy: FaultIsError})
	events, err := s.Push("ok <")
	var fault *FaultError
	if !errors.As(err, &fault) || !errors.Is(err, errTrap) {
		t.Fatalf("error: %v", err)
	}
	wantEvents(t, "what was certain", renderEvents(events), `text "ok "`)
	if events, err := s.Push("more"); len(events) > 0 || err != nil {
		t.Errorf("after the error: %v %v", events, err)
	}
}

func TestFaultWhenOpening(t *testing.T) {
	s, _ := open(t, Config{Engine: &script{openErr: errTrap}})
	wantEvents(t, "text", push(t, s, "hello"), `text "hello"`)
	wantEvents(t, "finish", finish(t, s))
	if _, _, err := Open(Config{Engine: &script{openErr: errTrap}, Policy: FaultIsError}); !errors.Is(err, errTrap) {
		t.Errorf("error: %v", err)
	}
	literal := abi.Answer{Literals: []byte("no such"), Events: []abi.Event{
		{Kind: abi.Literal, Len: 7}, {Kind: abi.Note}, flagged(abi.Event{Kind: abi.Error, Start: abi.CodeUnknownParser}, abi.FlagFatal)}}
	_, _, err := Open(Config{Engine: &script{open: literal}})
	var refused *OpenError
	if !errors.As(err, &refused) || refused.Message != "no such" {
		t.Errorf("error: %v", err)
	}
}

// A call that is open when the parser fails becomes text from its beginning on,
// unless something of it was sent.
func TestFaultInACall(t *testing.T) {
	for _, c := range []struct {
		name  string
		sent  bool
		fault []string
	}{
		{"nothing sent", false, []string{"drop", `text "(f{\"a\":1<"`}},
		{"sent", true, []string{`args "\"a\":1"`, "drop", `text "<"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := &script{push: answerInTurn(
				[]abi.Event{spanEvent(abi.Text, 0, 2), spanEvent(abi.Call, 3, 1, 4), spanEvent(abi.Args, 4, 1), abi.WatchEvent(uint8(abi.Args), 0, []byte("<"), 5)},
				errTrap)}
			s, _ := open(t, Config{Engine: e, Sent: func(call uint16) bool { return c.sent }})
			push(t, s, "ab(f{")
			if got := string(s.Raw(0, 99)); !c.sent && !strings.HasSuffix(got, "(f{") {
				t.Errorf("raw text kept: %q", got)
			}
			wantEvents(t, "fault", push(t, s, `"a":1<`), c.fault...)
			wantEvents(t, "after it", push(t, s, "}"), `text "}"`)
		})
	}
}

func TestLimits(t *testing.T) {
	none := func(abi.RawOffset, int, string) (abi.Answer, error) { return abi.Answer{}, nil }
	e := &script{push: none}
	s, _ := open(t, Config{Engine: e, Limits: Limits{Held: 8}})
	wantEvents(t, "held", push(t, s, "12345678"))
	wantEvents(t, "too much held", push(t, s, "9"), `text "123456789"`)
	if !errors.Is(s.Fault(), ErrHeld) || e.discarded != nil {
		t.Errorf("fault %v, discarded %v", s.Fault(), e.discarded)
	}

	e = &script{push: answerInTurn([]abi.Event{spanEvent(abi.Call, 0, 1), spanEvent(abi.Args, 1, 1), abi.WatchEvent(uint8(abi.Args), 0, nil, 2)})}
	s, _ = open(t, Config{Engine: e, Limits: Limits{Call: 8}})
	push(t, s, "f{")
	push(t, s, "345678")
	wantEvents(t, "call too long", push(t, s, "9"), "drop", `text "f{3456789"`)

	// A call's length counts from its own beginning.
	e = &script{push: answerInTurn([]abi.Event{spanEvent(abi.Text, 0, 7), spanEvent(abi.Call, 7, 1), spanEvent(abi.Args, 8, 1), abi.WatchEvent(uint8(abi.Args), 0, nil, 9)})}
	s, _ = open(t, Config{Engine: e, Limits: Limits{Call: 8}})
	push(t, s, "before f{")
	wantEvents(t, "call behind text", push(t, s, "345678"), `args "345678"`)
	wantEvents(t, "call behind text too long", push(t, s, "9"), "drop", `text "f{3456789"`)
}

// A call of which something went out can't become text any more, and text is no call.
func TestLimitOfACallIsForWhatMayBecomeText(t *testing.T) {
	for _, sent := range []bool{true, false} {
		e := &script{push: answerInTurn([]abi.Event{spanEvent(abi.Call, 0, 1), spanEvent(abi.Args, 1, 1), abi.WatchEvent(uint8(abi.Args), 0, nil, 2)})}
		s, _ := open(t, Config{Engine: e, Limits: Limits{Call: 8}, Sent: func(uint16) bool { return sent }})
		push(t, s, "f{")
		push(t, s, "3456789")
		if failed := s.Fault() != nil; failed == sent {
			t.Errorf("sent %v: %v", sent, s.Fault())
		}
	}
	e := &script{open: answer(abi.WatchEvent(uint8(abi.Text), 0, nil, 0)), push: answerInTurn([]abi.Event{spanEvent(abi.Text, 0, 9)})}
	s, _ := open(t, Config{Engine: e, Limits: Limits{Call: 8}})
	if push(t, s, "123456789"); s.Fault() != nil {
		t.Error(s.Fault())
	}
}

func TestErrorEvents(t *testing.T) {
	events := abi.Answer{Literals: []byte("bad"), Events: []abi.Event{
		spanEvent(abi.Text, 0, 1), {Kind: abi.Literal, Len: 3, End: 1},
		{Kind: abi.Error, Flags: abi.FlagMalformed, Start: abi.CodeMalformedBody, End: 1}, spanEvent(abi.Text, 1, 1)}}
	var notes []Note
	s, _ := open(t, Config{Engine: &script{push: answerInTurn(events)}, OnNote: func(n Note) { notes = append(notes, n) }})
	wantEvents(t, "without a grammar", push(t, s, "ab"), `text "a"`, `error/2 "bad"`, `text "b"`)
	if len(notes) != 1 || !notes[0].Error || notes[0].Message != "bad" || notes[0].Code != abi.CodeMalformedBody {
		t.Errorf("notes: %+v", notes)
	}

	s, _ = open(t, Config{Engine: &script{push: answerInTurn(events)}, Open: abi.OpenBlock{Flags: abi.OpenTurnGrammar}})
	got, err := s.Push("ab")
	var strict *StrictError
	if !errors.As(err, &strict) || strict.Code != abi.CodeMalformedBody || strings.Contains(err.Error(), "bad") {
		t.Errorf("error: %v", err)
	}
	wantEvents(t, "under a grammar", renderEvents(got), `text "a"`, `error/2 "bad"`)

	fatal := flagged(markEvent(abi.Error, 1), abi.FlagFatal)
	s, _ = open(t, Config{Engine: &script{push: answerInTurn([]abi.Event{spanEvent(abi.Text, 0, 1), fatal})}, Policy: FaultIsError})
	wantEvents(t, "fatal without a grammar", push(t, s, "ab"), `text "a"`, `error/1`, `text "b"`)
	if s.Fault() != nil {
		t.Errorf("a fatal ERROR is no fault of the engine: %v", s.Fault())
	}
}

func TestRetentionIsBounded(t *testing.T) {
	e := &script{push: func(off abi.RawOffset, back int, data string) (abi.Answer, error) {
		return answer(spanEvent(abi.Text, off, uint32(len(data)))), nil
	}}
	s, _ := open(t, Config{Engine: e})
	for range 4000 {
		push(t, s, "0123456789abcdef")
	}
	if n := cap(s.text.kept); n > 64<<10 {
		t.Errorf("%d bytes kept of text that is accounted for", n)
	}
}

func TestStateIsKept(t *testing.T) {
	e := &script{open: answer(flagged(markEvent(abi.State, 0), uint8(abi.ChannelReasoning)))}
	e.parser = manifest.Parser{Name: "own"}
	s, _ := open(t, Config{Engine: e, Open: abi.OpenBlock{Parser: "alias"}})
	if s.Channel() != abi.ChannelReasoning || s.cfg.Open.Parser != "own" {
		t.Errorf("channel %d, parser %q", s.Channel(), s.cfg.Open.Parser)
	}
}
