package gemma4

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

const (
	// maxKey is how long a key may be, with what stands before its colon.
	maxKey = 1024
	// maxBare is how long a bare value may be and still be a number or a word.
	maxBare = 1024
	// maxDepth is how deep values nest.
	maxDepth = 250
	// maxMute is how deep they nest in a call that has no opener.
	maxMute = 64
	// maxHeld is how much of a body is held back to learn what it is.
	maxHeld = 1<<20 - 1<<16
)

const none = -1

type place uint8

const (
	atStart  place = iota // at the body's "{"
	atKey                 // a key or "}"
	atValue               // a value; in an array also "]"
	inString              // in a value between delimiters
	inDoubt               // behind such a value, in which a call may begin
	inQuoted              // in a value between ordinary quotation marks
	inBare                // in a bare value of which parts were emitted
	atNext                // behind a value
	atEnd                 // behind the body
)

type verdict uint8

const (
	bodyAgain  verdict = iota
	bodyMore           // needs more bytes
	bodyEnd            // whole; Scanned is behind its "}"
	bodyMarker         // a marker of the turn stands at Scanned
	bodyBad            // the byte at Scanned does not fit
)

// body reads a call's arguments, from "{" to "}". It keeps its place in the
// window's Scanned, and consumes what it has emitted.
type body struct {
	marks     *scan.Set
	tools     []string
	place     place
	depth     int
	arrays    [maxDepth/64 + 1]uint64 // by depth: an array, else an object
	mute      bool                    // nothing is emitted or consumed
	emitted   bool                    // a key was emitted, so that the body can't be given as it stands
	inThought bool
	// candidate is where a string holds what may be the next call, or the end of the
	// thought; none. From there on nothing is emitted before the string has closed.
	candidate int
	stringEnd int  // where that string ends
	mark      byte // the quotation mark round the value
}

func (b *body) startBody(marks *scan.Set, tools []string) {
	*b = body{marks: marks, tools: tools, candidate: none}
}

// inString says whether the body breaks off within a string.
func (b *body) inString() bool { return b.place == inString || b.place == inQuoted }

// readBody reads on.
func (b *body) readBody(w *sdk.Window) verdict {
	for {
		var v verdict
		switch b.place {
		case atStart:
			b.openNested(w, false)
		case inString:
			v = b.readString(w)
		case inDoubt:
			v = b.settleDoubt(w)
		case inQuoted:
			v = b.readQuoted(w)
		case inBare:
			v = b.readBareValue(w)
		default:
			v = b.readStructure(w)
		}
		if v != bodyAgain {
			return v
		}
	}
}

// readStructure reads what stands between keys and values.
func (b *body) readStructure(w *sdk.Window) verdict {
	b.consumeBytes(w, scan.LeadingSpace(w.Bytes()[w.Scanned:]))
	p := w.Bytes()[w.Scanned:]
	if len(p) == 0 {
		return bodyMore
	}
	if p[0] == '<' {
		switch id, v := b.marks.MatchPrefix(p, w.Final); {
		case v == scan.Wait:
			return bodyMore
		case v == scan.Yes && id != isDelimiter:
			return bodyMarker
		case v == scan.Yes && b.place == atValue:
			b.consumeBytes(w, len(delimiter))
			b.place = inString
			return bodyAgain
		}
	}
	switch b.place {
	case atKey:
		return b.readKey(w, p)
	case atValue:
		return b.beginValue(w, p)
	}
	return b.readAfterValue(w, p)
}

// readAfterValue reads behind a value.
func (b *body) readAfterValue(w *sdk.Window, p []byte) verdict {
	switch {
	case p[0] == ',':
		b.consumeBytes(w, 1)
		b.expectItem()
	case p[0] == '}' && !b.inArray(), p[0] == ']' && b.inArray():
		return b.closeNested(w)
	default:
		return bodyBad
	}
	return bodyAgain
}

// expectItem goes on with the next member or element.
func (b *body) expectItem() {
	b.place = atKey
	if b.inArray() {
		b.place = atValue
	}
}

func (b *body) inArray() bool { return b.arrays[b.depth/64]>>(b.depth%64)&1 != 0 }

// openNested opens the object or array at Scanned.
func (b *body) openNested(w *sdk.Window, array bool) {
	b.depth++
	bit := uint64(1) << (b.depth % 64)
	b.arrays[b.depth/64] &^= bit
	if array {
		b.arrays[b.depth/64] |= bit
	}
	if b.depth > 1 && !b.mute {
		if array {
			w.OpenArray()
		} else {
			w.OpenObject()
		}
	}
	b.consumeBytes(w, 1)
	b.expectItem()
}

