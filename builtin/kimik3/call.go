package kimik3

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/jsonbody"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// jsonBlock is what ends a call's json block. One that is no JSON object makes
// the call void.
var jsonBlock = jsonbody.Compile(jsonbody.Markers{
	Close:  markTexts(closeJSON),
	Break:  []string{open + "call ", open + " call "},
	Strict: true,
})

// What the operator is told of calls that were dropped.
const (
	noteBody = "a tool call was dropped: its body is neither arguments nor a json block"
	noteCut  = "a tool call was dropped: the text ended inside it"
)

// emitCall opens the call whose header stands at place at of the window.
func (p *parser) emitCall(w *sdk.Window, at int, h header) {
	w.Call(at+h.tool.at, h.tool.n, abi.ReadQuotAmp)
	w.CallIDLiteral(h.callID(w.Bytes()[at:]))
	w.Skip(at + h.n)
	p.whole, p.void = false, false
	p.state = inBody
}

// readBody reads what stands between a call's arguments.
func (p *parser) readBody(w *sdk.Window) bool {
	b := w.Bytes()
	space := scan.LeadingSpace(b)
	b = b[space:]
	m, n, v := structure.matchAt(b, w.Final)
	switch {
	case v == scan.Wait:
		if space > maxHeader {
			p.dropBrokenCall(w)
			return true
		}
		return false
	case v == scan.No && w.Final && (len(b) == 0 || isPartialMark(b)):
		p.endCutCall(w, len(b) == 0 || len(b) > 2 && b[2] == closer[2])
		return false
	case v == scan.No:
		p.dropBrokenCall(w)
		return true
	}
	switch m {
	case headArgument, headJSON:
		return p.readBodyPart(w, space, n, m)
	case closeCall:
		w.Skip(space + n)
		p.closeCall(w)
	case closeTools, closeMessage, endMark, headCall:
		p.closeCall(w)
	default:
		if !p.belongsToProse(m) {
			p.dropBrokenCall(w)
			return true
		}
		p.closeCall(w)
	}
	return true
}

// closeCall completes the call.
func (p *parser) closeCall(w *sdk.Window) {
	if w.InCall() {
		w.CallEnd()
	}
	p.leaveCall()
}

// leaveCall goes on behind a call.
func (p *parser) leaveCall() {
	p.state = inProse
	if p.tools {
		p.state = inTools
	}
}

// dropBrokenCall drops a call whose body is not what the grammar asks.
func (p *parser) dropBrokenCall(w *sdk.Window) {
	if w.InCall() {
		w.Note(noteBody)
	}
	w.CallDrop()
	p.state = inTools
}

// endCutCall settles a call whose text has ended between its arguments.
func (p *parser) endCutCall(w *sdk.Window, closed bool) {
	switch {
	case !w.InCall():
	case p.whole && closed:
		w.CallEnd()
	default:
		w.Note(noteCut)
		w.CallDrop()
	}
	w.Skip(w.Len())
}

// readBodyPart reads the header of an argument or of the json block, which stands behind
// white space.
func (p *parser) readBodyPart(w *sdk.Window, space, head int, m mark) bool {
	b := w.Bytes()[space:]
	h, v := readHeader(b, head, w.Final)
	switch {
	case v == scan.Wait:
		return false
	case v == scan.No && w.Final && openEnded(b, head):
		p.endCutCall(w, false)
		return false
	case v == scan.No, p.void, m == headJSON && p.whole, m == headArgument && !h.key.given:
		p.dropBrokenCall(w)
		return true
	}
	if m == headJSON {
		w.Skip(space + h.n)
		p.body.Start(jsonBlock, !w.InCall())
		p.state = inJSON
		return true
	}
	w.Skip(space)
	text := h.isString(b)
	p.value = value{header: h, text: text, json: !text, kept: none, ahead: h.n}
	p.state = atKey
	return true
}

// readKey emits the argument's key, unless the same key comes again soon: the last
// value counts, and what was emitted can't be taken back.
func (p *parser) readKey(w *sdk.Window) bool {
	h := &p.value.header
	again, v := p.keyRepeats(w)
	if v == scan.Wait {
		return false
	}
	p.value.mute = again || !w.InCall()
	if !p.value.mute {
		w.Key(h.key.at, h.key.n, abi.ReadQuotAmp)
	}
	w.Skip(h.n)
	w.Scanned = 0
	p.value.read = w.Offset()
	p.state = inValue
	return true
}

// repetitionRange is how far a repeated key is looked for.
const repetitionRange = 512

// keyRepeats looks for an argument of the same key behind this one.
func (p *parser) keyRepeats(w *sdk.Window) (bool, scan.Verdict) {
	v := &p.value
	b := w.Bytes()
	limit := v.header.n + repetitionRange
	short := len(b) < limit && !w.Final
	if len(b) > limit {
		b = b[:limit]
	}
	for {
		at, _, n, found := argumentEnd.findFrom(b, v.ahead, !short)
		v.ahead = at
		if found != scan.Yes {
			return false, waitIfShort(short)
		}
		next := at + n
		next += scan.LeadingSpace(b[next:])
		m, head, found := structure.matchAt(b[next:], !short)
		switch {
		case found == scan.Wait:
			return false, scan.Wait
		case found == scan.Yes && m == headArgument:
			h, found := readHeader(b[next:], head, !short)
			switch {
			case found == scan.Wait:
				return false, scan.Wait
			case found == scan.Yes && string(h.key.bytesIn(b[next:])) == string(v.header.key.bytesIn(b)):
				return true, scan.Yes
			}
		case found == scan.Yes && m == closeCall:
			return false, scan.Yes
		}
		v.ahead = next
	}
}

func waitIfShort(short bool) scan.Verdict {
	if short {
		return scan.Wait
	}
	return scan.Yes
}

var argumentEnd = newMarkSet(closeArgument)
