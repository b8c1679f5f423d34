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
	inBare                // in a bare value of which parts were said
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
// window's Scanned, and consumes what it has said.
type body struct {
	marks     *scan.Set
	place     place
	depth     int
	arrays    [maxDepth/64 + 1]uint64 // by depth: an array, else an object
	mute      bool                    // nothing is said or consumed
	said      bool                    // a key was said, so that the body can't be given as it stands
	inThought bool
	// candidate is where a string holds what may be the next call, or the end of the
	// thought; none. From there on nothing is said before the string has closed.
	candidate int
	stringEnd int // where that string ends
}

func (b *body) reset(marks *scan.Set) { *b = body{marks: marks, candidate: none} }

// inString says whether the body breaks off within a string.
func (b *body) inString() bool { return b.place == inString }

// read reads on.
func (b *body) read(w *sdk.Window) verdict {
	for {
		var v verdict
		switch b.place {
		case atStart:
			b.open(w, false)
		case inString:
			v = b.string(w)
		case inDoubt:
			v = b.doubt(w)
		case inBare:
			v = b.bare(w)
		default:
			v = b.structure(w)
		}
		if v != bodyAgain {
			return v
		}
	}
}

// structure reads what stands between keys and values.
func (b *body) structure(w *sdk.Window) verdict {
	b.move(w, scan.LeadingSpace(w.Bytes()[w.Scanned:]))
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
			b.move(w, len(delimiter))
			b.place = inString
			return bodyAgain
		}
	}
	switch b.place {
	case atKey:
		return b.key(w, p)
	case atValue:
		return b.value(w, p)
	}
	return b.next(w, p)
}

// next reads behind a value.
func (b *body) next(w *sdk.Window, p []byte) verdict {
	switch {
	case p[0] == ',':
		b.move(w, 1)
		b.item()
	case p[0] == '}' && !b.array(), p[0] == ']' && b.array():
		return b.shut(w)
	default:
		return bodyBad
	}
	return bodyAgain
}

// item goes on with the next member or element.
func (b *body) item() {
	b.place = atKey
	if b.array() {
		b.place = atValue
	}
}

func (b *body) array() bool { return b.arrays[b.depth/64]>>(b.depth%64)&1 != 0 }

// open opens the object or array at Scanned.
func (b *body) open(w *sdk.Window, array bool) {
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
	b.move(w, 1)
	b.item()
}

// shut closes the innermost object or array at Scanned.
func (b *body) shut(w *sdk.Window) verdict {
	b.depth--
	b.place = atNext
	if b.depth > 0 {
		if !b.mute {
			w.Close()
		}
		b.move(w, 1)
		return bodyAgain
	}
	b.move(w, 1)
	b.place = atEnd
	return bodyEnd
}

// key reads a key and its colon, or the object's end.
func (b *body) key(w *sdk.Window, p []byte) verdict {
	if p[0] == '}' {
		return b.shut(w)
	}
	at, n, end := 0, 0, 0
	if p[0] == '<' {
		var v verdict
		if at, n, v = b.quotedKey(p, w.Final); v != bodyAgain {
			return v
		}
		end = at + n + len(delimiter)
	} else {
		for n < len(p) && isName(p[n]) {
			n++
		}
		end = n
	}
	end += scan.LeadingSpace(p[end:])
	switch {
	case n == 0 || end > maxKey:
		return bodyBad
	case end == len(p):
		return bodyMore
	case p[end] != ':':
		return bodyBad
	}
	if !b.mute {
		w.Key(w.Scanned+at, n, 0)
		b.said = true
	}
	b.move(w, end+1)
	b.place = atValue
	return bodyAgain
}

// quotedKey reads a key between delimiters.
func (b *body) quotedKey(p []byte, final bool) (at, n int, v verdict) {
	if scan.Prefix(p, delimiter, final) != scan.Yes {
		return 0, 0, bodyBad
	}
	at = len(delimiter)
	for at+n < len(p) && n <= maxKey {
		switch scan.Prefix(p[at+n:], delimiter, final) {
		case scan.Yes:
			return at, n, bodyAgain
		case scan.Wait:
			return at, n, bodyMore
		}
		n++
	}
	if n > maxKey {
		return at, n, bodyBad
	}
	return at, n, bodyMore
}

// value reads the beginning of a value that is no string.
func (b *body) value(w *sdk.Window, p []byte) verdict {
	switch {
	case p[0] == '{' || p[0] == '[':
		if b.depth >= maxDepth || b.mute && b.depth >= maxMute {
			return bodyBad
		}
		b.open(w, p[0] == '[')
		return bodyAgain
	case p[0] == ']' && b.array():
		return b.shut(w)
	}
	return b.bare(w)
}

