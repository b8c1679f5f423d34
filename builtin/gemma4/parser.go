package gemma4

import (
	"unicode"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/guided"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// maxName is the longest name of a tool in bytes: longer is none.
const maxName = 256

type state uint8

const (
	inProse  state = iota
	asking         // at a "call:" that has no opener
	inHeader       // at a call's opener
	inBody         // in its arguments
	inBroken       // in arguments that do not fit the grammar
	behind         // behind the arguments
	lost           // in what was no call, or one without a closer
)

// parser reads one session.
type parser struct {
	dialect
	guided sdk.Parser // reads in its place, in a guided mode
	start  abi.Channel
	tools  []string
	rest   string // of the label of the thought that the prompt opened
	prose  prose.Machine
	state  state
	asker  asker
	body   body
	broken broken
}

// Channel implements sdk.Channeler.
func (p *parser) Channel() abi.Channel { return p.start }

// Step implements sdk.Parser.
func (p *parser) Step(w *sdk.Window) {
	if p.rest != "" {
		switch scan.Prefix(w.Bytes(), p.rest, w.Final) {
		case scan.Wait:
			return
		case scan.Yes:
			w.Skip(len(p.rest))
		}
		p.rest = ""
	}
	if p.guided != nil {
		p.guided.Step(w)
		return
	}
	for p.readPart(w) {
	}
}

// readPart goes on to the next state. It answers false when it needs more input.
func (p *parser) readPart(w *sdk.Window) bool {
	switch p.state {
	case asking:
		return p.askForHeader(w)
	case inHeader:
		return p.readHeader(w, openCall)
	case inBody:
		return p.readArguments(w)
	case inBroken:
		return p.readBrokenCall(w)
	case behind:
		return p.readCloser(w)
	case lost:
		return p.findCallEnd(w)
	}
	id, ok := p.prose.Next(w)
	switch {
	case !ok:
		return false
	case id == proseCall:
		p.state = inHeader
	default:
		p.state = asking
		p.asker.startAsking(p.marks, p.tools)
		w.Scanned = 0
	}
	return true
}

// askForHeader reads on behind a "call:" that has no opener: with its closer it is a call,
// else it is prose.
func (p *parser) askForHeader(w *sdk.Window) bool {
	_, v := p.asker.askForCall(w, false)
	switch v {
	case scan.Wait:
		return false
	case scan.Yes:
		return p.readHeader(w, "")
	}
	p.state = inProse
	if p.prose.Thought {
		w.Reasoning(len(callWord))
	} else {
		w.Text(len(callWord))
	}
	return true
}

// readHeader reads an opener and the header behind it, up to the arguments.
func (p *parser) readHeader(w *sdk.Window, opener string) bool {
	n, v := matchHeader(w.Bytes()[len(opener):], p.tools, w.Final)
	switch v {
	case scan.Wait:
		return false
	case scan.No:
		p.state = inProse
		p.prose.GiveBack(w, len(opener))
		return true
	}
	at := len(opener) + len(callWord)
	w.Call(at, n, 0)
	w.Skip(at + n)
	w.Scanned = 0
	p.state, p.broken.on = inBody, false
	p.body.startBody(p.marks, p.tools)
	p.body.inThought = p.prose.Thought
	return true
}

// matchHeader asks whether b begins with the header of a call, and gives the length of
// the name in it: one of the tools, or one that is made of the bytes of names.
func matchHeader(b []byte, tools []string, final bool) (n int, v scan.Verdict) {
	if v := scan.Prefix(b, callWord, final); v != scan.Yes {
		return 0, v
	}
	b = b[len(callWord):]
	mayOffer := false
	for _, tool := range tools {
		v := scan.Prefix(b, tool, final)
		if v == scan.Yes && len(b) > len(tool) && b[len(tool)] == '{' {
			return len(tool), scan.Yes
		}
		mayOffer = mayOffer || v == scan.Wait || v == scan.Yes && len(b) == len(tool) && !final
	}
	for n < len(b) && n <= maxName && isName(b[n]) {
		n++
	}
	switch {
	case n < len(b) && n > 0 && b[n] == '{':
		return n, scan.Yes
	case mayOffer, n == len(b) && !final && n <= maxName:
		return n, scan.Wait
	}
	return n, scan.No
}

func isName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '-'
}

// readArguments reads a call's body.
func (p *parser) readArguments(w *sdk.Window) bool {
	switch p.body.readBody(w) {
	case bodyMore:
		return w.Final && p.dropCutCall(w, p.body.inString(), p.body.candidate)
	case bodyEnd:
		p.state = behind
	case bodyMarker:
		return p.leaveCall(w, w.Scanned)
	default:
		p.state = inBroken
		p.broken.startBroken(&p.body, p.braces)
	}
	return true
}

