package kimik3

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// maxHeld is how many bytes of a value are held behind a possible end.
const maxHeld = 1<<20 - 1<<16

// value is an argument's value that is being read. Text is raw, so an argument's
// closer in it may be data; what stands behind it tells (see ends). The first
// closer of which that is not certain is kept: if nothing better comes, it was
// the end. Until then nothing behind it is said.
type value struct {
	header header
	ahead  int   // how far a repetition of the key was looked for
	mute   bool  // it is not said
	said   bool  // a part of it was said
	kept   int64 // absolute offset of the kept closer, or none
	tools  int   // tools channels that are open inside

	text bool // the header says that it is text
	json bool // it is read as JSON, so far
	scan scan.JSON
	read abi.RawOffset // what scan has read
}

const none = -1

// inside are the markers that matter in a value.
var inside = newMarkSet(closeArgument, openTools, closeTools,
	openThink, closeThink, openResponse, closeResponse, closeMessage, endMark)

var valueWatch = inside.FirstBytes()

// verdict says what an argument's closer in a value is.
type verdict uint8

const (
	isData verdict = iota
	isEnd
	isKept // the end, unless a better one comes
	isOpen // more bytes must come
	isText // the value is no JSON: it is read again as text, from the kept closer on
)

// inValue reads a value: it says what is certain of it, and looks for its end.
func (p *parser) inValue(w *sdk.Window) bool {
	v := &p.value
	for {
		at, m, n, found := inside.find(w.Bytes(), w.Scanned, w.Final)
		w.Scanned = at
		switch {
		case found != scan.Yes && !w.Final:
			p.sayPart(w, at)
			return false
		case found != scan.Yes && v.kept == none:
			p.cut(w, false)
			return false
		case found != scan.Yes:
			p.settled = ^abi.RawOffset(0)
			p.endKept(w)
			return true
		case m == closeArgument:
			switch p.candidate(w, at, n) {
			case isEnd:
				p.end(w, at, n)
				return true
			case isOpen:
				p.sayPart(w, at)
				return false
			case isText:
				continue
			}
		case v.kept != none && p.leaves(m):
			p.settled = max(p.settled, w.Offset()+abi.RawOffset(at))
			p.endKept(w)
			return true
		case m == openTools && !v.json:
			v.tools++
		case m == closeTools:
			v.tools = max(0, v.tools-1)
		}
		w.Scanned = at + n
		if v.kept != none && w.Offset()+abi.RawOffset(at)-abi.RawOffset(v.kept) > maxHeld {
			v.kept = none
		}
	}
}

// candidate judges the argument's closer at place at.
func (p *parser) candidate(w *sdk.Window, at, n int) verdict {
	v := &p.value
	if v.json {
		p.feed(w, at)
		switch {
		case v.json && v.scan.AtEnd():
			return isEnd
		case v.json && v.scan.InString():
			return p.keep(w, at)
		}
		v.json = false
		if v.kept != none {
			w.Scanned = int(abi.RawOffset(v.kept) - w.Offset())
			v.kept = none
			return isText
		}
	}
	if d := p.ends(w, at+n); d != isKept {
		return d
	}
	return p.keep(w, at)
}

// keep remembers the closer at place at, or takes it where it is known that no
// better one comes.
func (p *parser) keep(w *sdk.Window, at int) verdict {
	off := w.Offset() + abi.RawOffset(at)
	if off < p.settled {
		return isEnd
	}
	if p.value.kept == none {
		p.value.kept = int64(off)
	}
	return isData
}

// feed lets the JSON scanner read up to place at. What is no JSON is text.
func (p *parser) feed(w *sdk.Window, at int) {
	v := &p.value
	b := w.Bytes()[v.read-w.Offset() : at]
	n, status := v.scan.Scan(b)
	if status == scan.Bad || status == scan.Done && scan.LeadingSpace(b[n:]) < len(b[n:]) {
		v.json = false
	}
	v.read = w.Offset() + abi.RawOffset(at)
}

// sayPart says what is certain of a value that was searched up to place at.
func (p *parser) sayPart(w *sdk.Window, at int) {
	v := &p.value
	if v.kept != none {
		at = int(abi.RawOffset(v.kept) - w.Offset())
	}
	if at > 0 {
		p.say(w, at, abi.FlagMore)
	}
	if v.said {
		w.Watch(abi.Value, valueWatch)
	}
}

