// Package jsonbody reads a call's arguments where they are a verbatim JSON object
// between markers, which most families have. A marker inside a JSON string is
// data, as long as the body is JSON, with the small faults that the host mends; in
// one that is none, the first closer ends the call, so that the damage stays
// inside it, and the host says what becomes of the body.
package jsonbody

import (
	"strings"

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
	// BreakAfterValue are markers that do the same, but only after a complete value.
	BreakAfterValue []string
	// Fence is a code fence that may follow the value.
	Fence string
	// Strict drops a call whose body is empty or no JSON object. Without it the
	// first has no arguments, and the second ends as unsound.
	Strict bool
	// CloserRequired drops a call without its closer.
	CloserRequired bool
	// SelfDelimiting bodies end with their value, and no marker ends one that is
	// JSON, cut or not. One that is no JSON ends where its brackets close, as
	// unsound, if no marker comes before.
	SelfDelimiting bool
}

// Grammar is Markers made ready for scanning. It may be shared.
type Grammar struct {
	ends           *scan.Set // Close, Break
	afterValue     *scan.Set // Close, Break, BreakAfterValue
	closers        int       // how many are Close
	watch          []byte    // inside a string
	fence          string
	strict         bool
	closerRequired bool
	selfDelimiting bool
}

// Compile makes a Grammar.
func Compile(m Markers) *Grammar {
	ends := append(append([]string(nil), m.Close...), m.Break...)
	g := &Grammar{
		ends:           scan.NewSet(ends...),
		afterValue:     scan.NewSet(append(ends[:len(ends):len(ends)], m.BreakAfterValue...)...),
		closers:        len(m.Close),
		fence:          m.Fence,
		strict:         m.Strict,
		closerRequired: m.CloserRequired,
		selfDelimiting: m.SelfDelimiting,
	}
	g.watch = scan.JoinWatchSets(scan.StringWatch, g.ends.FirstBytes())
	return g
}

// NoEnder stands for the marker where none ended the body: the text did.
const NoEnder = -1

// Body reads the arguments of the open call.
type Body struct {
	g        *Grammar
	state    state
	mute     bool // there is no call: nothing is emitted
	emitted  bool // fragments were emitted
	json     scan.JSON
	read     abi.RawOffset // up to which json has read; then white space after the value too
	valueEnd abi.RawOffset // where the value ends, once it is complete
	searched abi.RawOffset // no ender begins before here
	ender    int           // the first ender, at searched; NoEnder if there is none yet

	brackets scan.Brackets // of a self-delimiting body that is no JSON, up to read
}

type state uint8

const (
	beforeValue     state = iota // white space before the value
	inValue                      // the value
	afterWholeValue              // after it
	broken                       // it is no JSON
)

// Start makes b ready for the body that the window begins with. A mute body
// belongs to no call, and is skipped.
func (b *Body) Start(g *Grammar, mute bool) {
	*b = Body{g: g, mute: mute, ender: NoEnder, json: scan.JSON{Lenient: true}}
}

// Next reads on, and ends the call. When it is done, ender is what ended it, as
// an index into Close, Break and BreakAfterValue; the call's own closers are
// consumed, and nothing is left of a body that the end of the text cut, or ended after
// its value.
func (b *Body) Next(w *sdk.Window) (ender int, done bool) {
	for {
		var more bool
		switch b.state {
		case beforeValue:
			more = b.skipToValue(w)
		case inValue:
			more = b.readValue(w)
		case afterWholeValue:
			if ender, done := b.readCloser(w); done {
				return ender, true
			}
			more = b.state != afterWholeValue
		default:
			return b.readBroken(w)
		}
		if !more {
			return NoEnder, w.Final
		}
	}
}

// skipToValue skips the white space before the value.
func (b *Body) skipToValue(w *sdk.Window) bool {
	w.Skip(scan.LeadingSpace(w.Bytes()))
	text := w.Bytes()
	if len(text) == 0 {
		return false
	}
	b.read, b.searched, b.valueEnd = w.Offset(), w.Offset(), w.Offset()
	id, v := b.g.ends.MatchPrefix(text, w.Final)
	switch {
	case v == scan.Wait:
		if w.Final {
			b.dropCall(w, w.Len())
		}
		return false
	case v == scan.Yes && id < b.g.closers: // no arguments
		if b.g.strict {
			b.dropCall(w, 0)
		}
		b.state = afterWholeValue
	case text[0] == '{', text[0] == '"' && !b.g.strict: // an object, or a string that may hold one
		b.state = inValue
	default:
		b.turnBroken()
	}
	return true
}

// readValue reads the value, and emits it as fragments up to the first ender in a
// string: from there on they may yet be something else.
func (b *Body) readValue(w *sdk.Window) bool {
	text := w.Bytes()
	b.read, b.searched = max(b.read, w.Offset()), max(b.searched, w.Offset())
	if b.ender == NoEnder {
		at, id, v := b.g.ends.Find(text, int(b.searched-w.Offset()), w.Final)
		b.searched = w.Offset() + abi.RawOffset(at)
		if v == scan.Yes {
			b.ender = id
		}
	}
	end := len(text)
	if limit := int(b.searched-w.Offset()) + MaxHeld; b.ender != NoEnder && limit < end {
		end = limit
	}
	n, status := b.json.Scan(text[b.read-w.Offset() : end])
	b.read += abi.RawOffset(n)
	switch status {
	case scan.Done:
		b.valueEnd = b.read
		b.state = afterWholeValue
	case scan.Bad:
		b.turnBroken()
	default:
		if end < len(text) { // held too long: the ender is data
			b.ender = NoEnder
			b.searched++
			return true
		}
	}
	b.emitFragment(w, int(min(b.read, b.searched)-w.Offset()))
	if status != scan.More {
		return true
	}
	switch {
	case w.Final && b.ender != NoEnder && !b.g.selfDelimiting:
		b.state = broken
		return true
	case w.Final:
		b.dropCall(w, w.Len())
	case b.emitted && b.json.InPlainString():
		w.Watch(abi.Args, b.g.watch)
	}
	return false
}

