package parse

import (
	"errors"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/check"
)

// The text of every case is "01é4567": é are bytes 2 and 3. Bytes 0 and 1 are
// accounted for by the answer before.
const checkText = "01é4567"

func judgeAnswer(a abi.Answer, synthesises bool) error {
	e := &script{}
	e.parser.Synthesises = synthesises
	e.push = answerInTurn([]abi.Event{markEvent(abi.Commit, 2)}, a)
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

// What is malformed is package check's business; here one of each stage.
func TestMalformedAnswerIsAFault(t *testing.T) {
	literal := abi.Event{Kind: abi.Literal, Len: 1, End: 2}
	for _, c := range []struct {
		name        string
		answer      abi.Answer
		synthesises bool
	}{
		{"span before the last end", answer(spanEvent(abi.Text, 1, 1, 4)), false},
		{"LITERAL without synthesises in the manifest", abi.Answer{Events: []abi.Event{literal, spanEvent(abi.Call, 4, 1, 4)}, Literals: []byte("a")}, false},
		{"LITERAL that is not UTF-8", abi.Answer{Events: []abi.Event{literal, spanEvent(abi.Call, 4, 1, 4)}, Literals: []byte("\xff")}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var bad *check.Error
			if err := judgeAnswer(c.answer, c.synthesises); !errors.As(err, &bad) {
				t.Errorf("accepted (%v)", err)
			}
		})
	}
}

// A LITERAL before an event of a kind that this version lacks belongs to it, and
// is skipped with it.
func TestLiteralOfAnUnknownKind(t *testing.T) {
	e := &script{push: answerInTurn(abi.Answer{Literals: []byte("own"), Events: []abi.Event{
		{Kind: abi.Literal, Len: 3}, flagged(markEvent(77, 0), abi.SkipUnknown), spanEvent(abi.Call, 0, 1)}})}
	e.parser.Synthesises = true
	s, _ := open(t, Config{Engine: e})
	wantEvents(t, "events", push(t, s, "f("), `call "f"`)
}

// An ERROR under a turn grammar fails the request, but only if all of its answer
// is well-formed.
func TestMalformedRestAfterAnError(t *testing.T) {
	e := &script{push: answerInTurn([]abi.Event{markEvent(abi.Error, 1), markEvent(abi.Commit, 0)})}
	s, _ := open(t, Config{Engine: e, Open: abi.OpenBlock{Flags: abi.OpenTurnGrammar}})
	wantEvents(t, "events", push(t, s, "ab"), `text "ab"`)
	if s.Fault() == nil {
		t.Error("no fault")
	}
}

func TestLastAnswerAccountsForEverything(t *testing.T) {
	e := &script{push: answerInTurn(), finish: func(off abi.RawOffset, _ abi.Finish) (abi.Answer, error) {
		return answer(spanEvent(abi.Text, 0, 2)), nil
	}}
	s, _ := open(t, Config{Engine: e})
	push(t, s, "abc")
	wantEvents(t, "finish", finish(t, s), `text "abc"`)
	var bad *check.Error
	if !errors.As(s.Fault(), &bad) {
		t.Errorf("fault: %v", s.Fault())
	}
	if e.discarded == nil {
		t.Error("the instance was not discarded")
	}
}

func TestLastAnswerLeavesNoCallOpen(t *testing.T) {
	e := &script{push: answerInTurn([]abi.Event{spanEvent(abi.Call, 0, 1)})}
	s, _ := open(t, Config{Engine: e, Sent: func(uint16) bool { return true }})
	push(t, s, "f(")
	wantEvents(t, "finish", finish(t, s), "drop", `text "("`)
	if s.Fault() == nil {
		t.Error("accepted")
	}
}

func TestUnknownState(t *testing.T) {
	if _, _, err := Open(Config{Engine: &script{open: answer(flagged(markEvent(abi.State, 0), 9))}, Policy: FaultIsError}); err == nil {
		t.Error("accepted")
	}
}

// Where an empty span lies does not matter, and what stands in the fields of a kind
// without a span means nothing: a guest may leave anything there.
func TestFieldsWithoutMeaningAreNotRead(t *testing.T) {
	const far = 1 << 31
	for kind, n := range map[abi.Kind]uint32{
		abi.Text: 0, abi.Reasoning: 0, abi.CallID: 0, abi.Args: 0, abi.Key: 0, abi.Value: 0,
		abi.Commit: far, abi.CallEnd: far, abi.CallDrop: far, abi.State: far,
	} {
		call := []abi.Event{spanEvent(abi.Call, 0, 1)}
		if kind == abi.Text || kind == abi.Reasoning || kind == abi.Commit {
			call = nil
		}
		record := abi.Event{Kind: kind, Start: far, Len: n, End: 1}
		s, _ := open(t, Config{Engine: &script{push: answerInTurn(append(call, record))}})
		events, err := s.Push("f")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Kind == kind && (len(e.Data) > 0 || e.Start != 0 || e.End != 0) {
				t.Errorf("kind %d: %+v", kind, e)
			}
		}
	}
}
