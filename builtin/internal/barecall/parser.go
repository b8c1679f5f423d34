// Package barecall reads calls that need no marker: JSON objects, alone or in a list,
// and lists of Python calls, in a code fence or not. Llama's families write them.
package barecall

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/opening"
	"github.com/turnkey-parsers/turnkey/builtin/internal/pycall"
	"github.com/turnkey-parsers/turnkey/builtin/internal/toolblock"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/guided"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// Config says how a family writes its calls.
type Config struct {
	// Tag may stand before a call, and End behind it; there may be no End.
	Tag, End string
	// Code says that code may follow the tag, which is shown without it.
	Code bool
	// Python says that the family's own form is the Python list, and else the JSON
	// object. Of its own form any name is a call, of the other one an offered name.
	Python bool
}

// Grammar is a Config with its tables. It may be shared.
type Grammar struct {
	Config
	calls, nothing *prose.Grammar
	guided         *guided.Grammar
	objects        *toolblock.Grammar
}

// fence may stand round calls, with a language behind the first.
const fence = "```"

// Places in a Grammar's calls.
const (
	isTag = iota
	isFence
)

// New builds the tables of c.
func New(c Config) *Grammar {
	var strip []string
	if c.End != "" {
		strip = []string{c.End}
	}
	return &Grammar{
		Config:  c,
		calls:   prose.Compile(prose.Markers{Calls: []string{c.Tag, fence, "{", "["}, Strip: strip}),
		nothing: prose.Compile(prose.Markers{}),
		guided:  guided.Compile(guided.Markup{Openers: []string{c.Tag}, Strip: strip}),
		objects: toolblock.NewGrammar(toolblock.Config{Open: c.Tag, JSON: true}),
	}
}

// Parser makes a parser of that kind; nil: there is none, since there are no thoughts.
func (g *Grammar) Parser(open *abi.OpenBlock, kind sdk.Kind) sdk.Parser {
	if kind == sdk.Reasoning {
		return nil
	}
	if open.Mode != abi.ModeNative {
		started := *open
		started.Start = abi.ChannelResponse
		return guided.New(g.guided, &started, kind.Native(g.Parser))
	}
	p := &parser{g: g, object: object{tools: open.Tools}, call: g.objects.Block(open), form: pycall.Form{Tools: open.Tools, Only: !g.Python}}
	if len(open.Tools) == 0 {
		p.prose.Start(g.nothing, false)
		p.state = inProse
		return p
	}
	p.prose.Trial = opening.Trial(open, kind, g.Parser)
	p.prose.Start(g.calls, false)
	return p
}

const (
	// maxHeld is how much of an object is held to see whether it is a call, in
	// bytes.
	maxHeld = prose.MaxHeld
	// maxSpace is how much white space is held to see what follows it.
	maxSpace = 1024
)

type state uint8

const (
	atTheStart state = iota // nothing but white space so far
	inProse
	ahead    // at what may begin a call, or at a marker before it
	inObject // before it is known what the object is
	inList   // before it is known what the list is
	inCall   // in a call's object, or in a list of them
	called   // after a call
	inJSON   // in an object that is text
)

// parser reads one session in native mode.
type parser struct {
	g      *Grammar
	form   pycall.Form
	prose  prose.Machine
	state  state
	marker int    // length of the marker that the window begins with: a tag, a fence, a bracket; 0 for none
	origin origin // of the call that may follow
	fenced bool   // the call stands in a fence
	object object
	list   pycall.Reader
	call   toolblock.Block
	json   scan.JSON // the object that is text
}

// Channel implements sdk.Channeler: there is no other channel.
func (p *parser) Channel() abi.Channel { return abi.ChannelResponse }

// InString implements prose.Stringer.
func (p *parser) InString() bool {
	return p.state == inList && p.list.InString() || p.state == inObject && p.object.walk.InString()
}

// Step implements sdk.Parser.
func (p *parser) Step(w *sdk.Window) {
	for p.readPart(w) {
	}
}

