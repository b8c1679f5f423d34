package jsonbody

import (
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
)

// ownBody is one call whose body the text begins with; what follows is text.
type ownBody struct {
	body Body
	in   bool
	done bool
}

var selfDelimitingGrammar = Compile(Markers{SelfDelimiting: true, Break: []string{"<next>"}})

func (p *ownBody) Step(w *sdk.Window) {
	if !p.in {
		p.in = true
		w.CallLiteral("f")
		p.body.Start(selfDelimitingGrammar, false)
	}
	if !p.done {
		_, p.done = p.body.Next(w)
	}
	if p.done {
		w.Text(w.Len())
	}
}

// emittedBySelfDelimiting is what is emitted for text, pushed in pieces of n bytes.
func emittedBySelfDelimiting(text string, n int) string {
	m := sdk.Module{New: func(*abi.OpenBlock) sdk.Parser { return &ownBody{} }}
	s, _ := sdk.Open(&m, &abi.OpenBlock{})
	var out strings.Builder
	add := func(a abi.Answer) {
		for _, e := range a.Events {
			switch e.Kind {
			case abi.Args, abi.Text:
				out.WriteString(text[e.Start : e.Start+e.Len])
			case abi.CallEnd:
				out.WriteString(text[e.Start:e.Start+e.Len] + [...]string{" end:", " unsound:"}[e.Flags&abi.FlagUnsound])
			case abi.CallDrop:
				out.WriteString(" dropped:")
			}
		}
	}
	for off := 0; off < len(text); off += n {
		add(s.Push(abi.RawOffset(off), 0, []byte(text[off:min(len(text), off+n)])))
	}
	add(s.Finish(abi.RawOffset(len(text)), abi.FinishUnknown))
	return out.String()
}

func TestSelfDelimitingBodies(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{} x`, `{} end: x`},
		{"\n{\"a\": \"}<next>\"}}", `{"a": "}<next>"} end:}`},
		{`{"a": "<next>`, `{"a": " dropped:`}, // data, cut or not
		{`{"a": {"b": 1,}} x`, `{"a": {"b": 1,}} end: x`},
		{`{'a': {}} x`, `{'a': {}} end: x`},
		{`[1] x`, `[1] unsound: x`},
		{`{"a": "\d}"} x`, `{"a": "\d}"} unsound: x`},
		{`{"a": 1,<next>} x`, `{"a": 1, dropped:<next>} x`},
		{`{"a": "<next>{"b": 1} x`, `{"a": " dropped:<next>{"b": 1} x`}, // the break proves that it was none
		{`{"a": 1, x`, `{"a": 1,  dropped:`},
		{`null`, ` dropped:`},
		{`<next>`, ` dropped:<next>`},
		{``, ` dropped:`},
	} {
		t.Run(c.text, func(t *testing.T) {
			for n := 1; n <= max(1, len(c.text)); n++ {
				if got := emittedBySelfDelimiting(c.text, n); got != c.want {
					t.Fatalf("in pieces of %d:\ngot  %s\nwant %s", n, got, c.want)
				}
			}
		})
	}
}
