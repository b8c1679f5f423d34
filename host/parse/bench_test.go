package parse

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
)

func benchmarkPush(b *testing.B, e parser.Engine, text string) {
	cfg := Config{Engine: e, Sent: func(uint16) bool { return true }}
	s, _, err := Open(cfg)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if s.Pushed() > 1<<30 {
			s, _, _ = Open(cfg)
		}
		if _, err := s.Push(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPushWatched(b *testing.B) {
	benchmarkPush(b, &script{open: answer(abi.WatchEvent(uint8(abi.Text), 0, []byte("<>&\"'`"), 0))}, "sixteen letters ")
}

func BenchmarkPushChecked(b *testing.B) {
	var events [1]abi.Event
	benchmarkPush(b, &fast{push: func(off abi.RawOffset, n uint32) []abi.Event {
		events[0] = spanEvent(abi.Text, off, n)
		return events[:]
	}}, "sixteen letters ")
}

// Each push is a member {"a":{"b":…,"c":…}} of the open call.
func BenchmarkPushMembers(b *testing.B) {
	events := make([]abi.Event, 0, 8)
	benchmarkPush(b, &fast{open: answer(abi.Event{Kind: abi.Call}), push: func(off abi.RawOffset, n uint32) []abi.Event {
		events = append(events[:0], spanEvent(abi.Key, off, 1, off), flagged(markEvent(abi.Open, off), abi.FlagObject), spanEvent(abi.Key, off+1, 1, off),
			spanEvent(abi.Value, off+2, 4, off), spanEvent(abi.Key, off+6, 1, off), flagged(spanEvent(abi.Value, off+7, 2, off), abi.ReadString|abi.FlagMore),
			flagged(spanEvent(abi.Value, off+9, 2, off), abi.ReadString), markEvent(abi.Close, off+abi.RawOffset(n)))
		return events
	}}, "sixteen letters ")
}

// fast is an Engine that does nothing but answer.
type fast struct {
	open abi.Answer
	push func(off abi.RawOffset, n uint32) []abi.Event
}

func (f *fast) Parser() *manifest.Parser { return &manifest.Parser{} }

func (f *fast) Open(*abi.OpenBlock) (parser.Source, abi.Answer, error) { return f, f.open, nil }

func (f *fast) Push(off abi.RawOffset, back int, data []byte) (abi.Answer, error) {
	return abi.Answer{Events: f.push(off, uint32(len(data)-back))}, nil
}

func (f *fast) Finish(abi.RawOffset, abi.Finish) (abi.Answer, error) { return abi.Answer{}, nil }

func (f *fast) Discard(error) {}

func (f *fast) Close() {}