// readPart goes on to the next state. It answers false when it needs more input.
func (p *parser) readPart(w *sdk.Window) bool {
	switch p.state {
	case atTheStart:
		return p.readStart(w)
	case ahead:
		return p.lookAhead(w)
	case inObject:
		return p.readObject(w)
	case inList:
		return p.readList(w)
	case inCall:
		if !p.call.Step(w) {
			return false
		}
		p.state = called
		return true
	case called:
		return p.readAfterCall(w)
	case inJSON:
		return p.readJSONText(w)
	}
	id, ok := p.prose.Next(w)
	if ok {
		p.lookFrom(inText, id)
	}
	return ok
}

// lookFrom looks for a call at a marker of the grammar, with which the window begins.
func (p *parser) lookFrom(from origin, id int) {
	p.state, p.origin, p.marker, p.fenced = ahead, from, len(p.g.calls.Call(id)), id == isFence
	if id == isTag {
		p.origin = marked
	}
}

// readStart reads the white space that the output begins with.
func (p *parser) readStart(w *sdk.Window) bool {
	w.Text(scan.LeadingSpace(w.Bytes()))
	b := w.Bytes()
	if len(b) == 0 {
		return false
	}
	p.state = inProse
	if b[0] == '{' || b[0] == '[' || scan.Prefix(b, fence, w.Final) != scan.No {
		if scan.Prefix(b, fence, w.Final) == scan.Wait {
			p.state = atTheStart
			return false
		}
		if id, ok := p.prose.Next(w); ok && p.g.Python {
			p.lookFrom(inText, id)
		} else if ok {
			p.lookFrom(atStart, id)
		}
	}
	return true
}

// lookAhead looks at what stands behind a tag, a fence or nothing: an object, a list of
// objects, or a list of Python calls.
func (p *parser) lookAhead(w *sdk.Window) bool {
	b := w.Bytes()
	n := 0
	if b[0] != '{' && b[0] != '[' {
		n = p.marker
	}
	if p.fenced { // with the name of a language
		for n < len(b) && n-p.marker < maxLanguage && b[n] >= 'a' && b[n] <= 'z' {
			n++
		}
	}
	n += scan.LeadingSpace(b[n:])
	next := n
	if n < len(b) && b[n] == '[' {
		next++
		next += scan.LeadingSpace(b[next:])
	}
	switch {
	case next-p.marker > maxSpace:
		return p.giveBack(w)
	case next == len(b) && !w.Final:
		return false
	case next == len(b):
		return p.giveBack(w)
	case b[next] == '{':
		p.object.startObject(p.origin, n, next)
		p.state = inObject
	case b[n] == '[' && (p.g.Python || b[next] != ']'):
		p.list.Start(w, p.form, n)
		p.state = inList
	default:
		return p.giveBack(w)
	}
	return true
}

// maxLanguage is the longest name of a fence's language, in bytes.
const maxLanguage = 16

// giveBack makes prose of the marker, behind which there is no call. Code loses its tag.
func (p *parser) giveBack(w *sdk.Window) bool {
	p.state = inProse
	b := w.Bytes()[p.marker:]
	if p.origin == marked && p.marker == len(p.g.Tag) && p.g.Code && len(b) > 0 && beginsCode(b[0]) {
		w.Skip(p.marker)
	} else {
		p.prose.GiveBack(w, p.marker)
	}
	return true
}

// beginsCode says whether code may begin with c, and not prose that goes on behind a tag
// that it only names.
func beginsCode(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '#' || c == '@' || c == '{' || c == '['
}

// readList reads what a bracket opened. What is no list is prose, up to the byte
// that no list has.
func (p *parser) readList(w *sdk.Window) bool {
	switch v := p.list.Next(w); {
	case v == scan.Yes:
		p.state = called
		return true
	case v == scan.Wait && !w.Final:
		return false
	case v == scan.Wait && p.list.HasCall():
		p.list.EndText(w)
		return false
	case p.marker > 1: // a tag or a fence
		return p.giveBack(w)
	}
	w.Text(max(w.Scanned, 1))
	p.state = inProse
	return true
}

