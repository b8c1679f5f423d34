package tck

import (
	"bytes"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/native"
)

// toyManifest is that of the tests' own grammar: <t>thought</t>, (call name
// {json}) and text. Its flaws are other parsers of the module.
const toyManifest = `{"abi":"1.0","module":"toy","version":"1.0.0","parsers":[
 {"name":"toy","aliases":["toy-2"],"kind":"unified","jail":{"open":["<t>","(f{"],"close":["</t>",")"]}},
 {"name":"toy_eager","kind":"unified"},{"name":"toy_late","kind":"unified"},{"name":"toy_watch","kind":"unified"},
 {"name":"toy_context","kind":"unified"},{"name":"toy_own","kind":"unified"},{"name":"toy_end","kind":"unified"},
 {"name":"toy_panic","kind":"unified"},{"name":"toy_shared","kind":"unified","jail":{"open":["<t>","(f{"],"close":["</t>",")"]}},
 {"name":"toy_constraint","kind":"unified","constraint":true}]}`

var toyModule = sdk.Module{
	Manifest: toyManifest,
	New: func(s *abi.OpenBlock) sdk.Parser {
		if !strings.HasPrefix(s.Parser, "toy") {
			return nil
		}
		if s.Parser == "toy_shared" {
			return &shared
		}
		return &toy{flaw: s.Parser, thought: s.Start == abi.ChannelReasoning}
	},
	Constraint: func(*abi.OpenBlock) []byte { return []byte(`{"scope":"reply","structural_tag":{"a":1}}`) },
}

// shared is the parser of all sessions of toy_shared.
var shared toy

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
		return p.end(w)
	case b[0] == '(':
		return p.call(w)
	case bytes.HasPrefix(b, []byte("<t>")):
		w.Skip(len("<t>"))
		p.thought = true
		return true
	case b[0] == '<' && len(b) < 3 && bytes.HasPrefix([]byte("<t>"), b) && !w.Final && !p.letsGo():
		return false
	}
	from := 0
	if b[0] == '<' {
		from = 1
	}
	n := bytes.IndexAny(b[from:], "<(")
	if n < 0 {
		n = len(b)
	} else {
		n += from
	}
	if p.flaw == "toy_own" {
		w.KeyLiteral("x")
	}
	w.Text(n)
	return true
}

// letsGo says that the parser forgets to wait, in the second step.
func (p *toy) letsGo() bool { return p.flaw == "toy_eager" && p.pushes == 2 }

// end reads a thought up to its closer; it waits where the window may end in a
// part of it.
func (p *toy) end(w *sdk.Window) bool {
	const closer = "</t>"
	b := w.Bytes()
	if n := bytes.Index(b, []byte(closer)); n >= 0 {
		w.Reasoning(n)
		w.Skip(len(closer))
		p.thought = false
		return true
	}
	n := len(b)
	for k := min(len(closer)-1, len(b)); k > 0 && !w.Final && n == len(b); k-- {
		if bytes.HasSuffix(b, []byte(closer[:k])) {
			n -= k
		}
	}
	w.Reasoning(n)
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

func toyEngine(t testing.TB, name string) parser.Engine {
	t.Helper()
	e, err := native.Parser(&toyModule, name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
