package llama3json

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/toolblock"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

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
	tagged   // behind the tag
	inObject // before it is known what the object is
	inCall   // in a call's object
	called   // after a call
	inJSON   // in an object that is text
)

// parser reads one session in native mode.
type parser struct {
	prose  prose.Machine
	state  state
	object object
	call   toolblock.Block
	json   scan.JSON // the object that is text
}

// Channel implements sdk.Channeler: there is no other channel.
func (p *parser) Channel() abi.Channel { return abi.ChannelResponse }

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
	case tagged:
		return p.readAfterTag(w)
	case inObject:
		return p.readObject(w)
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
	switch {
	case !ok:
		return false
	case id == isTag:
		w.Skip(len(tag))
		p.state = tagged
	default:
		p.lookForCall(inText, 0)
	}
	return true
}

// lookForCall looks at the object at place at.
func (p *parser) lookForCall(from origin, at int) {
	p.object.startObject(from, at)
	p.state = inObject
}

// readStart reads the white space that the output begins with.
func (p *parser) readStart(w *sdk.Window) bool {
	w.Text(scan.LeadingSpace(w.Bytes()))
	switch b := w.Bytes(); {
	case len(b) == 0:
		return false
	case b[0] == '{':
		p.lookForCall(atStart, 0)
	default:
		p.state = inProse
	}
	return true
}

// readAfterTag looks for the object behind the tag. What else stands there is text.
func (p *parser) readAfterTag(w *sdk.Window) bool {
	b := w.Bytes()
	switch n := scan.LeadingSpace(b); {
	case n == len(b) && n <= maxSpace && !w.Final:
		return false
	case n < len(b) && n <= maxSpace && b[n] == '{':
		p.lookForCall(marked, n)
	default:
		p.state = inProse
	}
	return true
}

// readAfterCall looks for another call behind a call.
func (p *parser) readAfterCall(w *sdk.Window) bool {
	b := w.Bytes()
	n := scan.LeadingSpace(b)
	p.state = inProse
	switch {
	case n > maxSpace:
		return true
	case n == len(b):
		return p.waitIn(w, called)
	case b[n] != ';':
		return true
	}
	n++
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
		p.lookForCall(marked, n)
		return true
	}
	switch scan.Prefix(b[n:], tag, w.Final) {
	case scan.Wait:
		return p.waitIn(w, called)
	case scan.Yes:
		w.Skip(n + len(tag))
		p.state = tagged
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
		if p.object.walk.InPlainString() && len(b) < maxHeld/2 {
			w.Hold(scan.StringWatch)
		}
		return false
	case v == scan.Wait && w.Final && p.object.isCutCall():
		w.Skip(w.Len())
		return false
	default:
		w.Text(p.object.lead)
		p.json.Reset()
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
