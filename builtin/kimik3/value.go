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
// the end. Until then nothing behind it is emitted.
type value struct {
	header  header
	ahead   int   // how far a repetition of the key was looked for
	mute    bool  // it is not emitted
	emitted bool  // a part of it was emitted
	kept    int64 // absolute offset of the kept closer, or none
	tools   int   // tools channels that are open inside

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

// readValue reads a value: it emits what is certain of it, and looks for its end.
func (p *parser) readValue(w *sdk.Window) bool {
	v := &p.value
	for {
		at, m, n, found := inside.findFrom(w.Bytes(), w.Scanned, w.Final)
		w.Scanned = at
		switch {
		case found != scan.Yes && !w.Final:
			p.emitCertainPart(w, at)
			return false
		case found != scan.Yes && v.kept == none:
			p.endCutCall(w, false)
			return false
		case found != scan.Yes:
			p.settled = ^abi.RawOffset(0)
			p.endAtCandidate(w)
			return true
		case m == closeArgument:
			switch p.takeCandidate(w, at, n) {
			case isEnd:
				p.endValue(w, at, n)
				return true
			case isOpen:
				p.emitCertainPart(w, at)
				return false
			case isText:
				continue
			}
		case v.kept != none && p.belongsToProse(m):
			p.settled = max(p.settled, w.Offset()+abi.RawOffset(at))
			p.endAtCandidate(w)
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

// takeCandidate judges the argument's closer at place at.
func (p *parser) takeCandidate(w *sdk.Window, at, n int) verdict {
	v := &p.value
	if v.json {
		p.feedJSON(w, at)
		switch {
		case v.json && v.scan.AtEnd():
			return isEnd
		case v.json && v.scan.InString():
			return p.keepCandidate(w, at)
		}
		v.json = false
		if v.kept != none {
			w.Scanned = int(abi.RawOffset(v.kept) - w.Offset())
			v.kept = none
			return isText
		}
	}
	if d := p.judgeCloser(w, at+n); d != isKept {
		return d
	}
	return p.keepCandidate(w, at)
}

// keepCandidate remembers the closer at place at, or takes it where it is known that no
// better one comes.
func (p *parser) keepCandidate(w *sdk.Window, at int) verdict {
	off := w.Offset() + abi.RawOffset(at)
	if off < p.settled {
		return isEnd
	}
	if p.value.kept == none {
		p.value.kept = int64(off)
	}
	return isData
}

// feedJSON lets the JSON scanner read up to place at. What is no JSON is text.
func (p *parser) feedJSON(w *sdk.Window, at int) {
	v := &p.value
	b := w.Bytes()[v.read-w.Offset() : at]
	n, status := v.scan.Scan(b)
	if status == scan.Bad || status == scan.Done && scan.LeadingSpace(b[n:]) < len(b[n:]) {
		v.json = false
	}
	v.read = w.Offset() + abi.RawOffset(at)
}

// emitCertainPart emits what is certain of a value that was searched up to place at.
func (p *parser) emitCertainPart(w *sdk.Window, at int) {
	v := &p.value
	if v.kept != none {
		at = int(abi.RawOffset(v.kept) - w.Offset())
	}
	if at > 0 {
		p.emitValue(w, at, abi.FlagMore)
	}
	if v.emitted {
		w.Watch(abi.Value, valueWatch)
	}
}

// emitValue emits the first n bytes of the window as the value, or with more as a part
// of it, and consumes them.
func (p *parser) emitValue(w *sdk.Window, n int, more uint8) {
	v := &p.value
	if v.json && v.read < w.Offset()+abi.RawOffset(n) {
		p.feedJSON(w, n)
	}
	if !v.mute {
		how := abi.ReadString
		if !v.text {
			how = abi.ReadJSON
		}
		w.Value(0, n, how|more)
		v.emitted = true
	}
	w.Skip(n)
}

// endValue ends the value at place at, at a closer of n bytes.
func (p *parser) endValue(w *sdk.Window, at, n int) {
	p.emitValue(w, at, 0)
	w.Skip(n)
	w.Scanned = 0
	p.whole = true
	p.state = inBody
}

// endAtCandidate ends the value at the kept closer.
func (p *parser) endAtCandidate(w *sdk.Window) {
	at := int(abi.RawOffset(p.value.kept) - w.Offset())
	_, n, _ := inside.matchAt(w.Bytes()[at:], true)
	p.endValue(w, at, n)
}

// judgeCloser judges an argument's closer by what stands behind it, at place i.
func (p *parser) judgeCloser(w *sdk.Window, i int) verdict {
	m, b, d := p.nextMark(w, w.Bytes()[i:])
	switch {
	case d != isEnd:
		return d
	case m == headArgument && p.value.tools > 0:
		return isData
	case m == headArgument, m == endMark, m == closeMessage, m == atEnd:
		return isEnd
	case m == closeCall:
		return p.judgeBeforeCallCloser(w, b)
	case m == closeTools:
		if m, _, d = p.nextMark(w, b); d == isOpen {
			return d
		}
		if d == isEnd && endsTurn(m) {
			return isEnd
		}
		return isKept
	case m == headCall && p.value.tools == 0:
		return p.judgeBeforeCall(w, b)
	case m == headCall, m == headJSON, p.belongsToProse(m):
		return isKept
	}
	return isData
}

// judgeBeforeCall judges a closer that the next call's header follows, and no closer of
// this call: it is the end if that call has a body.
func (p *parser) judgeBeforeCall(w *sdk.Window, b []byte) verdict {
	m, _, d := p.nextMark(w, b)
	if d == isEnd && (m == headArgument || m == headJSON || m == closeCall) || d == isOpen {
		return d
	}
	return isKept
}

// judgeBeforeCallCloser judges a closer that the call's closer follows, by what stands behind
// that.
func (p *parser) judgeBeforeCallCloser(w *sdk.Window, b []byte) verdict {
	m, rest, d := p.nextMark(w, b)
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
		if m, _, d = p.nextMark(w, rest); d == isOpen || d == isEnd && endsTurn(m) {
			return d
		}
		return isData
	case m == headCall, m == closeTools, m == closeThink && p.belongsToProse(m), m == closeResponse && p.belongsToProse(m):
		return isEnd
	case p.belongsToProse(m):
		return isKept
	}
	return isData
}

func endsTurn(m mark) bool { return m == endMark || m == closeMessage || m == atEnd }

// atEnd is what stands behind the last marker of a text that has ended.
const atEnd = bare

// nextMark gives the mark that stands at b's start, white space aside, and what
// follows it: isEnd if there is one, isData if there is something else, isOpen
// if more bytes must come.
func (p *parser) nextMark(w *sdk.Window, b []byte) (m mark, rest []byte, d verdict) {
	space := scan.LeadingSpace(b)
	if space > maxHeader {
		return 0, nil, isData
	}
	b = b[space:]
	m, n, v := structure.matchAt(b, w.Final)
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
	case w.Final && (len(b) == 0 || isPartialMark(b)):
		return atEnd, nil, isEnd
	}
	return 0, nil, isData
}
