package parse

import (
	"errors"
	"fmt"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
)

// script is an Engine whose answers are written down by a test.
type script struct {
	parser  manifest.Parser
	open    abi.Answer
	openErr error
	push    func(off abi.RawOffset, back int, data string) (abi.Answer, error)
	finish  func(off abi.RawOffset, reason abi.Finish) (abi.Answer, error)

	log       []string // what was called
	discarded error
	closed    int
}

func (s *script) Parser() *manifest.Parser { return &s.parser }

func (s *script) Open(*abi.OpenBlock) (parser.Source, abi.Answer, error) {
	if s.openErr != nil {
		return nil, abi.Answer{}, s.openErr
	}
	return s, s.open, nil
}

func (s *script) Push(off abi.RawOffset, back int, data []byte) (abi.Answer, error) {
	s.log = append(s.log, fmt.Sprintf("push %d %d %q", off, back, data))
	return s.push(off, back, string(data))
}

func (s *script) Finish(off abi.RawOffset, reason abi.Finish) (abi.Answer, error) {
	s.log = append(s.log, fmt.Sprintf("finish %d %d", off, reason))
	if s.finish == nil {
		return answer(abi.Event{Kind: abi.Commit, End: off}), nil
	}
	return s.finish(off, reason)
}

func (s *script) Discard(why error) { s.discarded = why }

func (s *script) Close() { s.closed++ }

// answerInTurn gives one answer after the other.
func answerInTurn(list ...any) func(abi.RawOffset, int, string) (abi.Answer, error) {
	return func(abi.RawOffset, int, string) (abi.Answer, error) {
		if len(list) == 0 {
			return abi.Answer{}, nil
		}
		next := list[0]
		list = list[1:]
		switch a := next.(type) {
		case error:
			return abi.Answer{}, a
		case abi.Answer:
			return a, nil
		case []abi.Event:
			return answer(a...), nil
		}
		panic("answerInTurn: an event list, an answer or an error")
	}
}

func answer(events ...abi.Event) abi.Answer { return abi.Answer{Events: events} }

// spanEvent makes an event with a span; its end is the span's unless given.
func spanEvent(kind abi.Kind, start abi.RawOffset, n uint32, end ...abi.RawOffset) abi.Event {
	e := abi.Event{Kind: kind, Start: uint32(start), Len: n, End: start + abi.RawOffset(n)}
	if len(end) > 0 {
		e.End = end[0]
	}
	return e
}

func flagged(e abi.Event, flags uint8) abi.Event { e.Flags = flags; return e }

func inCall(e abi.Event, call uint16) abi.Event { e.Call = call; return e }

func markEvent(kind abi.Kind, end abi.RawOffset) abi.Event { return abi.Event{Kind: kind, End: end} }

// renderEvents renders events.
func renderEvents(events []CheckedEvent) (list []string) {
	names := map[abi.Kind]string{abi.Commit: "commit", abi.Text: "text", abi.Reasoning: "reasoning", abi.Call: "call", abi.CallID: "id",
		abi.Args: "args", abi.Open: "open", abi.Key: "key", abi.Value: "value", abi.Close: "close", abi.CallEnd: "end", abi.CallDrop: "drop",
		abi.Error: "error", abi.State: "state", abi.Note: "note"}
	for _, e := range events {
		s := names[e.Kind]
		if e.Flags != 0 {
			s += fmt.Sprintf("/%d", e.Flags)
		}
		if len(e.Data) > 0 {
			s += fmt.Sprintf(" %q", e.Data)
		}
		list = append(list, s)
	}
	return list
}

func open(t *testing.T, cfg Config) (*Session, []string) {
	t.Helper()
	s, events, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, renderEvents(events)
}

func push(t *testing.T, s *Session, text string) []string {
	t.Helper()
	events, err := s.Push(text)
	if err != nil {
		t.Fatal(err)
	}
	return renderEvents(events)
}

func finish(t *testing.T, s *Session) []string {
	t.Helper()
	events, err := s.Finish(abi.FinishUnknown)
	if err != nil {
		t.Fatal(err)
	}
	return renderEvents(events)
}

func wantEvents(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

var errTrap = errors.New("trap")