// readAfterCall looks for another call behind a call, and for what may close one: a
// fence, or a marker, and the white space before it.
func (p *parser) readAfterCall(w *sdk.Window) bool {
	b := w.Bytes()
	n := scan.LeadingSpace(b)
	p.state = inProse
	switch {
	case n > maxSpace:
		return true
	case n == len(b):
		return p.waitIn(w, called)
	case b[n] == ';' && !p.g.Python:
		return p.readAfterSemicolon(w, n+1)
	}
	for _, closer := range p.closers() {
		switch scan.Prefix(b[n:], closer, w.Final) {
		case scan.Wait:
			return p.waitIn(w, called)
		case scan.Yes:
			w.Skip(n + len(closer))
			p.fenced = p.fenced && closer != fence
			p.state = called
			return true
		}
	}
	return true
}

// closers are the markers that may close a call.
func (p *parser) closers() []string {
	var list []string
	if p.fenced {
		list = append(list, fence)
	}
	if p.g.End != "" {
		list = append(list, p.g.End)
	}
	return list
}

// readAfterSemicolon looks for another call behind the semicolon that ends before place n.
func (p *parser) readAfterSemicolon(w *sdk.Window, n int) bool {
	b := w.Bytes()
	space := scan.LeadingSpace(b[n:])
	switch n += space; {
	case space > maxSpace:
		return true
	case n == len(b):
		if w.Final {
			w.Skip(n)
		}
		return p.waitIn(w, called)
	case b[n] == '{':
		p.marker, p.origin = 0, marked
		p.object.startObject(marked, n, n)
		p.state = inObject
		return true
	}
	switch scan.Prefix(b[n:], p.g.Tag, w.Final) {
	case scan.Wait:
		return p.waitIn(w, called)
	case scan.Yes:
		w.Skip(n)
		p.lookFrom(marked, isTag)
	}
	return true
}

// waitIn stays in state s. At the end of the text what is left is text.
func (p *parser) waitIn(w *sdk.Window, s state) bool {
	if !w.Final {
		p.state = s
	}
	return w.Final && w.Len() > 0
}

// readObject goes on when it is known what the object is.
func (p *parser) readObject(w *sdk.Window) bool {
	b := w.Bytes()
	switch v := p.object.lookAhead(b[:min(len(b), maxHeld)]); {
	case v == scan.Yes:
		w.Skip(p.object.lead)
		p.call.Enter(false, 0)
		p.state = inCall
	case v == scan.Wait && len(b) < maxHeld && !w.Final:
		if p.object.walk.InPlainString() && !p.object.named && len(b) < maxHeld/2 {
			w.Hold(scan.StringWatch)
		}
		return false
	case v == scan.Wait && w.Final && p.object.isCutCall():
		w.Skip(w.Len())
		return false
	case p.marker > 1 && !(p.origin == marked && p.g.Code), b[p.object.lead] == '[':
		return p.giveBack(w)
	default:
		if p.marker > 1 {
			w.Skip(p.marker)
			p.object.lead -= p.marker
		}
		w.Text(p.object.lead)
		p.json = scan.JSON{Lenient: true}
		p.state = inJSON
	}
	return true
}

// quiet is what matters in a string of an object that is text.
var quiet = scan.JoinWatchSets(scan.StringWatch, []byte{'\n'})

// readJSONText reads an object that is text. Whatever stands in it is text too, but an
// empty line ends a string that was never closed, and the object with it.
func (p *parser) readJSONText(w *sdk.Window) bool {
	for w.Len() > 0 {
		b := w.Bytes()
		if b[0] == '\n' && p.json.InString() && w.Prev() == '\n' {
			p.state = inProse
			return true
		}
		n := bytes.IndexByte(b, '\n') + 1
		if n == 0 {
			n = len(b)
		}
		n, status := p.json.Scan(b[:n])
		w.Text(n)
		if status != scan.More {
			p.state = inProse
			return true
		}
	}
	if p.json.InPlainString() {
		w.Watch(abi.Text, quiet)
	}
	return false
}
