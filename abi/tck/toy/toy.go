// Package toy is a grammar for tests of conformance kits, <t>thought</t>, (call
// name {json}) and text, with one sound parser and one for each flaw that a kit
// has to find.
package toy

import (
	"bytes"
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
)

const moduleManifest = `{"abi":"1.0","module":"toy","version":"1.0.0","parsers":[
 {"name":"toy","aliases":["toy-2"],"kind":"unified","jail":{"open":["<t>","(f{"],"close":["</t>",")"]}},
 {"name":"toy_eager","kind":"unified"},{"name":"toy_late","kind":"unified"},{"name":"toy_watch","kind":"unified"},
 {"name":"toy_context","kind":"unified"},{"name":"toy_own","kind":"unified"},{"name":"toy_end","kind":"unified"},
 {"name":"toy_panic","kind":"unified"},{"name":"toy_shared","kind":"unified","jail":{"open":["<t>","(f{"],"close":["</t>",")"]}},
 {"name":"toy_constraint","kind":"unified","constraint":true}]}`

// Module has the parser toy, also called toy-2, which is sound. The others have a
// flaw each: toy_eager lets go of a marker's beginning, toy_late drops a call that
// takes several pushes, toy_watch leaves a byte out of its WATCH, toy_own makes up
// text, toy_panic panics at an unfinished call, toy_shared has one state for all
// sessions, toy_constraint a malformed constraint.
var Module = sdk.Module{
	Manifest: moduleManifest,
	New: func(s *abi.OpenBlock) sdk.Parser {
		if !strings.HasPrefix(s.Parser, "toy") {
			return nil
		}
		if s.Parser == "toy_shared" {
			return &shared
		}
		return &toyParser{flaw: s.Parser, thought: s.Start == abi.ChannelReasoning}
	},
	Constraint: func(*abi.OpenBlock) []byte { return []byte(`{"scope":"reply","structural_tag":{"a":1}}`) },
}

// shared is the parser of all sessions of toy_shared.
var shared toyParser

// toyParser is a parser with a flaw, if its name is one's.
type toyParser struct {
	flaw    string
	thought bool
	pushes  int
}

func (p *toyParser) Step(w *sdk.Window) {
	p.pushes++
	for p.parseOne(w) {
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

// parseOne parses one thing, and says whether another may follow.
func (p *toyParser) parseOne(w *sdk.Window) bool {
	b := w.Bytes()
	switch {
	case len(b) == 0:
		return false
	case p.thought:
		return p.parseThought(w)
	case b[0] == '(':
		return p.parseCall(w)
	case bytes.HasPrefix(b, []byte("<t>")):
		w.Skip(len("<t>"))
		p.thought = true
		return true
	case b[0] == '<' && len(b) < 3 && bytes.HasPrefix([]byte("<t>"), b) && !w.Final && !p.forgetsToWait():
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

// forgetsToWait says that the parser forgets to wait, in the second step.
func (p *toyParser) forgetsToWait() bool { return p.flaw == "toy_eager" && p.pushes == 2 }

// parseThought reads a thought up to its closer; it waits where the window may end in a
// part of it.
func (p *toyParser) parseThought(w *sdk.Window) bool {
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

// parseCall parses a whole call.
func (p *toyParser) parseCall(w *sdk.Window) bool {
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