// closeNested closes the innermost object or array at Scanned.
func (b *body) closeNested(w *sdk.Window) verdict {
	b.depth--
	b.place = atNext
	if b.depth > 0 {
		if !b.mute {
			w.Close()
		}
		b.consumeBytes(w, 1)
		return bodyAgain
	}
	b.consumeBytes(w, 1)
	b.place = atEnd
	return bodyEnd
}

// readKey reads a key and its colon, or the object's end.
func (b *body) readKey(w *sdk.Window, p []byte) verdict {
	if p[0] == '}' {
		return b.closeNested(w)
	}
	k, v := matchKey(p, w.Final)
	switch v {
	case scan.Wait:
		return bodyMore
	case scan.No:
		return bodyBad
	}
	if !b.mute {
		w.Key(w.Scanned+k.at, k.n, k.reading)
		b.emitted = true
	}
	b.consumeBytes(w, k.end)
	b.place = atValue
	return bodyAgain
}

// keyText is a key, n bytes at place at, how it is read, and the place behind its colon.
type keyText struct {
	at, n, end int
	reading    uint8
}

// matchKey asks whether p begins with a key and its colon. Keys stand bare, between
// delimiters, or, as in JSON, between quotation marks.
func matchKey(p []byte, final bool) (k keyText, v scan.Verdict) {
	mark := ""
	if len(p) > 0 && p[0] == '<' {
		mark = delimiter
	} else if len(p) > 0 && (p[0] == '"' || p[0] == '\'') {
		mark, k.reading = string(p[:1]), abi.ReadJSONBody
	}
	if v := scan.Prefix(p, mark, final); v != scan.Yes {
		return k, v
	}
	k.at = len(mark)
	for k.at+k.n < len(p) && k.n <= maxKey {
		if mark == "" && !isName(p[k.n]) {
			break
		}
		if mark != "" {
			if v := scan.Prefix(p[k.at+k.n:], mark, final); v == scan.Wait {
				return k, scan.Wait
			} else if v == scan.Yes {
				break
			}
		}
		k.n++
	}
	k.end = k.at + k.n
	if k.end < len(p) {
		k.end += len(mark)
	}
	k.end += scan.LeadingSpace(p[k.end:])
	switch {
	case k.end > maxKey:
		return k, scan.No
	case k.end == len(p) && !final:
		return k, scan.Wait
	case k.n == 0 || k.end == len(p) || p[k.end] != ':':
		return k, scan.No
	}
	k.end++
	return k, scan.Yes
}

// beginValue reads the beginning of a value that is no string.
func (b *body) beginValue(w *sdk.Window, p []byte) verdict {
	switch {
	case p[0] == '{' || p[0] == '[':
		if b.depth >= maxDepth || b.mute && b.depth >= maxMute {
			return bodyBad
		}
		b.openNested(w, p[0] == '[')
		return bodyAgain
	case p[0] == ']' && b.inArray():
		return b.closeNested(w)
	case p[0] == '"' || p[0] == '\'' || p[0] == '`':
		b.mark, b.place = p[0], inQuoted
		b.consumeBytes(w, 1)
		return bodyAgain
	}
	return b.readBareValue(w)
}

// readString reads a value between delimiters.
func (b *body) readString(w *sdk.Window) verdict {
	p := w.Bytes()
	for {
		at, id, v := b.marks.Find(p, w.Scanned, w.Final)
		b.releaseOldCandidate(w, at)
		if v == scan.Yes && id == isDelimiter {
			return b.endString(w, at)
		}
		if v == scan.Yes && b.candidate == none && !b.mute {
			v = b.mayEndCall(p[at:], id, w.Final)
			if v == scan.Yes {
				b.emitStringPart(w, at)
				p, at, b.candidate = w.Bytes(), 0, 0
			}
		}
		w.Scanned = at
		if v == scan.Yes || v == scan.No && at < len(p) {
			w.Scanned++
			continue
		}
		if !b.mute && b.candidate == none {
			b.emitStringPart(w, at)
			w.Watch(abi.Value, stringWatch)
		}
		return bodyMore
	}
}

// stringWatch are the bytes that matter in a string.
var stringWatch = []byte{'<'}

// mayEndCall asks whether p, which begins with marker id of marks, may go on with the
// next call, or ends the thought in which this call stands.
func (b *body) mayEndCall(p []byte, id int, final bool) scan.Verdict {
	switch {
	case id == isOpenCall:
		_, v := matchHeader(p[len(openCall):], b.tools, final)
		return v
	case b.inThought && id == isCloseThought && b.marks.Marker(id) == closeThought:
		return scan.Yes
	}
	return scan.No
}

// emitStringPart emits the next n bytes as a part of the string.
func (b *body) emitStringPart(w *sdk.Window, n int) {
	if n > 0 {
		w.Value(0, n, abi.ReadString|abi.FlagMore)
	}
	w.Skip(n)
}

