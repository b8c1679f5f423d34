// Package jsonbody reads a call's arguments where they are a verbatim JSON object
// between markers, which most families have. A marker inside a JSON string is
// data, as long as the body is JSON; in one that is none, the first closer ends
// the call, so that the damage stays inside it.
package jsonbody

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// MaxHeld is how much of a body is held back to learn whether it is JSON, in
// bytes.
const MaxHeld = 1<<20 - 1<<16

// Markers are what may end a body.
type Markers struct {
	// Close are the call's own closers. They are consumed.
	Close []string
	// Break are markers that end the body where its closer is missing: the next
	// call's opener, say. They are left in the window.
	Break []string
	// Behind are markers that do the same, but only behind a complete value.
	Behind []string
	// Fence is a code fence that may stand behind the value.
	Fence string
	// Strict drops a call whose body is empty or no JSON object. Without it the
	// first has no arguments, and the second ends as unsound.
	Strict bool
	// Closed drops a call without its closer.
	Closed bool
	// Own bodies end with their value, and no marker ends one that is JSON, cut or
	// not. One that is none ends where its brackets close, as unsound, if no marker
	// comes before.
	Own bool
}

// Grammar is Markers made ready for scanning. It may be shared.
type Grammar struct {
	ends   *scan.Set // Close, Break
	behind *scan.Set // Close, Break, Behind
	close  int       // how many are Close
	watch  []byte    // inside a string
	fence  string
	strict bool
	closed bool
	own    bool
}

// Compile makes a Grammar.
func Compile(m Markers) *Grammar {
	ends := append(append([]string(nil), m.Close...), m.Break...)
	g := &Grammar{
		ends:   scan.NewSet(ends...),
		behind: scan.NewSet(append(ends[:len(ends):len(ends)], m.Behind...)...),
		close:  len(m.Close),
		fence:  m.Fence,
		strict: m.Strict,
		closed: m.Closed,
		own:    m.Own,
	}
	g.watch = scan.JoinWatchSets(scan.StringWatch, g.ends.FirstBytes())
	return g
}

// None is the ender of a body that nothing ended: the text did.
const None = -1

// Body is the arguments of the open call while they are read. Places are absolute
// offsets.
type Body struct {
	g     *Grammar
	state state
	mute  bool // there is no call: nothing is said
	given bool // fragments were given
	json  scan.JSON
	read  uint32 // what json has read; then white space behind the value too
	end   uint32 // where the value ends, once it is complete
	clear uint32 // no ender begins before here
	ender int    // the first ender, at clear; None if there is none yet

	brackets scan.Brackets // of an own body that is no JSON, up to read
}

type state uint8

const (
	before   state = iota // white space before the value
	inside                // the value
	complete              // behind it
	broken                // it is no JSON
)

// Start makes b ready for the body that the window begins with. A mute body
// belongs to no call, and is skipped.
func (b *Body) Start(g *Grammar, mute bool) { *b = Body{g: g, mute: mute, ender: None} }

// Next reads on, and ends the call. When it is done, ender is what ended it, as
// a place in Close, Break and Behind; own closers are consumed, and nothing is
// left of a body that the end of the text cut, or ended behind its value.
func (b *Body) Next(w *sdk.Window) (ender int, done bool) {
	for {
		var more bool
		switch b.state {
		case before:
			more = b.enter(w)
		case inside:
			more = b.scan(w)
		case complete:
			if ender, done := b.finish(w); done {
				return ender, true
			}
			more = b.state != complete
		default:
			return b.unsound(w)
		}
		if !more {
			return None, w.Final
		}
	}
}

// enter skips the white space before the value.
func (b *Body) enter(w *sdk.Window) bool {
	w.Skip(scan.LeadingSpace(w.Bytes()))
	text := w.Bytes()
	if len(text) == 0 {
		return false
	}
	b.read, b.clear, b.end = w.Offset(), w.Offset(), w.Offset()
	id, v := b.g.ends.MatchPrefix(text, w.Final)
	switch {
	case v == scan.Wait:
		if w.Final {
			b.drop(w, w.Len())
		}
		return false
	case v == scan.Yes && id < b.g.close: // no arguments
		if b.g.strict {
			b.drop(w, 0)
		}
		b.state = complete
	case text[0] == '{':
		b.state = inside
	default:
		b.breaks()
	}
	return true
}

// scan reads the value, and gives it as fragments up to the first ender in a
// string: from there on they may yet be something else.
func (b *Body) scan(w *sdk.Window) bool {
	text := w.Bytes()
	b.read, b.clear = max(b.read, w.Offset()), max(b.clear, w.Offset())
	if b.ender == None {
		at, id, v := b.g.ends.Find(text, int(b.clear-w.Offset()), w.Final)
		b.clear = w.Offset() + uint32(at)
		if v == scan.Yes {
			b.ender = id
		}
	}
	end := len(text)
	if limit := int(b.clear-w.Offset()) + MaxHeld; b.ender != None && limit < end {
		end = limit
	}
	n, status := b.json.Scan(text[b.read-w.Offset() : end])
	b.read += uint32(n)
	switch status {
	case scan.Done:
		b.end = b.read
		b.state = complete
	case scan.Bad:
		b.breaks()
	default:
		if end < len(text) { // held too long: the ender is data
			b.ender = None
			b.clear++
			return true
		}
	}
	b.give(w, int(min(b.read, b.clear)-w.Offset()))
	if status != scan.More {
		return true
	}
	switch {
	case w.Final && b.ender != None && !b.g.own:
		b.state = broken
		return true
	case w.Final:
		b.drop(w, w.Len())
	case b.given && b.json.InPlainString():
		w.Watch(abi.Args, b.g.watch)
	}
	return false
}