// emitFragment emits the next n bytes as a fragment.
func (b *Body) emitFragment(w *sdk.Window, n int) {
	if !b.mute && n > 0 {
		w.Args(0, n, 0)
		b.emitted = true
	}
	w.Skip(n)
}

// dropCall takes the call back and skips n bytes; what is left of its body goes too.
func (b *Body) dropCall(w *sdk.Window, n int) {
	w.CallDrop()
	w.Skip(n)
	b.mute = true
}

// readCloser ends the call after a complete value, at what stands there. A marker
// that the end of the text cut ends it too.
func (b *Body) readCloser(w *sdk.Window) (ender int, done bool) {
	if b.g.selfDelimiting {
		b.endCall(w, int(b.valueEnd-w.Offset()))
		return NoEnder, true
	}
	text := w.Bytes()
	i := int(b.read - w.Offset())
	i += scan.LeadingSpace(text[i:])
	b.read = w.Offset() + abi.RawOffset(i)
	if b.g.fence != "" {
		switch scan.Prefix(text[i:], b.g.fence, false) {
		case scan.Wait:
			return b.endIfTextEnded(w)
		case scan.Yes:
			i += len(b.g.fence)
			i += scan.LeadingSpace(text[i:])
		}
	}
	if i == len(text) {
		return b.endIfTextEnded(w)
	}
	id, v := b.g.afterValue.MatchPrefix(text[i:], false)
	switch {
	case v == scan.Wait:
		return b.endIfTextEnded(w)
	case v == scan.No:
		b.turnBroken()
		return NoEnder, false
	case id < b.g.closers:
		b.endCall(w, i+b.g.afterValue.Len(id))
	case b.g.closerRequired:
		b.dropCall(w, i)
	default:
		b.endCall(w, i)
	}
	return id, true
}

// endIfTextEnded ends the call if the text has ended.
func (b *Body) endIfTextEnded(w *sdk.Window) (ender int, done bool) {
	switch {
	case !w.Final:
		return NoEnder, false
	case b.g.closerRequired:
		b.dropCall(w, w.Len())
	default:
		b.endCall(w, w.Len())
	}
	return NoEnder, true
}

// endCall ends the call, the last bytes of whose value stand in the window, and
// skips to place next.
func (b *Body) endCall(w *sdk.Window, next int) {
	n := int(b.valueEnd - w.Offset())
	b.emitFragment(w, n)
	if !b.mute {
		w.CallEnd()
	}
	w.Skip(next - n)
}

// turnBroken is for a body that is no JSON from b.read on. An ender in a string before
// that counts.
func (b *Body) turnBroken() {
	b.state, b.brackets = broken, b.json.Brackets()
	if b.ender == NoEnder || b.searched >= b.read {
		b.ender, b.searched = NoEnder, b.read
	}
}

// readBroken reads a body that is no JSON up to its ender.
func (b *Body) readBroken(w *sdk.Window) (ender int, done bool) {
	if b.g.strict && !b.mute {
		b.dropCall(w, 0)
	}
	if b.ender == NoEnder {
		at, id, v := b.g.ends.Find(w.Bytes(), int(max(b.searched, w.Offset())-w.Offset()), w.Final)
		b.searched = w.Offset() + abi.RawOffset(at)
		if v == scan.Yes {
			b.ender = id
		}
	}
	n := int(b.searched - w.Offset())
	if b.g.selfDelimiting {
		if end, closed := b.findBracketEnd(w, n); closed {
			b.endUnsoundCall(w, end)
			return NoEnder, true
		}
	}
	switch {
	case b.mute:
		w.Skip(n)
		n = 0
	case n > MaxHeld:
		b.dropCall(w, n)
		n = 0
	}
	switch {
	case b.ender == NoEnder && w.Final:
		b.dropCall(w, w.Len())
		return NoEnder, true
	case b.ender == NoEnder:
		return NoEnder, false
	case b.ender >= b.g.closers:
		b.dropCall(w, n)
	default:
		b.endUnsoundCall(w, n)
		w.Skip(b.g.ends.Len(b.ender))
	}
	return b.ender, true
}

// findBracketEnd says where in the next n bytes a body's brackets close.
func (b *Body) findBracketEnd(w *sdk.Window, n int) (end int, closed bool) {
	from := int(max(b.read, w.Offset()) - w.Offset())
	if from >= n {
		return 0, false
	}
	more, closed := b.brackets.Scan(w.Bytes()[from:n])
	b.read = w.Offset() + abi.RawOffset(from+more)
	return from + more, closed
}

// endUnsoundCall ends a call of whose body n bytes are in the window.
func (b *Body) endUnsoundCall(w *sdk.Window, n int) {
	raw := scan.TrimmedLen(w.Bytes()[:n])
	if fence := b.g.fence; fence != "" && strings.HasSuffix(string(w.Bytes()[max(raw-len(fence), 0):raw]), fence) {
		raw = scan.TrimmedLen(w.Bytes()[:raw-len(fence)])
	}
	switch {
	case b.mute:
	case b.emitted:
		w.Args(0, raw, 0)
		w.CallUnsound(0, 0)
	default:
		w.CallUnsound(0, raw)
	}
	w.Skip(n)
}
