package toolblock

import (
	"slices"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// object is a JSON body that is being read: a call object, or an array of them.
// All places are absolute offsets in the session.
type object struct {
	walk     scan.Walk
	array    bool // the object stands in an array
	notACall bool // well-formed so far, but no call
	role     role

	from abi.RawOffset // where the object begins
	// heldFrom is where the bytes begin that go with the block's first call; nowhere
	// behind it.
	heldFrom abi.RawOffset
	key      abi.RawOffset // where the key begins that is being scanned
	name     span
	args     span
	id       span
	text     bool          // the arguments stand in a JSON string
	inText   abi.RawOffset // how far that string was searched for its object

	// While the JSON is not whole, the first block closer in it may turn out to
	// be the block's end, and so may the first escape.
	searched abi.RawOffset
	closer   abi.RawOffset
	escape   abi.RawOffset

	nameReading, argsReading uint8

	brackets       scan.Brackets // of a body that broke, up to bracketsRead
	bracketsRead   abi.RawOffset
	brokenSearched abi.RawOffset // no marker that ends broken arguments begins before here
}

// span is a part of the raw text. What was emitted of it moves its from along.
type span struct {
	from, to     abi.RawOffset
	begun, whole bool
}

// nowhere is the place of a marker that was not seen.
const nowhere = ^abi.RawOffset(0)

// role is what a member of a call object means.
type role uint8

const (
	other role = iota
	nameRole
	argsRole
	idRole
)

// startBody starts on a body.
func (o *object) startBody(array bool, at abi.RawOffset) {
	o.walk.StartLenient(array)
	o.array = array
	o.heldFrom = nowhere
	o.startObject(at)
}

// startObject starts on an object that follows behind place at.
func (o *object) startObject(at abi.RawOffset) {
	*o = object{walk: o.walk, array: o.array, heldFrom: o.heldFrom, searched: at, closer: nowhere, escape: nowhere}
}

// readObject reads a JSON body. The window holds the bytes that are still needed;
// w.Scanned says how far the scan got.
func (b *Block) readObject(w *sdk.Window) progress {
	o := &b.object
	for {
		n, s := o.walk.Next(w.Bytes(), w.Scanned)
		w.Scanned = n
		here := w.Offset() + abi.RawOffset(n)
		switch s {
		case scan.ObjectBegins:
			o.from = here
		case scan.KeyBegins:
			o.key = here + 1
		case scan.KeyEnds:
			o.assignRole(w.Bytes()[o.key-w.Offset():n-1], &b.g.Members)
		case scan.ValueBegins:
			b.beginMember(w, w.Bytes()[n])
		case scan.ValueEnds:
			b.endMember(w)
		case scan.ObjectEnds:
			b.endObject(w)
		case scan.WalkMore:
			b.findObjectInText(w)
			return b.emitCertainObject(w)
		case scan.WalkBad:
			return b.dropBrokenBody(w)
		case scan.WalkEnd:
			if b.marker > 0 {
				return b.refuse()
			}
			w.Skip(n)
			w.Scanned = 0
			return b.goTo(atBodyEnd)
		}
	}
}

// emitCertainObject lets go of what is certain of a body that is not whole.
func (b *Block) emitCertainObject(w *sdk.Window) progress {
	o := &b.object
	b.recordMarkers(w)
	if w.Final && (o.closer != nowhere || o.escape != nowhere) {
		return b.dropBrokenBody(w)
	}
	b.emitCertainArguments(w)
	if b.marker > 0 && o.heldTooLong(w) {
		return b.refuse()
	}
	if w.InCall() && o.role == argsRole && o.walk.InPlainString() {
		w.Watch(abi.Args, b.set.argsWatch)
	}
	return needInput
}

// assignRole sees what a member means. Of members that mean the same the first
// counts.
func (o *object) assignRole(key []byte, m *Members) {
	o.role = other
	switch {
	case string(key) == m.Name && !o.name.begun:
		o.role = nameRole
	case slices.Contains(m.Arguments, string(key)) && !o.args.begun:
		o.role = argsRole
	case len(key) > 0 && string(key) == m.ID && !o.id.begun:
		o.role = idRole
	}
}

// beginMember takes the first byte of a value. A name that is no string and
// arguments that are neither an object nor a string that holds one make no call.
func (b *Block) beginMember(w *sdk.Window, c byte) {
	o, here := &b.object, w.Offset()+abi.RawOffset(w.Scanned)
	switch {
	case o.role == other:
	case o.role == idRole:
		if c == '"' {
			o.id = span{from: here + 1, begun: true}
		}
	case o.role == nameRole && (c == '"' || c == '\''):
		o.name = span{from: here + 1, begun: true}
		o.nameReading = stringReading(c)
	case o.role == argsRole && c == '{':
		o.args = span{from: here, begun: true}
		b.emitCallIfCertain(w)
	case o.role == argsRole && (c == '"' || c == '\''):
		o.args = span{from: here + 1, begun: true}
		o.text, o.inText, o.argsReading = true, here+1, stringReading(c)
	default:
		o.notACall = true
	}
}

// stringReading is how the body of a string between such marks is read.
func stringReading(mark byte) uint8 {
	if mark == '"' {
		return abi.ReadJSONBody
	}
	return abi.ReadPythonBody
}

// endMember takes a value that is whole.
func (b *Block) endMember(w *sdk.Window) {
	b.findObjectInText(w)
	o := &b.object
	end := w.Offset() + abi.RawOffset(w.Scanned)
	switch o.role {
	case nameRole:
		o.name.to, o.name.whole = end-1, true
		o.notACall = o.notACall || o.name.to == o.name.from
		b.emitCallIfCertain(w)
	case argsRole:
		o.args.to, o.args.whole = end, true
		if o.text {
			o.args.to--
		}
	case idRole:
		if o.id.begun && end-o.from <= idPatience {
			o.id.to, o.id.whole = end-1, true
			b.emitCallIfCertain(w)
		}
	}
}

// findObjectInText looks for the object in arguments that stand in a JSON string.
func (b *Block) findObjectInText(w *sdk.Window) {
	o := &b.object
	if o.role != argsRole || !o.text || o.inText == nowhere {
		return
	}
	p := w.Bytes()[:w.Scanned]
	i := int(o.inText - w.Offset())
	i += scan.LeadingSpace(p[i:])
	o.inText = w.Offset() + abi.RawOffset(i)
	if i == len(p) {
		return
	}
	o.inText = nowhere
	o.notACall = o.notACall || p[i] != '{'
	b.emitCallIfCertain(w)
}

// emitCallIfCertain emits the call once its name and the beginning of its arguments are known.
func (b *Block) emitCallIfCertain(w *sdk.Window) {
	o := &b.object
	o.notACall = o.notACall || o.heldTooLong(w)
	if o.notACall || w.InCall() || !o.name.whole || !o.args.begun || o.text && o.inText != nowhere || b.awaitsID(w) {
		return
	}
	b.emitCall(w)
}

// awaitsID says whether an id may yet come. The host sends it with a call's
// first part, so the arguments wait for it.
func (b *Block) awaitsID(w *sdk.Window) bool {
	o := &b.object
	return b.g.Members.ID != "" && !o.id.whole && w.Offset()+abi.RawOffset(w.Scanned)-o.from <= idPatience
}

// idPatience is how many bytes of an object are held for an id behind its
// arguments. A later id is none.
const idPatience = 64 << 10

// emitCall emits the call, and its id if there is one.
func (b *Block) emitCall(w *sdk.Window) {
	o, off := &b.object, w.Offset()
	o.heldFrom, b.marker, b.lead = nowhere, 0, 0
	w.Call(int(o.name.from-off), int(o.name.to-o.name.from), o.nameReading)
	if o.id.whole && o.id.from < o.id.to {
		w.CallID(int(o.id.from-off), int(o.id.to-o.id.from), abi.ReadJSONBody)
	}
}

// heldTooLong says whether a call that was not emitted yet is held for too long.
func (o *object) heldTooLong(w *sdk.Window) bool {
	from := min(o.heldFrom, nowhere)
	if o.name.begun {
		from = min(from, o.name.from)
	}
	if o.args.begun {
		from = min(from, o.args.from)
	}
	return !w.InCall() && from != nowhere && w.Offset()+abi.RawOffset(w.Scanned)-from > maxHeld
}

// endObject completes a call whose object is whole; markers in it were data.
// Without arguments it is a call all the same.
func (b *Block) endObject(w *sdk.Window) {
	o := &b.object
	end := w.Offset() + abi.RawOffset(w.Scanned)
	o.searched, o.closer, o.escape = end, nowhere, nowhere
	o.notACall = o.notACall || o.heldTooLong(w)
	if !o.notACall && o.name.whole && !w.InCall() {
		b.emitCall(w)
	}
	o.notACall = o.notACall || !w.InCall()
	b.emitCertainArguments(w)
	if o.notACall {
		w.Note(noteBroken)
	} else {
		w.CallEnd()
	}
	o.startObject(end)
}

// emitCertainArguments emits what is certain of the arguments and lets go of the bytes that
// nothing needs any more.
func (b *Block) emitCertainArguments(w *sdk.Window) {
	o, off := &b.object, w.Offset()
	b.emitCallIfCertain(w)
	limit := min(off+abi.RawOffset(w.Scanned), o.searched, o.closer, o.escape, o.heldFrom)
	o.notACall = o.notACall || o.heldTooLong(w)
	if o.walk.InKey() {
		limit = min(limit, o.key)
	}
	switch {
	case o.notACall:
	case !w.InCall():
		if o.name.begun {
			limit = min(limit, o.name.from)
		}
		if o.args.begun {
			limit = min(limit, o.args.from)
		}
		if o.id.begun {
			limit = min(limit, o.id.from)
		}
	case o.args.begun:
		to := limit
		if o.args.whole {
			to = min(to, o.args.to)
		}
		// A watched run may have been left out: it is emitted already.
		if from := max(o.args.from, off); from < to {
			w.Args(int(from-off), int(to-from), o.argsReading)
			o.args.from = to
		}
	}
	w.Skip(int(limit - off))
}

// recordMarkers looks in what was scanned for the first block closer and the first
// escape.
func (b *Block) recordMarkers(w *sdk.Window) {
	o, off := &b.object, w.Offset()
	p := w.Bytes()[:w.Scanned]
	for from := int(max(o.searched, off) - off); ; from++ {
		at, id, v := b.set.rescue.Find(p, from, false)
		from, o.searched = at, off+abi.RawOffset(at)
		for _, seen := range [...]*abi.RawOffset{&o.closer, &o.escape} {
			if *seen != nowhere && o.searched-*seen > maxHeld {
				*seen = nowhere
			}
		}
		switch {
		case v != scan.Yes:
			return
		case b.set.rescue.means[id] == closesBlock:
			o.closer = min(o.closer, o.searched)
		default:
			o.escape = min(o.escape, o.searched)
		}
	}
}

// dropBrokenBody drops a body that is no JSON call. Its end is the first block closer
// from the opener on, whether a string seemed to be open there or not: so an
// unterminated string costs one call, not the rest of the turn.
func (b *Block) dropBrokenBody(w *sdk.Window) progress {
	b.recordMarkers(w)
	b.emitCertainArguments(w)
	if b.marker > 0 && !b.object.name.whole {
		return b.refuse()
	}
	if b.endsBrokenCall(w) {
		return b.enterBrokenArguments(w)
	}
	if o := &b.object; o.array && o.walk.Brackets().Depth == 1 && w.Bytes()[w.Scanned] == '}' { // one that is too many
		w.Skip(w.Scanned + 1)
		w.Scanned = 0
		o.walk.ResumeBehindElement()
		o.startObject(w.Offset())
		return b.goTo(atObject)
	}
	w.Note(noteBroken)
	w.CallDrop()
	b.marker, b.lead = 0, 0
	o, off, end := &b.object, w.Offset(), blockOver
	switch {
	case o.closer != nowhere:
		w.Skip(int(o.closer-off) + len(b.g.Close))
	case o.escape != nowhere:
		w.Skip(int(o.escape - off))
	case b.g.Close == "":
		return b.enterBroken(w)
	default:
		w.Skip(int(o.searched - off))
		end = b.goTo(atJunk)
	}
	w.Scanned = 0
	return end
}

// endsBrokenCall says whether a body that broke holds a call for the host to judge: its
// name is there, and its arguments have begun. It then emits the call, if it was not.
func (b *Block) endsBrokenCall(w *sdk.Window) bool {
	o := &b.object
	if o.notACall || !o.name.whole || !o.args.begun || o.text && !o.args.whole || o.escape < o.closer {
		return false
	}
	if !w.InCall() {
		b.emitCall(w)
		b.emitCertainArguments(w)
	}
	return true
}

// enterBrokenArguments goes on with the arguments of such a call, up to where their
// brackets close or the block does, or ends it where they are whole.
func (b *Block) enterBrokenArguments(w *sdk.Window) progress {
	o := &b.object
	o.bracketsRead, o.brackets = w.Offset()+abi.RawOffset(w.Scanned), o.walk.Brackets()
	if o.array {
		o.brackets.Depth--
	}
	if o.args.whole {
		w.CallEnd()
		w.Scanned = 0
		return b.goTo(atObjectRest)
	}
	o.brackets.Depth--
	return b.goTo(atUnsound)
}

// readBrokenArguments emits the rest of arguments that are no JSON, as they stand.
func (b *Block) readBrokenArguments(w *sdk.Window) progress {
	o, p := &b.object, w.Bytes()
	if o.closer != nowhere { // in a string that was not closed
		at := int(o.closer - w.Offset())
		b.endUnsoundCall(w, at, at+len(b.g.Close))
		return blockOver
	}
	searched := int(max(o.brokenSearched, w.Offset()) - w.Offset())
	at, id, v := b.set.broken.Find(p, searched, w.Final)
	o.brokenSearched = w.Offset() + abi.RawOffset(at)
	if from := int(max(o.bracketsRead, w.Offset()) - w.Offset()); from < at {
		n, closed := o.brackets.Scan(p[from:at])
		o.bracketsRead = w.Offset() + abi.RawOffset(from+n)
		if closed {
			b.endUnsoundCall(w, from+n, from+n)
			o.bracketsRead, o.brackets = w.Offset(), scan.Brackets{Depth: 1}
			return b.goTo(atObjectRest)
		}
	}
	switch {
	case v != scan.Yes:
		if n := scan.TrimmedLen(p[searched:at]); n > 0 { // before it there is white space that waits
			w.Args(0, searched+n, 0)
			w.Skip(searched + n)
		}
		return needInput
	case b.set.broken.means[id] == closesBlock:
		b.endUnsoundCall(w, at, at+b.set.broken.Len(id))
		return blockOver
	}
	w.Args(0, scan.TrimmedLen(p[:at]), 0)
	w.Note(noteBroken)
	w.CallDrop()
	w.Skip(at)
	return b.takeMarker(w, b.set.broken, id)
}

// endUnsoundCall ends a call with the n bytes of its arguments that are left, and goes on
// at place next.
func (b *Block) endUnsoundCall(w *sdk.Window, n, next int) {
	if n = scan.TrimmedLen(w.Bytes()[:n]); n > 0 {
		w.Args(0, n, 0)
	}
	w.CallUnsound(0, 0)
	w.Skip(next)
	w.Scanned = 0
}

// enterBroken skips what is left of a body that broke and has no closer.
func (b *Block) enterBroken(w *sdk.Window) progress {
	o := &b.object
	o.bracketsRead, o.brackets = w.Offset()+abi.RawOffset(w.Scanned), o.walk.Brackets()
	w.Skip(int(o.searched - w.Offset()))
	w.Scanned = 0
	return b.goTo(atBroken)
}

// skipBrokenBody skips what is left of a body that broke and has no closer.
func (b *Block) skipBrokenBody(w *sdk.Window) progress {
	return b.skipBrackets(w, func() progress { return blockOver })
}

// skipObjectRest skips what is left of a call object that broke. Objects behind it in an
// array are calls like any other.
func (b *Block) skipObjectRest(w *sdk.Window) progress {
	return b.skipBrackets(w, func() progress {
		if b.object.array {
			b.object.walk.ResumeBehindElement()
			b.object.startObject(w.Offset())
			return b.goTo(atObject)
		}
		return b.goTo(atBodyEnd)
	})
}

// leaveBody goes on behind a body. Without a closer of its own it ends with its brackets,
// and those behind it that are too many.
func (b *Block) leaveBody(w *sdk.Window) progress {
	if b.g.Close != "" {
		return b.goTo(atJunk)
	}
	p, n := w.Bytes(), 0
	for n < len(p) && (p[n] == '}' || p[n] == ']') {
		n++
	}
	w.Skip(n)
	if n == len(p) {
		return needInput
	}
	return blockOver
}

// skipBrackets skips to where the brackets close that were open where the body broke, and
// goes on with closed there.
func (b *Block) skipBrackets(w *sdk.Window, closed func() progress) progress {
	o, p := &b.object, w.Bytes()
	at, id, v := b.set.broken.Find(p, 0, w.Final)
	if from := int(max(o.bracketsRead, w.Offset()) - w.Offset()); from < at {
		n, done := o.brackets.Scan(p[from:at])
		o.bracketsRead = w.Offset() + abi.RawOffset(from+n)
		if done {
			w.Skip(from + n)
			w.Scanned = 0
			return closed()
		}
	}
	w.Skip(at)
	if v != scan.Yes {
		return needInput
	}
	return b.takeMarker(w, b.set.broken, id)
}