// releaseOldCandidate lets go of what was held for too long, now that the string was searched
// up to place at: it was data.
func (b *body) releaseOldCandidate(w *sdk.Window, at int) {
	if b.candidate != none && at-b.candidate > maxHeld {
		b.candidate = none
	}
}

// endString ends the string at the delimiter at place at.
func (b *body) endString(w *sdk.Window, at int) verdict {
	w.Scanned = at + len(delimiter)
	switch {
	case b.candidate != none:
		b.stringEnd = at
		b.place = inDoubt
	case b.mute:
		b.place = atNext
	default:
		w.Value(0, at, abi.ReadString)
		b.consumeBytes(w, 0)
		b.place = atNext
	}
	return bodyAgain
}

// settleDoubt reads behind a string in which a call may begin. If the body goes on as
// its grammar asks, that was data.
func (b *body) settleDoubt(w *sdk.Window) verdict {
	p := w.Bytes()
	w.Scanned += scan.LeadingSpace(p[w.Scanned:])
	if w.Scanned == len(p) {
		return bodyMore
	}
	switch c := p[w.Scanned]; {
	case c == ',', c == '}' && !b.inArray(), c == ']' && b.inArray():
		w.Value(0, b.stringEnd, abi.ReadString)
		b.candidate = none
		b.consumeBytes(w, 0)
		b.place = atNext
		return bodyAgain
	}
	return bodyBad
}

// readBareValue reads a value without delimiters.
func (b *body) readBareValue(w *sdk.Window) verdict {
	p := w.Bytes()[w.Scanned:]
	n, v := b.findBareEnd(p, w.Final)
	said := b.place == inBare
	switch {
	case v == bodyBad || v == bodyMarker:
		w.Scanned += n
		return v
	case v == bodyMore && !said && n <= maxBare:
		return v
	case v == bodyMore:
		b.place = inBare
		b.emitValue(w, n, abi.ReadString|abi.FlagTrim|abi.FlagMore)
		return v
	case said:
		b.emitValue(w, n, abi.ReadString|abi.FlagTrim)
	case !b.emitScalar(w, p[:scan.TrimmedLen(p[:n])]):
		return bodyBad
	}
	b.consumeBytes(w, n)
	b.place = atNext
	return bodyAgain
}

// findBareEnd finds the end of a bare value. In an object "]" is part of it.
func (b *body) findBareEnd(p []byte, final bool) (n int, v verdict) {
	for ; n < len(p); n++ {
		switch p[n] {
		case ',', '}':
			return n, bodyAgain
		case ']':
			if b.inArray() {
				return n, bodyAgain
			}
		case '{':
			return n, bodyBad
		case '<':
			switch id, v := b.marks.MatchPrefix(p[n:], final); {
			case v == scan.Wait:
				return n, bodyMore
			case v == scan.Yes && id == isDelimiter:
				return n, bodyBad
			case v == scan.Yes:
				return n, bodyMarker
			}
		}
	}
	return n, bodyMore
}

// emitValue emits n bytes at Scanned as a value, and consumes those of a part.
func (b *body) emitValue(w *sdk.Window, n int, flags uint8) {
	if !b.mute && (n > 0 || flags&abi.FlagMore == 0) {
		w.Value(w.Scanned, n, flags)
	}
	if flags&abi.FlagMore != 0 {
		b.consumeBytes(w, n)
	}
}

// emitScalar says a bare value, the text at Scanned. Nothing is a value in an object
// only.
func (b *body) emitScalar(w *sdk.Window, text []byte) bool {
	switch {
	case len(text) == 0 && b.inArray():
		return false
	case b.mute:
	case isNull(text):
		if string(text) == "null" {
			w.Value(w.Scanned, len(text), abi.ReadJSON)
		} else {
			w.ValueLiteral("null", abi.ReadJSON)
		}
	case isJSON(text):
		w.Value(w.Scanned, len(text), abi.ReadJSON)
	default:
		w.Value(w.Scanned, len(text), abi.ReadString)
	}
	return true
}

func isNull(text []byte) bool {
	switch string(text) {
	case "null", "none", "nil", "None", "NULL", "NIL":
		return true
	}
	return false
}

// isJSON says whether text is a boolean or a number.
func isJSON(text []byte) bool {
	if len(text) == 0 || text[0] != '-' && text[0] != 't' && text[0] != 'f' && (text[0] < '0' || text[0] > '9') {
		return false
	}
	var j scan.JSON
	n, status := j.Scan(text)
	return n == len(text) && status != scan.Bad && j.AtEnd()
}

// consumeBytes goes n bytes on, and consumes what was read, unless it may be needed again:
// where nothing is emitted, and before the first key.
func (b *body) consumeBytes(w *sdk.Window, n int) {
	w.Scanned += n
	if b.mute {
		return
	}
	if w.Scanned > maxKey {
		b.emitted = true
	}
	if b.emitted {
		w.Skip(w.Scanned)
	}
}
