package parse

import (
	"errors"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
)

// The text of every case is "01é4567": é are bytes 2 and 3. Bytes 0 and 1 are
// accounted for by the answer before.
const checkText = "01é4567"

func checked(a abi.Answer, synthesises bool) error {
	e := &script{}
	e.parser.Synthesises = synthesises
	e.push = answers([]abi.Event{mark(abi.Commit, 2)}, a)
	s, _, err := Open(Config{Engine: e, Policy: FaultIsError})
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := s.Push(checkText[:2]); err != nil {
		return err
	}
	_, err = s.Push(checkText[2:])
	return err
}

func TestMalformedAnswers(t *testing.T) {
	call := at(abi.Call, 4, 1, 4)
	args := at(abi.Args, 5, 1, 4)
	key := at(abi.Key, 5, 1, 4)
	val := at(abi.Value, 6, 1, 4)
	end := mark(abi.CallEnd, 4)
	object := flagged(mark(abi.Open, 4), abi.FlagObject)
	array := flagged(mark(abi.Open, 4), abi.FlagArray)
	shut := mark(abi.Close, 4)
	literal := func(start, n uint32) abi.Event { return abi.Event{Kind: abi.Literal, Start: start, Len: n, End: 2} }
	for _, c := range []struct {
		name   string
		events []abi.Event
	}{
		{"end goes down", []abi.Event{mark(abi.Commit, 4), mark(abi.Commit, 2)}},
		{"end below the last answer's", []abi.Event{mark(abi.Commit, 1)}},
		{"end beyond the input", []abi.Event{mark(abi.Commit, 9)}},
		{"end inside a character", []abi.Event{mark(abi.Commit, 3)}},
		{"unknown kind", []abi.Event{mark(77, 4)}},
		{"span before the last end", []abi.Event{at(abi.Text, 1, 1, 4)}},
		{"span beyond the input", []abi.Event{at(abi.Call, 7, 2, 4)}},
		{"span that wraps round", []abi.Event{at(abi.Call, 4, 1<<32-2, 4)}},
		{"span cuts a character", []abi.Event{at(abi.Text, 2, 1, 4)}},
		{"text said twice", []abi.Event{at(abi.Text, 4, 2), at(abi.Text, 5, 1, 6)}},
		{"text and reasoning overlap", []abi.Event{at(abi.Text, 4, 2), at(abi.Reasoning, 5, 1, 6)}},
		{"text not accounted for", []abi.Event{at(abi.Text, 4, 2, 4)}},
		{"call number skipped", []abi.Event{inCall(call, 1)}},
		{"call in a call", []abi.Event{call, inCall(call, 1)}},
		{"arguments without a call", []abi.Event{args}},
		{"arguments of another call", []abi.Event{call, inCall(args, 1)}},
		{"end of a call that ended", []abi.Event{call, end, end}},
		{"KEY and ARGS", []abi.Event{call, key, val, args}},
		{"ARGS and KEY", []abi.Event{call, args, key}},
		{"OPEN and ARGS", []abi.Event{call, args, object}},
		{"OPEN without a key", []abi.Event{call, object}},
		{"value without a key", []abi.Event{call, val}},
		{"key without a value", []abi.Event{call, key, key}},
		{"key in an array", []abi.Event{call, key, array, key}},
		{"end behind a key", []abi.Event{call, key, end}},
		{"end in an object", []abi.Event{call, key, object, end}},
		{"end in a value", []abi.Event{call, key, flagged(val, abi.FlagMore), end}},
		{"nothing to close", []abi.Event{call, key, val, shut}},
		{"close behind a key", []abi.Event{call, key, object, key, shut}},
		{"close in a value", []abi.Event{call, key, array, flagged(val, abi.FlagMore), shut}},
		{"two readings in a value", []abi.Event{call, key, flagged(val, abi.ReadString|abi.FlagMore), flagged(val, abi.ReadJSON)}},
		{"two readings in arguments", []abi.Event{call, args, flagged(args, abi.ReadJSONBody)}},
		{"unknown reading of a value", []abi.Event{call, key, flagged(val, 9)}},
		{"reading not for arguments", []abi.Event{call, flagged(args, abi.ReadJSON)}},
		{"reading not for a name", []abi.Event{flagged(call, abi.ReadJSON)}},
		{"reading not for a key", []abi.Event{call, flagged(key, abi.ReadPython)}},
		{"OPEN of neither kind", []abi.Event{call, key, mark(abi.Open, 4)}},
		{"STATE in the middle", []abi.Event{mark(abi.State, 2)}},
		{"something behind a fatal ERROR", []abi.Event{flagged(mark(abi.Error, 2), abi.FlagFatal), mark(abi.Commit, 2)}},
		{"WATCH not last", []abi.Event{abi.WatchEvent(uint8(abi.Text), 0, nil, 8), mark(abi.Commit, 8)}},
		{"WATCH with bytes held", []abi.Event{abi.WatchEvent(uint8(abi.Text), 0, nil, 4)}},
		{"WATCH of unknown channel", []abi.Event{abi.WatchEvent(3, 0, nil, 8)}},
		{"WATCH of arguments without any", []abi.Event{abi.WatchEvent(uint8(abi.Args), 0, nil, 8)}},
		{"WATCH of a value that ended", []abi.Event{call, key, val, abi.WatchEvent(uint8(abi.Value), 0, nil, 8)}},
		{"LITERAL for text", []abi.Event{literal(0, 1), mark(abi.Text, 4)}},
		{"LITERAL for a commit", []abi.Event{literal(0, 1), mark(abi.Commit, 4)}},
		{"LITERAL twice", []abi.Event{literal(0, 1), literal(0, 1), call}},
		{"LITERAL alone", []abi.Event{literal(0, 1)}},
		{"LITERAL out of range", []abi.Event{literal(3, 2), call}},
		{"LITERAL that is no UTF-8", []abi.Event{literal(3, 1), call}},
	} {
		var bad *AnswerError
		if err := checked(abi.Answer{Events: c.events, Literals: []byte("abc\xff")}, true); !errors.As(err, &bad) {
			t.Errorf("%s: accepted (%v)", c.name, err)
		}
	}
	many := make([]abi.Event, 500)
	for i := range many {
		many[i] = mark(abi.Commit, 2)
	}
	if checked(answer(many...), false) == nil {
		t.Error("too many events: accepted")
	}
	if checked(abi.Answer{Literals: make([]byte, 1<<20)}, true) == nil {
		t.Error("too many bytes in literals: accepted")
	}
	if checked(abi.Answer{Events: []abi.Event{literal(0, 1), call}, Literals: []byte("a")}, false) == nil {
		t.Error("LITERAL without synthesises in the manifest: accepted")
	}
}