// say says the first n bytes of the window as the value, or with more as a part
// of it, and consumes them.
func (p *parser) say(w *sdk.Window, n int, more uint8) {
	v := &p.value
	if v.json && v.read < w.Offset()+abi.RawOffset(n) {
		p.feed(w, n)
	}
	if !v.mute {
		how := abi.ReadString
		if !v.text {
			how = abi.ReadJSON
		}
		w.Value(0, n, how|more)
		v.said = true
	}
	w.Skip(n)
}

// end ends the value at place at, at a closer of n bytes.
func (p *parser) end(w *sdk.Window, at, n int) {
	p.say(w, at, 0)
	w.Skip(n)
	w.Scanned = 0
	p.whole = true
	p.state = inBody
}

// endKept ends the value at the kept closer.
func (p *parser) endKept(w *sdk.Window) {
	at := int(abi.RawOffset(p.value.kept) - w.Offset())
	_, n, _ := inside.at(w.Bytes()[at:], true)
	p.end(w, at, n)
}

// ends judges an argument's closer by what stands behind it, at place i.
func (p *parser) ends(w *sdk.Window, i int) verdict {
	m, b, d := p.next(w, w.Bytes()[i:])
	switch {
	case d != isEnd:
		return d
	case m == headArgument && p.value.tools > 0:
		return isData
	case m == headArgument, m == endMark, m == closeMessage, m == atEnd:
		return isEnd
	case m == closeCall:
		return p.confirmed(w, b)
	case m == closeTools:
		if m, _, d = p.next(w, b); d == isOpen {
			return d
		}
		if d == isEnd && endsTurn(m) {
			return isEnd
		}
		return isKept
	case m == headCall && p.value.tools == 0:
		return p.begins(w, b)
	case m == headCall, m == headJSON, p.leaves(m):
		return isKept
	}
	return isData
}

// begins judges a closer that the next call's header follows, and no closer of
// this call: it is the end if that call has a body.
func (p *parser) begins(w *sdk.Window, b []byte) verdict {
	m, _, d := p.next(w, b)
	if d == isEnd && (m == headArgument || m == headJSON || m == closeCall) || d == isOpen {
		return d
	}
	return isKept
}

// confirmed judges a closer that the call's closer follows, by what stands behind
// that.
func (p *parser) confirmed(w *sdk.Window, b []byte) verdict {
	m, rest, d := p.next(w, b)
	nested := p.value.tools > 0
	switch {
	case d == isOpen:
		return d
	case d != isEnd:
		return isKept
	case endsTurn(m):
		return isEnd
	case m == headCall && nested:
		return isData
	case m == closeTools && nested:
		if m, _, d = p.next(w, rest); d == isOpen || d == isEnd && endsTurn(m) {
			return d
		}
		return isData
	case m == headCall, m == closeTools, m == closeThink && p.leaves(m), m == closeResponse && p.leaves(m):
		return isEnd
	case p.leaves(m):
		return isKept
	}
	return isData
}

func endsTurn(m mark) bool { return m == endMark || m == closeMessage || m == atEnd }

// atEnd is what stands behind the last marker of a text that has ended.
const atEnd = bare

// next gives the mark that stands at b's start, white space aside, and what
// follows it: isEnd if there is one, isData if there is something else, isOpen
// if more bytes must come.
func (p *parser) next(w *sdk.Window, b []byte) (m mark, rest []byte, d verdict) {
	space := scan.LeadingSpace(b)
	if space > maxHeader {
		return 0, nil, isData
	}
	b = b[space:]
	m, n, v := structure.at(b, w.Final)
	if v == scan.Yes && (m == headArgument || m == headCall || m == headJSON) {
		var h header
		if h, v = readHeader(b, n, w.Final); v == scan.No && w.Final && openEnded(b, n) {
			return atEnd, nil, isEnd
		}
		n = h.n
	}
	switch {
	case v == scan.Yes:
		return m, b[n:], isEnd
	case v == scan.Wait:
		return 0, nil, isOpen
	case w.Final && (len(b) == 0 || isCut(b)):
		return atEnd, nil, isEnd
	}
	return 0, nil, isData
}
