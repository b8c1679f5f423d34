package pycall

import (
	"fmt"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// reader is the whole text as one list; what is none is text.
type reader struct {
	form  Form
	list  Reader
	state int
}

func (r *reader) Step(w *sdk.Window) {
	if r.state == 0 {
		r.list.Start(w, r.form, 0)
		r.state = 1
	}
	if r.state == 1 {
		switch v := r.list.Next(w); {
		case v == scan.Wait && w.Final && r.list.HasCall():
			r.list.EndText(w)
		case v == scan.Wait && !w.Final:
			return
		}
		r.state = 2
	}
	w.Text(w.Len())
}

// said is what the reader says of text, pushed in pieces of n bytes.
func said(form Form, text string, n int) string {
	m := sdk.Module{New: func(*abi.OpenBlock) sdk.Parser { return &reader{form: form} }}
	s, _ := sdk.Open(&m, &abi.OpenBlock{Tools: []string{"f"}})
	var out strings.Builder
	add := func(a abi.Answer) {
		for _, e := range a.Events {
			var span string
			if e.Kind != abi.Watch {
				span = text[e.Start : e.Start+e.Len]
			}
			switch e.Kind {
			case abi.Call:
				out.WriteString(span + "(")
			case abi.Key:
				out.WriteString(" " + span + "=")
			case abi.Value:
				fmt.Fprintf(&out, "%d:%s", e.Flags, span)
			case abi.CallEnd:
				out.WriteString(" )")
			case abi.CallDrop:
				out.WriteString(" dropped")
			case abi.Text:
				out.WriteString(span)
			}
		}
	}
	for off := 0; off < len(text); off += n {
		add(s.Push(abi.RawOffset(off), 0, []byte(text[off:min(len(text), off+n)])))
	}
	add(s.Finish(abi.RawOffset(len(text)), abi.FinishUnknown))
	return out.String()
}

func TestReader(t *testing.T) {
	list, dotted, sure, lines := Form{}, Form{Dotted: true}, Form{Sure: true}, Form{Lines: true, Sure: true}
	only := Form{Only: true, Tools: []string{"f", "m:c.f"}}
	for _, c := range []struct {
		form       Form
		text, want string
	}{
		{list, `[f()]`, `f( )`},
		{list, `[ f( a = 1 , b='x' ,), g() ].`, `f( a=5:1 b=4:x )g( ).`},
		{list, `[f(a=[1, (2,), {'k': "]"},], b={}, c=())]`, `f( a=5:[1, (2,), {'k': "]"},] b=5:{} c=5:() )`},
		{list, `[f(a='it\'s', b="\\")]`, `f( a=4:it\'s b=4:\\ )`},
		{list, `[f(a=True, b=none)]`, `[f(a=True, b=none)]`},
		{list, `[f(a=-1.5e+3, b=+2)]`, `f( a=5:-1.5e+3 b=5:+2 )`},
		{list, `[f(a=1.)]`, `[f(a=1.)]`},
		{list, `[f(a=01)]`, `[f(a=01)]`},
		{list, `[f(a=--1)]`, `[f(a=--1)]`},
		{list, `[f(a=+)]`, `[f(a=+)]`},
		{list, `[f(a=)]`, `[f(a=)]`},
		{list, `[f(,)]`, `[f(,)]`},
		{list, `[f(a=1 b=2)]`, `[f(a=1 b=2)]`},
		{list, `[f(a=[,])]`, `[f(a=[,])]`},
		{list, `[f(a=[1)])]`, `[f(a=[1)])]`},
		{list, `[f(a={1: 2})]`, `[f(a={1: 2})]`},
		{list, `[f(a={'k'})]`, `[f(a={'k'})]`},
		{list, `[f(a='''x''')]`, `f( a=4:x )`},
		{list, `[f(a='''it's "''\''' ''', b='')]`, `f( a=4:it's "''\'''  b=4: )`},
		{list, `[f(a='' , b='x' )]`, `f( a=4: b=4:x )`},
		{list, `[f(a="say "hi" to 'Bob'!", b='it's')]`, `f( a=4:say "hi" to 'Bob'! b=4:it's )`},
		{list, `[f(a="x" + y)]`, `[f(a="x" + y)]`},
		{list, `[f(a='''x'')]`, ``},
		{only, `[f(), g()]`, `[f(), g()]`},
		{only, `[m:c.f(a=1)]`, `m:c.f( a=5:1 )`},
		{list, `[f(a='x' 'y')]`, `[f(a='x' 'y')]`},
		{list, `[f (a=1)]`, `[f (a=1)]`},
		{list, `[f(a=1);]`, `[f(a=1);]`},
		{list, `[]`, `[]`},
		{list, `[f(),]`, `[f(),]`},
		{list, `[a.b()]`, `[a.b()]`},
		{dotted, `[a.b-c(d=1)]`, `a.b-c( d=5:1 )`},
		{list, `[é(ß=1)]`, `é( ß=5:1 )`},
		{list, `[f(a=é)]`, `[f(a=é)]`},
		{list, `[f(`, ``},
		{list, `[f`, `[f`},
		{list, `[f(), g(a=1`, `f( )`},
		{list, `[f(), g(1)]`, `[f(), g(1)]`},
		{sure, `[f(), g(1)]`, `f( ), g(1)]`},
		{sure, `[f(a='x'), g()] ok`, `f( a=4:x )g( ) ok`},
		{lines, "f(a=1)\n\ng()\n<end>", `f( a=5:1 )g( )<end>`},
		{lines, "f(), g()", `f( ), g()`},
		{lines, `<end>`, `<end>`},
		{list, `[f(a=` + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth) + `)]`, `f( a=5:` + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth) + ` )`},
	} {
		for n := 1; n <= len(c.text); n++ {
			if got := said(c.form, c.text, n); got != c.want {
				t.Errorf("%q in pieces of %d:\ngot  %s\nwant %s", c.text, n, got, c.want)
				break
			}
		}
	}
	deep := `[f(a=` + strings.Repeat("[", maxDepth+1)
	if got := said(list, deep, 16); got != deep {
		t.Errorf("deeper nesting is a list: %.40s", got)
	}
}

// A list that is longer than MaxHeld is text.
func TestHeld(t *testing.T) {
	text := `[f(a='` + strings.Repeat("x", MaxHeld) + `')]`
	if got := said(Form{}, text, 4096); got != text {
		t.Errorf("%d bytes are said, want %d", len(got), len(text))
	}
}