// string reads a value between delimiters.
func (b *body) string(w *sdk.Window) verdict {
	p := w.Bytes()
	for {
		at, id, v := b.marks.Find(p, w.Scanned, w.Final)
		b.forget(w, at)
		if v == scan.Yes && id == isDelimiter {
			return b.stringEnds(w, at)
		}
		if v == scan.Yes && b.candidate == none && !b.mute {
			v = b.begins(p[at:], id, w.Final)
			if v == scan.Yes {
				b.part(w, at)
				p, at, b.candidate = w.Bytes(), 0, 0
			}
		}
		w.Scanned = at
		if v == scan.Yes || v == scan.No && at < len(p) {
			w.Scanned++
			continue
		}
		if !b.mute && b.candidate == none {
			b.part(w, at)
			w.Watch(abi.Value, stringWatch)
		}
		return bodyMore
	}
}

// stringWatch are the bytes that matter in a string.
var stringWatch = []byte{'<'}

// begins asks whether p, which begins with marker id of marks, may go on with the
// next call, or ends the thought in which this call stands.
func (b *body) begins(p []byte, id int, final bool) scan.Verdict {
	switch {
	case id == isOpenCall:
		_, v := header(p[len(openCall):], final)
		return v
	case b.inThought && id == isCloseThought && b.marks.Marker(id) == closeThought:
		return scan.Yes
	}
	return scan.No
}

// part says the next n bytes as a part of the string.
func (b *body) part(w *sdk.Window, n int) {
	if n > 0 {
		w.Value(0, n, abi.ReadString|abi.FlagMore)
	}
	w.Skip(n)
}

// forget lets go of what was held for too long, now that the string was searched
// up to place at: it was data.
func (b *body) forget(w *sdk.Window, at int) {
	if b.candidate != none && at-b.candidate > maxHeld {
		b.candidate = none
	}
}

// stringEnds ends the string at the delimiter at place at.
func (b *body) stringEnds(w *sdk.Window, at int) verdict {
	w.Scanned = at + len(delimiter)
	switch {
	case b.candidate != none:
		b.stringEnd = at
		b.place = inDoubt
	case b.mute:
		b.place = atNext
	default:
		w.Value(0, at, abi.ReadString)
		b.move(w, 0)
		b.place = atNext
	}
	return bodyAgain
}

// doubt reads behind a string in which a call may begin. If the body goes on as
// its grammar asks, that was data.
func (b *body) doubt(w *sdk.Window) verdict {
	p := w.Bytes()
	w.Scanned += scan.LeadingSpace(p[w.Scanned:])
	if w.Scanned == len(p) {
		return bodyMore
	}
	switch c := p[w.Scanned]; {
	case c == ',', c == '}' && !b.array(), c == ']' && b.array():
		w.Value(0, b.stringEnd, abi.ReadString)
		b.candidate = none
		b.move(w, 0)
		b.place = atNext
		return bodyAgain
	}
	return bodyBad
}

// bare reads a value without delimiters.
func (b *body) bare(w *sdk.Window) verdict {
	p := w.Bytes()[w.Scanned:]
	n, v := b.bareEnd(p, w.Final)
	said := b.place == inBare
	switch {
	case v == bodyBad || v == bodyMarker:
		w.Scanned += n
		return v
	case v == bodyMore && !said && n <= maxBare:
		return v
	case v == bodyMore:
		b.place = inBare
		b.say(w, n, abi.ReadString|abi.FlagTrim|abi.FlagMore)
		return v
	case said:
		b.say(w, n, abi.ReadString|abi.FlagTrim)
	case !b.scalar(w, p[:scan.TrimmedLen(p[:n])]):
		return bodyBad
	}
	b.move(w, n)
	b.place = atNext
	return bodyAgain
}

// bareEnd finds the end of a bare value. In an object "]" is part of it.
func (b *body) bareEnd(p []byte, final bool) (n int, v verdict) {
	for ; n < len(p); n++ {
		switch p[n] {
		case ',', '}':
			return n, bodyAgain
		case ']':
			if b.array() {
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

// say says n bytes at Scanned as a value, and consumes those of a part.
func (b *body) say(w *sdk.Window, n int, flags uint8) {
	if !b.mute && (n > 0 || flags&abi.FlagMore == 0) {
		w.Value(w.Scanned, n, flags)
	}
	if flags&abi.FlagMore != 0 {
		b.move(w, n)
	}
}

// scalar says a bare value, the text at Scanned. Nothing is a value in an object
// only.
func (b *body) scalar(w *sdk.Window, text []byte) bool {
	switch {
	case len(text) == 0 && b.array():
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

// move goes n bytes on, and consumes what was read, unless it may be needed again:
// where nothing is said, and before the first key.
func (b *body) move(w *sdk.Window, n int) {
	w.Scanned += n
	if b.mute {
		return
	}
	if w.Scanned > maxKey {
		b.said = true
	}
	if b.said {
		w.Skip(w.Scanned)
	}
}
