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
	array bool
	void  bool // well-formed so far, but no call
	at    place
	role  role
	json  scan.JSON // the key or value that is being scanned

	from   uint32 // where the object begins
	key    uint32 // where the key begins that is being scanned
	name   span
	args   span
	id     span
	text   bool   // the arguments stand in a JSON string
	inText uint32 // how far that string was searched for its object

	// While the JSON is not whole, the first block closer in it may turn out to
	// be the block's end, and so may the first escape.
	searched uint32
	closer   uint32
	escape   uint32

	brackets scan.Brackets // of a body that broke, up to read
	read     uint32
}

// span is a part of the raw text. What was said of it moves its from along.
type span struct {
	from, to     uint32
	begun, whole bool
}

// nowhere is the place of a marker that was not seen.
const nowhere = ^uint32(0)

// place is where in the body the scan stands: what it expects next.
type place uint8

const (
	wantBody    place = iota // "{", or "[" of an array
	wantFirst                // an array's first object or its "]"
	wantObject               // an array's next object
	wantKey                  // a first key or "}"
	wantNextKey              // a key
	inKey
	wantColon
	wantMember
	inMember
	wantComma // or "}"
	wantNext  // in an array: "," or "]"
)

// role is what a member of a call object means.
type role uint8

const (
	other role = iota
	nameRole
	argsRole
	idRole
)

func (o *object) reset(array bool, at uint32) {
	*o = object{array: array, searched: at, closer: nowhere, escape: nowhere}
}

// inObject reads a JSON body. The window holds the bytes that are still needed;
// w.Scanned says how far the scan got.
func (b *Block) inObject(w *sdk.Window) step {
	o := &b.object
	for {
		p := w.Bytes()
		if o.at != inKey && o.at != inMember {
			w.Scanned += scan.Space(p[w.Scanned:])
		}
		if w.Scanned == len(p) {
			break
		}
		whole, ok := b.advance(w)
		if !ok {
			return b.broken(w)
		}
		if whole && b.g.Close == "" {
			return over
		}
		if whole {
			return b.to(atJunk)
		}
	}
	b.rescue(w)
	if w.Final && (o.closer != nowhere || o.escape != nowhere) {
		return b.broken(w)
	}
	b.flush(w)
	if w.InCall() && o.role == argsRole && o.at == inMember && o.json.Quiet() {
		w.Watch(abi.Args, b.set.argsWatch)
	}
	return wait
}

// advance moves the scan by one token, or as far as the window goes. It answers
// whether the body is whole, and false for ok where the grammar breaks.
func (b *Block) advance(w *sdk.Window) (whole, ok bool) {
	o, c := &b.object, w.Bytes()[w.Scanned]
	switch o.at {
	case inKey:
		return false, b.scanKey(w)
	case wantMember:
		b.memberBegins(w, c)
		return false, true
	case inMember:
		return false, b.scanMember(w)
	case wantKey, wantNextKey:
		if c == '"' {
			o.key = w.Offset() + uint32(w.Scanned)
			o.json.Reset()
			o.at = inKey
			return false, true
		}
	}
	next, ok := o.punctuation(c)
	if !ok {
		return false, false
	}
	if next == wantKey {
		o.from = w.Offset() + uint32(w.Scanned)
	}
	w.Scanned++
	o.at = next
	if next == wantNext && c == '}' {
		b.objectEnds(w)
		return !o.array, true
	}
	if c == ']' {
		w.Skip(w.Scanned)
		return true, true
	}
	return false, true
}

// punctuation is what follows a byte between keys and values.
func (o *object) punctuation(c byte) (next place, ok bool) {
	switch {
	case c == '[' && o.at == wantBody && o.array:
		return wantFirst, true
	case c == '{' && (o.at == wantBody && !o.array || o.at == wantFirst || o.at == wantObject):
		return wantKey, true
	case c == ':' && o.at == wantColon:
		return wantMember, true
	case c == ',' && o.at == wantComma:
		return wantNextKey, true
	case c == '}' && (o.at == wantKey || o.at == wantComma):
		return wantNext, true
	case c == ',' && o.at == wantNext:
		return wantObject, true
	case c == ']' && (o.at == wantFirst || o.at == wantNext):
		return wantNext, true
	}
	return 0, false
}

