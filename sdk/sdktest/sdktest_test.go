package sdktest_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
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

func TestStars(t *testing.T) { sdktest.Run(t, &stars, config) }

func FuzzStars(f *testing.F) { sdktest.Fuzz(f, &stars, config) }