func TestWellFormedAnswers(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []abi.Event
	}{
		{"nothing", nil},
		{"skippable kind", []abi.Event{flagged(mark(77, 4), abi.SkipUnknown)}},
		{"name behind its arguments, beyond the end", []abi.Event{at(abi.Call, 7, 1, 2), at(abi.Args, 4, 2, 2), mark(abi.CallEnd, 8)}},
		{"text from before the end", []abi.Event{mark(abi.Commit, 6), at(abi.Text, 4, 1, 6)}},
		{"nested values", []abi.Event{at(abi.Call, 4, 1, 4), at(abi.Key, 5, 1, 4), flagged(mark(abi.Open, 4), abi.FlagArray), at(abi.Value, 6, 1, 4),
			flagged(mark(abi.Open, 4), abi.FlagObject), at(abi.Key, 5, 1, 4), {Kind: abi.Value, End: 4}, mark(abi.Close, 4), at(abi.Value, 6, 1, 4),
			mark(abi.Close, 4), mark(abi.CallEnd, 4)}},
		{"unsound in the middle", []abi.Event{at(abi.Call, 4, 1, 4), at(abi.Key, 5, 1, 4), flagged(at(abi.CallEnd, 5, 2, 8), abi.FlagUnsound)}},
		{"drop in the middle", []abi.Event{at(abi.Call, 4, 1, 4), at(abi.Key, 5, 1, 4), mark(abi.CallDrop, 4), inCall(at(abi.Call, 4, 1, 4), 1)}},
		{"literal error", []abi.Event{{Kind: abi.Literal, Len: 1, End: 2}, mark(abi.Error, 2)}},
		{"hold", []abi.Event{abi.WatchEvent(abi.FlagHold, 0, []byte("x"), 4)}},
	} {
		if err := checked(abi.Answer{Events: c.events, Literals: []byte("a")}, false); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestLastAnswerAccountsForEverything(t *testing.T) {
	e := &script{push: answers(), finish: func(off uint32, _ abi.Finish) (abi.Answer, error) { return answer(at(abi.Text, 0, 2)), nil }}
	s, _ := open(t, Config{Engine: e})
	push(t, s, "abc")
	same(t, "finish", finish(t, s), `text "abc"`)
	var bad *AnswerError
	if !errors.As(s.Fault(), &bad) {
		t.Errorf("fault: %v", s.Fault())
	}
	if e.discarded == nil {
		t.Error("the instance was not discarded")
	}
}

func TestLastAnswerLeavesNoCallOpen(t *testing.T) {
	e := &script{push: answers([]abi.Event{at(abi.Call, 0, 1)})}
	s, _ := open(t, Config{Engine: e, Sent: func(uint16) bool { return true }})
	push(t, s, "f(")
	same(t, "finish", finish(t, s), "drop", `text "("`)
	if s.Fault() == nil {
		t.Error("accepted")
	}
}

func TestUnknownState(t *testing.T) {
	if _, _, err := Open(Config{Engine: &script{open: answer(flagged(mark(abi.State, 0), 9))}, Policy: FaultIsError}); err == nil {
		t.Error("accepted")
	}
}