// scanKey reads on in a key and, at its end, sees what the member means. Of
// members that mean the same the first counts.
func (b *Block) scanKey(w *sdk.Window) (ok bool) {
	o := &b.object
	n, state := o.json.Scan(w.Bytes()[w.Scanned:])
	w.Scanned += n
	if state != scan.Done {
		return state == scan.More
	}
	o.at, o.role = wantColon, other
	switch key, m := string(w.Bytes()[o.key+1-w.Offset():w.Scanned-1]), &b.g.Members; {
	case key == m.Name && !o.name.begun:
		o.role = nameRole
	case slices.Contains(m.Arguments, key) && !o.args.begun:
		o.role = argsRole
	case key == m.ID && key != "" && !o.id.begun:
		o.role = idRole
	}
	return true
}

// memberBegins takes the first byte of a value. A name that is no string and
// arguments that are neither an object nor a string that holds one make no call.
func (b *Block) memberBegins(w *sdk.Window, c byte) {
	o, here := &b.object, w.Offset()+uint32(w.Scanned)
	o.json.Reset()
	o.at = inMember
	switch {
	case o.role == other:
	case o.role == idRole:
		if c == '"' {
			o.id = span{from: here + 1, begun: true}
		}
	case o.role == nameRole && c == '"':
		o.name = span{from: here + 1, begun: true}
	case o.role == argsRole && c == '{':
		o.args = span{from: here, begun: true}
		b.call(w)
	case o.role == argsRole && c == '"':
		o.args = span{from: here + 1, begun: true}
		o.text, o.inText = true, here+1
	default:
		o.void = true
	}
}

// scanMember reads on in a value.
func (b *Block) scanMember(w *sdk.Window) (ok bool) {
	o := &b.object
	n, state := o.json.Scan(w.Bytes()[w.Scanned:])
	w.Scanned += n
	if state == scan.Bad {
		return false
	}
	if o.role == argsRole && o.text && o.inText != nowhere {
		b.lookInText(w)
	}
	if state == scan.More {
		return true
	}
	end := w.Offset() + uint32(w.Scanned)
	switch o.role {
	case nameRole:
		o.name.to, o.name.whole = end-1, true
		o.void = o.void || o.name.to == o.name.from
		b.call(w)
	case argsRole:
		o.args.to, o.args.whole = end, true
		if o.text {
			o.args.to--
		}
	case idRole:
		if o.id.begun && end-o.from <= idPatience {
			o.id.to, o.id.whole = end-1, true
			b.call(w)
		}
	}
	o.at = wantComma
	return true
}

// lookInText looks for the object in arguments that stand in a JSON string.
func (b *Block) lookInText(w *sdk.Window) {
	o := &b.object
	p := w.Bytes()[:w.Scanned]
	i := int(o.inText - w.Offset())
	i += scan.Space(p[i:])
	o.inText = w.Offset() + uint32(i)
	if i == len(p) {
		return
	}
	o.inText = nowhere
	o.void = o.void || p[i] != '{'
	b.call(w)
}

// call says the call once its name and the beginning of its arguments are known.
func (b *Block) call(w *sdk.Window) {
	o := &b.object
	o.void = o.void || o.late(w)
	if o.void || w.InCall() || !o.name.whole || !o.args.begun || o.text && o.inText != nowhere || b.awaitsID(w) {
		return
	}
	b.sayCall(w)
}

// awaitsID says whether an id may yet come. The host sends it with a call's
// first part, so the arguments wait for it.
func (b *Block) awaitsID(w *sdk.Window) bool {
	o := &b.object
	return b.g.Members.ID != "" && !o.id.whole && w.Offset()+uint32(w.Scanned)-o.from <= idPatience
}

// idPatience is how many bytes of an object are held for an id behind its
// arguments. A later id is none.
const idPatience = 64 << 10

// sayCall says the call, and its id if there is one.
func (b *Block) sayCall(w *sdk.Window) {
	o, off := &b.object, w.Offset()
	w.Call(int(o.name.from-off), int(o.name.to-o.name.from), abi.ReadJSONBody)
	if o.id.whole && o.id.from < o.id.to {
		w.CallID(int(o.id.from-off), int(o.id.to-o.id.from), abi.ReadJSONBody)
	}
}

