package guided_test

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/guided"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

// asking takes "say" for markup only where "!" follows.
var asking = guided.Compile(guided.Markup{
	Think: []string{"<think>"}, EndThink: []string{"</think>"}, Strip: []string{"<go>"},
	Asked: []string{"say"},
	Ask: func() guided.Ask {
		return func(w *sdk.Window, fresh bool) (int, scan.Verdict) {
			return 4, scan.Prefix(w.Bytes(), "say!", w.Final)
		}
	},
})

var askingModule = sdk.Module{Manifest: manifest, New: func(s *abi.OpenBlock) sdk.Parser { return guided.New(asking, s, nil) }}

func TestAsked(t *testing.T) {
	for _, c := range []struct {
		name    string
		input   string
		payload string
		shown   string
	}{
		{"markup before a payload", `say!{"a":1}`, `{"a":1}`, ""},
		{"text before a payload", `I say {"a":1}`, `{"a":1}`, "I say "},
		{"stripped marker first", `<go> say![1]`, `[1]`, " "},
		{"in a thought", `<think>say more, say! more</think>ok`, "", "say more,  moreok"},
		{"cut", `say`, "", "say"},
	} {
		t.Run(c.name, func(t *testing.T) {
			payload, shown := "", ""
			s, _ := sdk.Open(&askingModule, &abi.OpenBlock{Mode: abi.ModeGuidedRequired, Tools: []string{"f"}})
			for _, a := range []func() abi.Answer{
				func() abi.Answer { return s.Push(0, 0, []byte(c.input)) },
				func() abi.Answer { return s.Finish(abi.RawOffset(len(c.input)), abi.FinishUnknown) },
			} {
				for _, e := range a().Events {
					switch {
					case e.Kind == abi.Text && e.Flags&abi.FlagPayload != 0:
						payload += c.input[e.Start : e.Start+e.Len]
					case e.Kind == abi.Text, e.Kind == abi.Reasoning:
						shown += c.input[e.Start : e.Start+e.Len]
					}
				}
			}
			if payload != c.payload || shown != c.shown {
				t.Errorf("%q: payload %q, shown %q", c.input, payload, shown)
			}
		})
	}
	sdktest.Run(t, &askingModule, sdktest.Config{Vocabulary: []string{"say", "say!", "!", "<go>", "<think>", "</think>", `{"a":1}`}})
}
