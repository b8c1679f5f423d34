package parse

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
)

func benchmarkPush(b *testing.B, e parser.Engine, text string) {
	s, _, err := Open(Config{Engine: e})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if s.Pushed() > 1<<30 {
			s, _, _ = Open(Config{Engine: e})
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
	benchmarkPush(b, quiet{}, "sixteen letters ")
}

// quiet says one span of text for each push.
type quiet struct{}

func (quiet) Parser() *manifest.Parser { return &manifest.Parser{} }

func (quiet) Open(*abi.OpenBlock) (parser.Source, abi.Answer, error) {
	return &quietSource{}, abi.Answer{}, nil
}

type quietSource struct{ events [1]abi.Event }

func (q *quietSource) Push(off uint32, back int, data []byte) (abi.Answer, error) {
	q.events[0] = at(abi.Text, off, uint32(len(data)-back))
	return abi.Answer{Events: q.events[:]}, nil
}
func (q *quietSource) Finish(uint32, abi.Finish) (abi.Answer, error) { return abi.Answer{}, nil }
func (q *quietSource) Discard(error)                                 {}
func (q *quietSource) Close()                                        {}
