package sdktest_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/cases"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

// stars is a small grammar: what stands between two "*" is a thought.
var stars = sdk.Module{
	Manifest: `{"abi":"1.0","module":"stars","version":"1.0.0","parsers":[{"name":"stars","kind":"reasoning"}]}`,
	New:      func(*abi.OpenBlock) sdk.Parser { return &starParser{} },
}

type starParser struct{ thought bool }

func (p *starParser) Step(w *sdk.Window) {
	say := func() func(int) {
		if p.thought {
			return w.Reasoning
		}
		return w.Text
	}
	for {
		n := bytes.IndexByte(w.Bytes(), '*')
		if n < 0 {
			break
		}
		say()(n)
		w.Skip(1)
		p.thought = !p.thought
	}
	say()(w.Len())
	kind := abi.Text
	if p.thought {
		kind = abi.Reasoning
	}
	w.Watch(kind, []byte("*"))
}

var config = sdktest.Config{
	Cases:      "testdata/cases.json",
	Client:     prose,
	Vocabulary: []string{"*", "**", "a * b"},
	MaxHold:    4096,
	Exceptions: map[string]string{"known-to-fail": "shows how an exception is printed"},
	Leaks: func(_ *abi.OpenBlock, _, text, reasoning string) string {
		if strings.Contains(text+reasoning, "*") {
			return "a star leaked"
		}
		return ""
	},
}

// prose is a client that knows text and reasoning only: it needs no host.
func prose(e parser.Engine, c *cases.Case, chunks []string) ([]cases.Piece, error) {
	block, err := c.OpenBlock(e.Parser().Name)
	if err != nil {
		return nil, err
	}
	src, answer, err := e.Open(&block)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	input := strings.Join(chunks, "")
	pieces := readProse(nil, input, answer)
	off := 0
	for _, chunk := range chunks {
		if answer, err = src.Push(abi.RawOffset(off), 0, []byte(chunk)); err != nil {
			return nil, err
		}
		pieces = readProse(pieces, input, answer)
		off += len(chunk)
	}
	answer, err = src.Finish(abi.RawOffset(off), c.Finish)
	return cases.MergePieces(readProse(pieces, input, answer)), err
}

func readProse(pieces []cases.Piece, input string, answer abi.Answer) []cases.Piece {
	for _, e := range answer.Events {
		span := input[min(len(input), int(e.Start)):]
		switch e.Kind {
		case abi.Text:
			pieces = append(pieces, cases.Piece{Kind: cases.KindText, Text: span[:e.Len]})
		case abi.Reasoning:
			pieces = append(pieces, cases.Piece{Kind: cases.KindReasoning, Text: span[:e.Len]})
		}
	}
	return pieces
}

func TestStars(t *testing.T) { sdktest.Run(t, &stars, config) }

func FuzzStars(f *testing.F) { sdktest.Fuzz(f, &stars, config) }
