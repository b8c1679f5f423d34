package tck

import (
	"bytes"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/sdk"
)

// toyManifest is that of the tests' own grammar: <t>thought</t>, (call name
// {json}) and text. Its flaws are other parsers of the module.
const toyManifest = `{"abi":"1.0","module":"toy","version":"1.0.0","parsers":[
 {"name":"toy","aliases":["toy-2"],"kind":"unified"},
 {"name":"toy_eager","kind":"unified"},{"name":"toy_late","kind":"unified"},{"name":"toy_watch","kind":"unified"},
 {"name":"toy_context","kind":"unified"},{"name":"toy_own","kind":"unified"},{"name":"toy_end","kind":"unified"},
 {"name":"toy_panic","kind":"unified"}]}`

var toyModule = sdk.Module{
	Manifest: toyManifest,
	New: func(s *abi.Session) sdk.Parser {
		return &toy{flaw: s.Parser, thought: s.Start == abi.ChannelReasoning}
	},
}

// toy is a parser with a flaw, if its name is one's.
type toy struct {
	flaw    string
	thought bool
	pushes  int
}

func (p *toy) Step(w *sdk.Window) {
	p.pushes++
	for p.one(w) {
	}
	if w.Len() == 0 || w.Final {
		kind, set := abi.Text, []byte("<(")
		if p.thought {
			kind, set = abi.Reasoning, []byte("<")
		}
		if p.flaw == "toy_watch" {
			set = []byte("<") // forgets the call's opener
		}
		w.Watch(kind, set)
	}
}

func (p *toy) one(w *sdk.Window) bool {
	b := w.Bytes()
	switch {
	case len(b) == 0:
		return false
	case p.thought:
		return p.until(w, "</t>", w.Reasoning, func() { p.thought = false })
	case b[0] == '(':
		return p.call(w)
	case b[0] == '<':
		return p.until(w, "<t>", w.Text, func() { p.thought = true })
	}
	n := bytes.IndexAny(b, "<(")
	if n < 0 {
		n = len(b)
	}
	if p.flaw == "toy_own" {
		w.KeyLiteral("x")
	}
	w.Text(n)
	return true
}

// until says what stands before marker, and skips it; it waits where the window
// may end in a part of it.
func (p *toy) until(w *sdk.Window, marker string, say func(int), found func()) bool {
	b := w.Bytes()
	if n := bytes.Index(b, []byte(marker)); n >= 0 {
		say(n)
		w.Skip(len(marker))
		found()
		return true
	}
	keep := 0
	for k := min(len(marker)-1, len(b)); k > 0 && keep == 0; k-- {
		if bytes.HasSuffix(b, []byte(marker[:k])) {
			keep = k
		}
	}
	if p.flaw == "toy_eager" && len(b) > keep+3 && p.pushes == 2 {
		keep = 0 // lets go of what may be a marker, in the first push
	}
	if w.Final {
		keep = 0
	}
	// A "(" behind a "<" that opens nothing begins a call.
	if marker == "<t>" {
		if n := bytes.IndexAny(b[1:], "<("); n >= 0 {
			say(n + 1)
			return true
		}
	}
	say(len(b) - keep)
	return false
}

func (p *toy) call(w *sdk.Window) bool {
	b := w.Bytes()
	end := bytes.IndexByte(b, ')')
	if end < 0 {
		switch {
		case !w.Final:
		case p.flaw == "toy_panic":
			panic("cut")
		default:
			w.Skip(w.Len())
		}
		return false
	}
	if p.flaw == "toy_late" && p.pushes > 2 {
		w.Skip(end + 1) // forgets the call unless it comes at once
		return true
	}
	if open := bytes.IndexByte(b[:end], '{'); open > 0 {
		w.Call(1, open-1, 0)
		w.Args(open, end-open, 0)
		w.CallEnd()
	}
	w.Skip(end + 1)
	return true
}

func toyEngine(t testing.TB, name string) parse.Engine {
	t.Helper()
	e, err := parse.Native(&toyModule, name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
