package wasm

import (
	"context"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
)

// stream feeds one session and collects what it was answered.
type stream struct {
	*Session
	raw  []byte
	said string // "text", "<reasoning>", in order
	end  abi.RawOffset
}

func openStream(t testing.TB, m *Module, options ...abi.Option) *stream {
	t.Helper()
	s, answer, err := m.Open(context.Background(), &abi.OpenBlock{Parser: "brackets", Options: options})
	if err != nil {
		t.Fatal(err)
	}
	st := &stream{Session: s}
	st.take(answer)
	return st
}

func (s *stream) take(a abi.Answer) {
	for _, e := range a.Events {
		switch e.Kind {
		case abi.Text:
			s.said += string(s.raw[e.Start : e.Start+e.Len])
		case abi.Reasoning:
			s.said += "<" + string(s.raw[e.Start:e.Start+e.Len]) + ">"
		}
		s.end = e.End
	}
}

func (s *stream) push(text string) error {
	off := abi.RawOffset(len(s.raw))
	s.raw = append(s.raw, text...)
	a, err := s.Push(off, 0, []byte(text))
	s.take(a)
	return err
}

func (s *stream) finish() error {
	a, err := s.Finish(abi.RawOffset(len(s.raw)), abi.FinishUnknown)
	s.take(a)
	return err
}

func TestGoGuest(t *testing.T) {
	m := compile(t, newRuntime(t), goGuestBytes(t), Shipped())
	if got := m.Manifest().Module; got != "goguest" {
		t.Errorf("module %q", got)
	}
	s := openStream(t, m)
	defer s.Close()
	for _, text := range []string{"one <tw", "o> three", " <four"} {
		if err := s.push(text); err != nil {
			t.Fatal(err)
		}
	}
	if want := "one <two> three "; s.said != want {
		t.Errorf("said %q, want %q", s.said, want)
	}
	if err := s.finish(); err != nil {
		t.Fatal(err)
	}
	if want := "one <two> three <four"; s.said != want {
		t.Errorf("said %q, want %q", s.said, want)
	}
	if int(s.end) != len(s.raw) {
		t.Errorf("end %d, want %d", s.end, len(s.raw))
	}
}
