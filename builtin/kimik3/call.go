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
	Close:  texts(closeJSON),
	Break:  []string{open + "call ", open + " call "},
	Strict: true,
})

// What the operator is told of calls that were dropped.
const (
	noteBody = "a tool call was dropped: its body is neither arguments nor a json block"
	noteCut  = "a tool call was dropped: the text ended inside it"
	noteName = "a tool call was dropped: its header has no name"
)

// call opens the call whose header the window begins with.
func (p *parser) call(w *sdk.Window, h header) {
	b := w.Bytes()
	p.mute = h.tool.n == 0
	if p.mute {
		w.Note(noteName)
	} else {
		w.Call(h.tool.at, h.tool.n, abi.ReadQuotAmp)
		w.CallIDLiteral(h.id(b))
	}
	w.Skip(h.n)
	p.whole, p.void = false, false
	p.state = inBody
}

// inBody reads what stands between a call's arguments.
func (p *parser) inBody(w *sdk.Window) bool {
	b := w.Bytes()
	space := scan.LeadingSpace(b)
	b = b[space:]
	m, n, v := structure.at(b, w.Final)
	switch {
	case v == scan.Wait:
		if space > maxHeader {
			p.broken(w)
			return true
		}
		return false
	case v == scan.No && w.Final && (len(b) == 0 || isCut(b)):
		p.cut(w, len(b) == 0 || len(b) > 2 && b[2] == closer[2])
		return false
	case v == scan.No:
		p.broken(w)
		return true
	}
	switch m {
	case headArgument, headJSON:
		return p.part(w, space, n, m)
	case closeCall:
		w.Skip(space + n)
		p.close(w)
	case closeTools, closeMessage, endMark, headCall:
		p.close(w)
	default:
		if !p.leaves(m) {
			p.broken(w)
			return true
		}
		p.close(w)
	}
	return true
}

// close completes the call.
func (p *parser) close(w *sdk.Window) {
	if w.InCall() {
		w.CallEnd()
	}
	p.leave()
}

// leave goes on behind a call.
func (p *parser) leave() {
	p.state = inProse
	if p.tools {
		p.state = inTools
	}
}

// broken drops a call whose body is not what the grammar asks.
func (p *parser) broken(w *sdk.Window) {
	if w.InCall() {
		w.Note(noteBody)
	}
	w.CallDrop()
	p.state = inTools
}

// cut settles a call whose text has ended between its arguments.
func (p *parser) cut(w *sdk.Window, closed bool) {
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

// part reads the header of an argument or of the json block, which stands behind
// white space.
func (p *parser) part(w *sdk.Window, space, head int, m mark) bool {
	b := w.Bytes()[space:]
	h, v := readHeader(b, head, w.Final)
	switch {
	case v == scan.Wait:
		return false
	case v == scan.No && w.Final && openEnded(b, head):
		p.cut(w, false)
		return false
	case v == scan.No, p.void, m == headJSON && p.whole, m == headArgument && !h.key.given:
		p.broken(w)
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

// atKey says the argument's key, unless the same key comes again soon: the last
// value counts, and what was said can't be taken back.
func (p *parser) atKey(w *sdk.Window) bool {
	h := &p.value.header
	again, v := p.again(w)
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

// patience is how far a repeated key is looked for.
const patience = 512

// again looks for an argument of the same key behind this one.
func (p *parser) again(w *sdk.Window) (bool, scan.Verdict) {
	v := &p.value
	b := w.Bytes()
	limit := v.header.n + patience
	short := len(b) < limit && !w.Final
	if len(b) > limit {
		b = b[:limit]
	}
	for {
		at, _, n, found := argumentEnd.find(b, v.ahead, !short)
		v.ahead = at
		if found != scan.Yes {
			return false, wait(short)
		}
		next := at + n
		next += scan.LeadingSpace(b[next:])
		m, head, found := structure.at(b[next:], !short)
		switch {
		case found == scan.Wait:
			return false, scan.Wait
		case found == scan.Yes && m == headArgument:
			h, found := readHeader(b[next:], head, !short)
			switch {
			case found == scan.Wait:
				return false, scan.Wait
			case found == scan.Yes && string(h.key.of(b[next:])) == string(v.header.key.of(b)):
				return true, scan.Yes
			}
		case found == scan.Yes && m == closeCall:
			return false, scan.Yes
		}
		v.ahead = next
	}
}

func wait(short bool) scan.Verdict {
	if short {
		return scan.Wait
	}
	return scan.Yes
}

var argumentEnd = newMarkSet(closeArgument)
