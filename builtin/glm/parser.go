package glm

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/jsonbody"
	"github.com/turnkey-parsers/turnkey/builtin/internal/param"
	"github.com/turnkey-parsers/turnkey/builtin/internal/toolname"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// maxHeader is the longest name or key, and the longest run of white space
// between the parts of a call, in bytes: what is longer is none.
const maxHeader = 1024

type state uint8

const (
	inProse  state = iota
	atName         // after a call's opener
	inBody         // between a call's pairs
	atKey          // behind a key's opener
	inValue        // in a value
	inObject       // in arguments that are a JSON object
	inJunk         // in what is left of a block whose call broke
)

// parser reads one session in native mode.
type parser struct {
	start   abi.Channel
	grammar *prose.Grammar
	prose   prose.Machine
	state   state
	tools   []string
	keys    param.Declared
	object  jsonbody.Body
	refused int // openers in prose whose closers have not come
	pairs   int // how many pairs the call has
	value   value
	remains remains
}

// Channel implements sdk.Channeler.
func (p *parser) Channel() abi.Channel { return p.start }

// Step implements sdk.Parser.
func (p *parser) Step(w *sdk.Window) {
	for p.readPart(w) {
	}
}

// readPart goes on to the next state. It answers false when it needs more input.
func (p *parser) readPart(w *sdk.Window) bool {
	more := false
	switch p.state {
	case inProse:
		return p.readProse(w)
	case atName:
		more = p.readName(w)
	case inBody:
		more = p.readBody(w)
	case atKey:
		more = p.readKey(w)
	case inValue:
		more = p.readValue(w)
	case inObject:
		more = p.readObject(w)
	default:
		more = p.skipJunk(w)
	}
	if !more && w.Final {
		return p.endText(w)
	}
	return more
}

// What the operator is told of calls that were dropped.
const (
	noteCut  = "a tool call was dropped: the text ended inside it"
	noteBody = "a tool call was dropped: its body is not made of keys and values"
)

// endText drops what the text's end left of a call. An opener without a name is prose.
func (p *parser) endText(w *sdk.Window) (more bool) {
	switch {
	case p.state == atName:
		return p.refuse(w)
	case p.state == inBody && w.InCall() && w.Reason == abi.FinishUserStop:
		w.CallEnd() // the stop string was the call's closer
	case w.InCall():
		w.Note(noteCut)
	}
	w.CallDrop()
	w.Skip(w.Len())
	return false
}

// refuse makes prose of a call's opener, behind which no name stands.
func (p *parser) refuse(w *sdk.Window) bool {
	p.refused++
	p.state = inProse
	p.emitProse(w, len(callOpen))
	return true
}

// emitProse consumes n bytes in the channel that is open.
func (p *parser) emitProse(w *sdk.Window, n int) {
	if p.prose.Thought {
		w.Reasoning(n)
	} else {
		w.Text(n)
	}
}

func (p *parser) readProse(w *sdk.Window) bool {
	id, ok := p.prose.Next(w)
	switch {
	case !ok:
		return false
	case id == 0:
		p.state = atName
		return true
	case id <= len(strays):
		p.readStray(w, p.grammar.Call(id))
		return true
	}
	n := len(p.grammar.Call(id)) - len(keyOpen)
	if prev := w.PrevRune(); prev < 0x80 && !isName(byte(prev)) {
		p.emitCall(w, 0, len(bytes.TrimSuffix(w.Bytes()[:n], []byte("\n"))))
		return true
	}
	p.refused++
	p.emitProse(w, n+len(keyOpen)) // the end of a word, and a stray opener
	return true
}

// readStray reads a tag that belongs to no call: an opener is prose, and a closer too
// where such an opener stands before it. Others are taken out.
func (p *parser) readStray(w *sdk.Window, tag string) {
	switch {
	case tag == keyOpen || tag == valueOpen:
		p.refused++
	case p.refused == 0:
		w.Skip(len(tag))
		return
	default:
		p.refused--
	}
	p.emitProse(w, len(tag))
}