// readBrokenCall reads the rest of a body that does not fit the grammar.
func (p *parser) readBrokenCall(w *sdk.Window) bool {
	switch p.broken.readBroken(w) {
	case bodyMore:
		return w.Final && p.dropCutCall(w, p.broken.quoted, p.broken.candidate)
	case bodyEnd:
		p.state = behind
	default:
		return p.leaveCall(w, w.Scanned)
	}
	return true
}

// dropCutCall drops a call that the end of the text cut. It answers whether there is
// something to go on with: within a string, the candidate.
func (p *parser) dropCutCall(w *sdk.Window, quoted bool, candidate int) bool {
	if quoted && candidate != none {
		return p.leaveCall(w, candidate)
	}
	return p.leaveCall(w, w.Len())
}

// leaveCall drops the call and goes on with the marker at place at.
func (p *parser) leaveCall(w *sdk.Window, at int) bool {
	w.CallDrop()
	w.Skip(at)
	p.state = inProse
	return true
}

// readCloser ends the call behind its body, if its closer is there or the text ends.
func (p *parser) readCloser(w *sdk.Window) bool {
	b := w.Bytes()
	body := w.Scanned
	at := body + scan.LeadingSpace(b[body:])
	v := scan.Prefix(b[at:], closeCall, false)
	switch {
	case v == scan.Wait && !w.Final:
		return false
	case v == scan.No:
		return p.loseCall(w)
	case p.broken.on:
		p.endUnsoundCall(w, body)
	default:
		w.CallEnd()
	}
	w.Skip(min(at+len(closeCall), len(b)))
	p.state = inProse
	return true
}

// endUnsoundCall ends a call whose body fills the window up to place n, unless parts of
// it were emitted.
func (p *parser) endUnsoundCall(w *sdk.Window, n int) {
	if p.body.emitted {
		n = 0
	}
	w.CallUnsound(0, n)
}

// loseCall gives the call up, and skips what belongs to it.
func (p *parser) loseCall(w *sdk.Window) bool {
	w.CallDrop()
	p.state = lost
	w.Scanned = 0
	return true
}

// findCallEnd skips to the next marker.
func (p *parser) findCallEnd(w *sdk.Window) bool {
	at, id, v := p.marks.Find(w.Bytes(), 0, w.Final)
	w.Skip(at)
	switch {
	case v != scan.Yes:
		return false
	case id == isDelimiter:
		w.Skip(len(delimiter))
	default:
		p.state = inProse
	}
	return true
}

// asker reads a call that has no opener, without saying anything of it.
type asker struct {
	tools []string
	begun bool
	body  body
}

func (a *asker) startAsking(marks *scan.Set, tools []string) {
	a.begun, a.tools = false, tools
	a.body.startBody(marks, tools)
	a.body.mute = true
}

// askForCall asks whether the window begins with a whole call from "call:" on, and gives
// its length. With open, the text may end in place of the closer.
func (a *asker) askForCall(w *sdk.Window, open bool) (n int, v scan.Verdict) {
	b := w.Bytes()
	if !a.begun {
		if behindWord(w) {
			return 0, scan.No
		}
		name, v := matchHeader(b, a.tools, w.Final)
		if v != scan.Yes {
			return 0, v
		}
		a.begun = true
		w.Scanned = len(callWord) + name
	}
	if a.body.place != atEnd {
		switch v := a.body.readBody(w); {
		case v == bodyMore && !w.Final && w.Scanned < maxHeld:
			return 0, scan.Wait
		case v != bodyEnd || w.Scanned >= maxHeld:
			return 0, scan.No
		}
	}
	at := w.Scanned
	if at == len(b) && w.Final && open {
		return at, scan.Yes
	}
	return at + len(closeCall), scan.Prefix(b[at:], closeCall, w.Final)
}

// behindWord says whether the window goes on with a word.
func behindWord(w *sdk.Window) bool {
	r := w.PrevRune()
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// newAsk asks for a guided mode: there "call:" may also stand directly before the
// payload.
func newAsk(marks *scan.Set) guided.Ask {
	var a asker
	return func(w *sdk.Window, fresh bool) (n int, v scan.Verdict) {
		if fresh {
			a.startAsking(marks, nil)
		}
		if b := w.Bytes()[len(callWord):]; len(b) > 0 && (b[0] == '{' || b[0] == '[') && !behindWord(w) {
			return len(callWord), scan.Yes
		}
		return a.askForCall(w, true)
	}
}
