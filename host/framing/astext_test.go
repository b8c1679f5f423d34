package framing

import (
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
)

// structure is an event that says nothing, and accounts for the raw text up to an offset.
func structure(to abi.RawOffset) event { return event{Accounted: to} }

func TestCloserOfACallThatIsText(t *testing.T) {
	const raw = `a<call>f{oops}</call> <call>g{}</call>b`
	at := func(mark string) (start, end abi.RawOffset) {
		i := strings.Index(raw, mark)
		return abi.RawOffset(i), abi.RawOffset(i + len(mark))
	}
	spanned := func(e event, mark string, accounted abi.RawOffset) event {
		e.Start, e.End = at(mark)
		e.Data, e.Accounted = []byte(mark), accounted
		return e
	}
	_, bodyEnd := at("{oops}")
	_, closerEnd := at("</call>")
	_, nameEnd := at("call>g")
	first := []event{
		spanned(text(""), "a", 1), spanned(callOpens(0, ""), "f", 1), spanned(argsEvent(""), "{oops}", 1),
		{Kind: abi.CallEnd, Flags: abi.FlagUnsound, Accounted: bodyEnd},
	}
	second := []event{spanned(callOpens(1, ""), "g", nameEnd), {Kind: abi.CallEnd, Call: 1, Accounted: abi.RawOffset(len(raw)) - 1}}
	for _, c := range []struct {
		name    string
		between []event
		then    []event
		want    []string
	}{
		{"closer in one piece", []event{structure(closerEnd)}, nil, []string{"text a<call>f{oops}</call>"}},
		{"closer in two pieces", []event{structure(bodyEnd + 3), structure(closerEnd)}, nil, []string{"text a<call>f{oops}</call>"}},
		{"closer and the next opener in one piece", []event{structure(closerEnd + 7)}, nil, []string{"text a<call>f{oops}</call>"}},
		{"closer accounted for by the next call", nil, second, []string{"text a<call>f{oops}</call>", "call 0 g * {}"}},
		{"text behind it", nil, []event{spanned(text(""), "b", abi.RawOffset(len(raw)))}, []string{"text a<call>f{oops}</call>b"}},
		{"nothing behind", nil, nil, []string{"text a<call>f{oops}"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := Config{Invalid: InvalidText, Closers: []string{"</call>", "</x>"}, Raw: func(start, end abi.RawOffset) []byte { return []byte(raw[start:end]) }}
			f := New(cfg)
			var deltas []Delta
			for _, list := range [][]event{first, c.between, c.then} {
				deltas = f.Apply(list, deltas)
			}
			if got := strings.Join(assembled(f.Finish(deltas)), "|"); got != strings.Join(c.want, "|") {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