// late says whether a call that was not said yet is held for too long.
func (o *object) late(w *sdk.Window) bool {
	from := o.name.from
	if !o.name.begun || o.args.begun && o.args.from < from {
		from = o.args.from
	}
	return !w.InCall() && (o.name.begun || o.args.begun) && w.Offset()+uint32(w.Scanned)-from > maxHeld
}

// objectEnds completes a call whose object is whole; markers in it were data.
// Without arguments it is a call all the same.
func (b *Block) objectEnds(w *sdk.Window) {
	o := &b.object
	end := w.Offset() + uint32(w.Scanned)
	o.searched, o.closer, o.escape = end, nowhere, nowhere
	o.void = o.void || o.late(w)
	if !o.void && o.name.whole && !w.InCall() {
		b.sayCall(w)
	}
	o.void = o.void || !w.InCall()
	b.flush(w)
	if o.void {
		w.Note(noteBroken)
	} else {
		w.CallEnd()
	}
	at := o.at
	o.reset(o.array, end)
	o.at = at
}

// flush says what is certain of the arguments and lets go of the bytes that
// nothing needs any more.
func (b *Block) flush(w *sdk.Window) {
	o, off := &b.object, w.Offset()
	b.call(w)
	limit := min(off+uint32(w.Scanned), o.searched, o.closer, o.escape)
	o.void = o.void || o.late(w)
	if o.at == inKey {
		limit = min(limit, o.key)
	}
	switch {
	case o.void:
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
		// A watched run may have been left out: it is said already.
		if from := max(o.args.from, off); from < to {
			w.Args(int(from-off), int(to-from), b.argsReading())
			o.args.from = to
		}
	}
	w.Skip(int(limit - off))
}

func (b *Block) argsReading() uint8 {
	if b.object.text {
		return abi.ReadJSONBody
	}
	return 0
}

// rescue looks in what was scanned for the first block closer and the first
// escape.
func (b *Block) rescue(w *sdk.Window) {
	o, off := &b.object, w.Offset()
	p := w.Bytes()[:w.Scanned]
	for from := int(max(o.searched, off) - off); ; from++ {
		at, id, v := b.set.rescue.Find(p, from, false)
		from, o.searched = at, off+uint32(at)
		for _, seen := range [...]*uint32{&o.closer, &o.escape} {
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

// broken drops a body that is no JSON call. Its end is the first block closer
// from the opener on, whether a string seemed to be open there or not: so an
// unterminated string costs one call, not the rest of the turn.
func (b *Block) broken(w *sdk.Window) step {
	b.rescue(w)
	b.flush(w)
	w.Note(noteBroken)
	w.CallDrop()
	o, off, end := &b.object, w.Offset(), over
	switch {
	case o.closer != nowhere:
		w.Skip(int(o.closer-off) + len(b.g.Close))
	case o.escape != nowhere:
		w.Skip(int(o.escape - off))
	case b.g.Close == "":
		o.read, o.brackets = off+uint32(w.Scanned), o.open()
		w.Skip(int(o.searched - off))
		end = b.to(atBroken)
	default:
		w.Skip(int(o.searched - off))
		end = b.to(atJunk)
	}
	w.Scanned = 0
	return end
}

// open are the brackets that are open where the body broke.
func (o *object) open() scan.Brackets {
	var k scan.Brackets
	if o.at == inKey || o.at == inMember {
		k = o.json.Brackets()
	}
	if o.array && o.at > wantBody {
		k.Depth++
	}
	if o.at >= wantKey && o.at <= wantComma {
		k.Depth++
	}
	return k
}

// inBroken skips what is left of a body that broke and has no closer.
func (b *Block) inBroken(w *sdk.Window) step {
	o, p := &b.object, w.Bytes()
	at, id, v := b.set.broken.Find(p, 0, w.Final)
	if from := int(max(o.read, w.Offset()) - w.Offset()); from < at {
		n, closed := o.brackets.Scan(p[from:at])
		o.read = w.Offset() + uint32(from+n)
		if closed {
			w.Skip(from + n)
			return over
		}
	}
	w.Skip(at)
	if v != scan.Yes {
		return wait
	}
	return b.marker(w, b.set.broken, id)
}
