package parse

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
)

// FuzzAnswers lets a guest answer whatever the fuzzer makes up: the host must
// not panic, must never say a byte twice as prose, and must account for all of
// the text.
func FuzzAnswers(f *testing.F) {
	var seed []byte
	for _, e := range []abi.Event{spanEvent(abi.Text, 0, 3), spanEvent(abi.Call, 3, 2), spanEvent(abi.Key, 5, 1), flagged(spanEvent(abi.Value, 6, 1), abi.FlagMore), abi.WatchEvent(uint8(abi.Value), 0, []byte("<"), 8)} {
		seed = abi.AppendEvent(seed, e)
	}
	f.Add(seed, "some <text> é", byte(3))
	f.Add(abi.AppendEvent(nil, abi.WatchEvent(abi.FlagHold, 0, []byte("x"), 2)), "abcxdéfx", byte(2))
	f.Fuzz(func(t *testing.T, raw []byte, text string, step byte) {
		next := func() abi.Answer {
			var a abi.Answer
			a.Literals = []byte("literal")
			for i := 0; i < 6 && len(raw) >= abi.EventSize; i++ {
				e := abi.DecodeEvent(raw)
				e.Kind %= 20
				raw = raw[abi.EventSize:]
				a.Events = append(a.Events, e)
			}
			return a
		}
		e := &script{open: next()}
		e.parser.Synthesises = true
		e.push = func(abi.RawOffset, int, string) (abi.Answer, error) { return next(), nil }
		e.finish = func(off abi.RawOffset, _ abi.Finish) (abi.Answer, error) {
			a := next()
			a.Events = append(a.Events, markEvent(abi.Commit, off))
			return a, nil
		}
		s, events, err := Open(Config{Engine: e, Limits: Limits{Held: 64}, Sent: func(call uint16) bool { return call%2 == 0 }})
		if err != nil {
			return
		}
		seen := abi.RawOffset(0)
		check := func(events []CheckedEvent) {
			for _, e := range events {
				if e.Kind != abi.Text && e.Kind != abi.Reasoning || e.End == e.Start {
					continue
				}
				if e.Start < seen {
					t.Fatalf("bytes %d to %d are said twice", e.Start, seen)
				}
				seen = e.End
			}
		}
		check(events)
		n := int(step%8) + 1
		for len(text) > 0 {
			cut := min(n, len(text))
			events, err := s.Push(text[:cut])
			if err != nil {
				t.Fatal(err)
			}
			check(events)
			text = text[cut:]
		}
		events, err = s.Finish(abi.FinishUnknown)
		if err != nil {
			t.Fatal(err)
		}
		check(events)
		if s.Accounted() != s.Pushed() {
			t.Fatalf("accounted %d of %d", s.Accounted(), s.Pushed())
		}
	})
}
