package parse

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/check"
)

// A long push reaches the source in parts: bounded, in order, cut at characters.
func TestLongPushIsCut(t *testing.T) {
	text := strings.Repeat("prose €", 4000) // characters stand across the ends of parts
	got, next := "", abi.RawOffset(0)
	e := &script{push: func(off abi.RawOffset, back int, data string) (abi.Answer, error) {
		fresh := data[back:]
		if off != next || len(fresh) > maxPushBytes || !utf8.ValidString(data) {
			t.Errorf("push of %d bytes at %d, want at most %d at %d", len(fresh), off, maxPushBytes, next)
		}
		got += fresh
		next = off + abi.RawOffset(len(fresh))
		return answer(spanEvent(abi.Text, off, uint32(len(fresh)))), nil
	}}
	s, _ := open(t, Config{Engine: e})
	events, err := s.Push(text)
	if err != nil {
		t.Fatal(err)
	}
	seen := ""
	for _, e := range events {
		seen += string(e.Data)
	}
	if got != text || seen != text {
		t.Errorf("%d bytes were pushed and %d emitted, want %d", len(got), len(seen), len(text))
	}
	if most := len(text)/(maxPushBytes-len("€")+1) + 1; len(e.log) > most {
		t.Errorf("%d pushes, want at most %d", len(e.log), most)
	}
}

// What was held for a WATCH is cut too, and a WATCH between two parts is heeded.
func TestWatchBetweenParts(t *testing.T) {
	hold := abi.WatchEvent(abi.FlagHold, 0, []byte("!"), 0)
	e := &script{open: answer(hold), push: func(off abi.RawOffset, back int, data string) (abi.Answer, error) {
		end := off + abi.RawOffset(len(data)-back)
		return answer(spanEvent(abi.Reasoning, off, uint32(end-off)), abi.WatchEvent(uint8(abi.Text), 0, []byte("?"), end)), nil
	}}
	s, _ := open(t, Config{Engine: e})
	push(t, s, strings.Repeat("a", 6000))
	if len(e.log) > 0 {
		t.Errorf("what is to be held was pushed: %.40q", e.log)
	}
	events, err := s.Push("!b")
	if err != nil || len(events) != 2 || len(events[0].Data) != maxPushBytes || len(events[1].Data) != 6002-maxPushBytes ||
		events[0].Kind != abi.Reasoning || events[1].Kind != abi.Text {
		t.Errorf("%d events, %v", len(events), err)
	}
}

// A fault in a later part of a push takes back a call that began in an earlier
// one: the client has not seen it.
func TestFaultInALaterPart(t *testing.T) {
	text := "x<f>{" + strings.Repeat("1", 2*maxPushBytes)
	for _, sent := range []bool{false, true} {
		e := &script{push: answerInTurn([]abi.Event{
			spanEvent(abi.Text, 0, 1), spanEvent(abi.Call, 2, 1, 4), spanEvent(abi.Args, 4, maxPushBytes-4),
		}, errTrap)}
		s, _ := open(t, Config{Engine: e, Sent: func(uint16) bool { return sent }})
		events, err := s.Push(text)
		if err != nil {
			t.Fatal(err)
		}
		if sent { // it can't have been, but then nothing may be said twice
			wantEvents(t, "last", renderEvents(events[len(events)-2:]), "drop", fmt.Sprintf("text %q", text[maxPushBytes:]))
			continue
		}
		wantEvents(t, "events", renderEvents(events), `text "x"`, fmt.Sprintf("text %q", text[1:]))
	}
}

func TestLiteralsOfAllPartsStay(t *testing.T) {
	buffer := make([]byte, 1)
	e := &script{push: func(off abi.RawOffset, back int, data string) (abi.Answer, error) {
		end := off + abi.RawOffset(len(data)-back)
		buffer[0] = 'a' + byte(off/maxPushBytes) // as an engine does: valid until its next call
		return abi.Answer{Literals: buffer, Events: []abi.Event{
			{Kind: abi.Literal, Len: 1, End: off}, {Kind: abi.Note, End: end}}}, nil
	}}
	s, _ := open(t, Config{Engine: e})
	wantEvents(t, "notes", push(t, s, strings.Repeat("x", 3*maxPushBytes)), `note "a"`, `note "b"`, `note "c"`)
}

// The rest of a push is not there yet for the parts before it.
func TestSpanBeyondThePart(t *testing.T) {
	e := &script{push: answerInTurn([]abi.Event{spanEvent(abi.Text, 0, maxPushBytes+1)})}
	var fault *FaultError
	s, _ := open(t, Config{Engine: e, OnFault: func(f *FaultError) { fault = f }})
	text := strings.Repeat("x", 2*maxPushBytes)
	wantEvents(t, "events", push(t, s, text), fmt.Sprintf("text %q", text))
	var bad *check.Error
	if !errors.As(fault, &bad) || e.discarded == nil {
		t.Errorf("got %v, discarded: %v", fault, e.discarded)
	}
}

// What was not handed in yet is not held back.
func TestHeldIsWhatWasHandedIn(t *testing.T) {
	e := &script{push: func(off abi.RawOffset, back int, data string) (abi.Answer, error) {
		return answer(spanEvent(abi.Text, off, uint32(len(data)-back))), nil
	}}
	s, _ := open(t, Config{Engine: e, Limits: Limits{Held: 100}})
	push(t, s, strings.Repeat("x", 10*maxPushBytes))
	if s.Fault() != nil {
		t.Error(s.Fault())
	}
}