// give gives the next n bytes as a fragment.
func (b *Body) give(w *sdk.Window, n int) {
	if !b.mute && n > 0 {
		w.Args(0, n, 0)
		b.given = true
	}
	w.Skip(n)
}

// drop takes the call back and skips n bytes; what is left of its body goes too.
func (b *Body) drop(w *sdk.Window, n int) {
	w.CallDrop()
	w.Skip(n)
	b.mute = true
}

// finish ends the call behind a complete value, at what stands there. A marker
// that the end of the text cut ends it too.
func (b *Body) finish(w *sdk.Window) (ender int, done bool) {
	if b.g.own {
		b.close(w, int(b.end-w.Offset()))
		return None, true
	}
	text := w.Bytes()
	i := int(b.read - w.Offset())
	i += scan.LeadingSpace(text[i:])
	b.read = w.Offset() + uint32(i)
	if b.g.fence != "" {
		switch scan.Prefix(text[i:], b.g.fence, false) {
		case scan.Wait:
			return b.atEnd(w)
		case scan.Yes:
			i += len(b.g.fence)
			i += scan.LeadingSpace(text[i:])
		}
	}
	if i == len(text) {
		return b.atEnd(w)
	}
	id, v := b.g.behind.MatchPrefix(text[i:], false)
	switch {
	case v == scan.Wait:
		return b.atEnd(w)
	case v == scan.No:
		b.breaks()
		return None, false
	case id < b.g.close:
		b.close(w, i+b.g.behind.Len(id))
	case b.g.closed:
		b.drop(w, i)
	default:
		b.close(w, i)
	}
	return id, true
}

// atEnd ends the call if the text has ended.
func (b *Body) atEnd(w *sdk.Window) (ender int, done bool) {
	switch {
	case !w.Final:
		return None, false
	case b.g.closed:
		b.drop(w, w.Len())
	default:
		b.close(w, w.Len())
	}
	return None, true
}

// close ends the call, the last bytes of whose value stand in the window, and
// skips to place next.
func (b *Body) close(w *sdk.Window, next int) {
	n := int(b.end - w.Offset())
	b.give(w, n)
	if !b.mute {
		w.CallEnd()
	}
	w.Skip(next - n)
}

// breaks is for a body that is no JSON from b.read on. An ender in a string before
// that counts.
func (b *Body) breaks() {
	b.state, b.brackets = broken, b.json.Brackets()
	if b.ender == None || b.clear >= b.read {
		b.ender, b.clear = None, b.read
	}
}

// unsound reads a body that is no JSON up to its ender.
func (b *Body) unsound(w *sdk.Window) (ender int, done bool) {
	if b.g.strict && !b.mute {
		b.drop(w, 0)
	}
	if b.ender == None {
		at, id, v := b.g.ends.Find(w.Bytes(), int(max(b.clear, w.Offset())-w.Offset()), w.Final)
		b.clear = w.Offset() + uint32(at)
		if v == scan.Yes {
			b.ender = id
		}
	}
	n := int(b.clear - w.Offset())
	if b.g.own {
		if end, closed := b.bracketed(w, n); closed {
			b.closeUnsound(w, end)
			return None, true
		}
	}
	switch {
	case b.mute:
		w.Skip(n)
		n = 0
	case n > MaxHeld:
		b.drop(w, n)
		n = 0
	}
	switch {
	case b.ender == None && w.Final:
		b.drop(w, w.Len())
		return None, true
	case b.ender == None:
		return None, false
	case b.ender >= b.g.close:
		b.drop(w, n)
	default:
		b.closeUnsound(w, n)
		w.Skip(b.g.ends.Len(b.ender))
	}
	return b.ender, true
}

// bracketed says where in the next n bytes a body's brackets close.
func (b *Body) bracketed(w *sdk.Window, n int) (end int, closed bool) {
	from := int(max(b.read, w.Offset()) - w.Offset())
	if from >= n {
		return 0, false
	}
	more, closed := b.brackets.Scan(w.Bytes()[from:n])
	b.read = w.Offset() + uint32(from+more)
	return from + more, closed
}

// closeUnsound ends a call of whose body n bytes are in the window.
func (b *Body) closeUnsound(w *sdk.Window, n int) {
	raw := scan.TrimmedLen(w.Bytes()[:n])
	switch {
	case b.mute:
	case b.given:
		w.Args(0, raw, 0)
		w.CallUnsound(0, 0)
	default:
		w.CallUnsound(0, raw)
	}
	w.Skip(n)
}