// emitCall opens the call whose name, of n bytes, stands at place at of the window.
func (p *parser) emitCall(w *sdk.Window, at, n int) {
	w.Call(at, n, 0)
	p.keys.Start(w.Bytes()[at : at+n])
	w.Skip(at + n)
	p.pairs, p.refused = 0, 0
	p.state = inBody
}

// matchTag looks for a tag that b begins with, behind white space.
func (p *parser) matchTag(b []byte, final bool) (space, id int, v scan.Verdict) {
	space = leadingSpace(b)
	if string(b[space:]) == `\` && !final {
		return space, 0, scan.Wait
	}
	id, v = tags.MatchPrefix(b[space:], final)
	switch {
	case space > maxHeader, v == scan.Yes && id == isEndThink && !p.prose.Thought:
		v = scan.No
	}
	return space, id, v
}

// leadingSpace is the number of bytes of white space that b begins with, a line feed
// that is written as an escape included.
func leadingSpace(b []byte) int {
	n := 0
	for n < len(b) {
		switch {
		case scan.IsSpace(b[n]):
			n++
		case len(b)-n > 1 && b[n] == '\\' && b[n+1] == 'n':
			n += 2
		default:
			return n
		}
	}
	return n
}

// readName reads a call's name, which a tag or a JSON object must follow. Anything else
// makes no call.
func (p *parser) readName(w *sdk.Window) bool {
	b := w.Bytes()[len(callOpen):]
	space := leadingSpace(b)
	n, offered := toolname.Longest(b[space:], p.tools, w.Final)
	if offered != scan.Yes {
		n = nameLen(b[space:])
	}
	behind := space + n
	if offered == scan.Wait || behind == len(b) && len(b) < maxHeader {
		return false
	}
	gap, id, v := p.matchTag(b[behind:], w.Final)
	switch {
	case v == scan.Wait && behind < maxHeader:
		return false
	case n == 0, v == scan.Yes && (id == isCallOpen || id == isEndThink) && offered != scan.Yes:
	case v == scan.Yes:
		p.emitCall(w, len(callOpen)+space, n)
		return true
	default:
		at, v := p.findObject(b[behind+gap:], offered == scan.Yes, w.Final)
		switch {
		case gap+at > maxHeader:
		case v == scan.Wait && behind < maxHeader:
			return false
		case v == scan.Yes:
			p.emitCall(w, len(callOpen)+space, n)
			w.Skip(gap + at)
			p.startObject()
			return true
		}
	}
	return p.refuse(w)
}

// findObject asks whether the arguments follow a name as a JSON object, behind ">" or,
// if the tool was offered, directly. at is its place.
func (p *parser) findObject(b []byte, offered, final bool) (at int, v scan.Verdict) {
	if len(b) > 0 && b[0] == '>' {
		at = 1 + scan.LeadingSpace(b[1:])
	}
	switch {
	case at == len(b) && !final:
		return at, scan.Wait
	case at == len(b) || b[at] != '{' || at == 0 && !offered:
		return 0, scan.No
	}
	return at, scan.Yes
}

// startObject goes on with arguments that are a JSON object.
func (p *parser) startObject() {
	p.state = inObject
	thought := 0
	if p.prose.Thought {
		thought = 1
	}
	p.object.Start(bodies[thought], false)
}

// readObject reads such arguments.
func (p *parser) readObject(w *sdk.Window) bool {
	_, done := p.object.Next(w)
	if done {
		p.state = inProse
	}
	return done
}

// skipJunk skips to where something new begins.
func (p *parser) skipJunk(w *sdk.Window) bool {
	at, id, v := tags.Find(w.Bytes(), 0, w.Final)
	w.Skip(at)
	if v != scan.Yes {
		return false
	}
	switch {
	case id == isCallOpen:
		p.state = atName
		return true
	case id == isCallClose:
		p.state = inProse
	case id == isEndThink && p.prose.Thought:
		p.state = inProse
		return true
	}
	w.Skip(tags.Len(id))
	return true
}

// readBody reads what stands between a call's pairs. Stray closers are skipped.
func (p *parser) readBody(w *sdk.Window) bool {
	space, id, v := p.matchTag(w.Bytes(), w.Final)
	b := w.Bytes()[space:]
	switch {
	case v == scan.Wait:
		return false
	case v == scan.No && w.Final && p.pairs > 0 && isPartialMarker(b):
		w.CallEnd()
		return false
	case v == scan.No && (!w.Final || len(b) > 0):
		p.dropBrokenCall(w)
		return true
	case v == scan.No:
		return false
	}
	n := tags.Len(id)
	switch id {
	case isCallClose:
		w.CallEnd()
		p.state = inProse
	case isKeyOpen:
		p.state = atKey
	case isValueOpen: // its key was lost
		p.state = inValue
		p.value.startValue(true)
	case isCallOpen, isEndThink:
		n = 0
		if p.pairs > 0 {
			w.CallEnd()
		}
		w.CallDrop()
		p.state = inJunk
	}
	w.Skip(space + n)
	w.Scanned = 0
	return true
}

// dropBrokenCall drops a call whose body is not what the grammar asks.
func (p *parser) dropBrokenCall(w *sdk.Window) {
	w.Note(noteBody)
	w.CallDrop()
	p.state = inJunk
}

// isPartialMarker says whether b, which the text's end cut, is nothing or the beginning of
// a tag that ends the call.
func isPartialMarker(b []byte) bool {
	return len(b) == 0 || scan.Prefix(b, callClose, false) == scan.Wait || scan.Prefix(b, callOpen, false) == scan.Wait
}

// readKey reads a key, up to where its value begins. The key's closer may be
// missing or doubled, and the value's opener missing.
func (p *parser) readKey(w *sdk.Window) bool {
	b := w.Bytes()
	end := bytes.IndexByte(b, '<')
	switch {
	case end < 0 && len(b) > maxHeader, end > maxHeader:
		p.dropBrokenCall(w)
		return true
	case end < 0:
		return false
	}
	from := scan.LeadingSpace(b[:end])
	key := max(from, scan.TrimmedLen(b[:end]))
	id, i, v := p.findValueOpener(b, end, w.Final)
	switch {
	case v == scan.Wait:
		return false
	case i == end && id != isValueOpen, key == from:
		p.dropBrokenCall(w)
		return true
	}
	switch id {
	case isValueOpen:
		i += len(valueOpen)
	case isKeyOpen, isCallOpen, isCallClose, isEndThink: // there is no value
		w.Skip(i)
		p.state = inBody
		return true
	}
	w.Key(from, key-from, 0)
	p.keys.Give(b[from:key])
	w.Skip(i)
	w.Scanned = 0
	p.value.startValue(false)
	p.state = inValue
	return true
}

// findValueOpener looks from a key's end on, at place i, for what follows its closers and
// white space: it gives the place, and the tag there or -1.
func (p *parser) findValueOpener(b []byte, i int, final bool) (id, at int, v scan.Verdict) {
	for {
		space := leadingSpace(b[i:])
		if i+space == len(b) && final || space > maxHeader {
			return -1, i + space, scan.No
		}
		i += space
		if string(b[i:]) == `\` && !final {
			return 0, i, scan.Wait
		}
		id, v = tags.MatchPrefix(b[i:], final)
		switch {
		case v == scan.Wait:
			return 0, i, v
		case v == scan.No:
			return -1, i, v
		case id != isKeyClose || i > 8*maxHeader:
			return id, i, v
		}
		i += len(keyClose)
	}
}

// nameLen is the length of the name that b begins with.
func nameLen(b []byte) int {
	n := 0
	for n < len(b) && isName(b[n]) {
		n++
	}
	return n
}

func isName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '-'
}
