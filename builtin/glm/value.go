package glm

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// maxHeld is how many bytes of a value are held behind a possible end.
const maxHeld = 1<<20 - 1<<16

// value is a value that is being read. Its closer ends it where the call goes on
// behind it, and, where the closer was forgotten, the next key at a line's start. But the first
// call's closer in it was the end if a call with a key follows before that, or
// the text ends without it; and the first closer of the thought that the call
// stands in ended the call, if the text ends so. From these on nothing is emitted.
//
// Its places are in the window, or missing.
type value struct {
	mute    bool // it has no key
	emitted bool // a part was emitted
	outer   int  // the first call's closer
	escape  int  // the first closer of the thought
}

// remains says, once the text has ended, that no value's closer is left in it.
type remains struct{ noValueClose bool }

const missing = -1

func (v *value) startValue(mute bool) { *v = value{mute: mute, outer: missing, escape: missing} }

// heldFrom is the first byte that is held, or missing.
func (v *value) heldFrom() int {
	if v.outer == missing || v.escape != missing && v.escape < v.outer {
		return v.escape
	}
	return v.outer
}

// readValue reads a value: it emits what is certain of it, and looks for its end.
func (p *parser) readValue(w *sdk.Window) bool {
	v := &p.value
	for {
		b := w.Bytes()
		at, id, found := inside.Find(b, w.Scanned, w.Final)
		w.Scanned = at
		if found != scan.Yes {
			p.remains.noValueClose = w.Final
			if w.Final && v.heldFrom() != missing {
				p.endHeldValue(w)
				return true
			}
			p.emitCertainPart(w, at)
			return false
		}
		switch {
		case id == insideValueClose:
			switch p.endsValue(b[at+len(valueClose):], w.Final) {
			case scan.Wait:
				p.emitCertainPart(w, at)
				return false
			case scan.Yes:
				p.endValue(w, at)
				w.Skip(len(valueClose))
				return true
			}
		case id == insideKeyOpen:
			switch p.isNextKey(w, b, at) {
			case scan.Wait:
				p.emitCertainPart(w, at)
				return false
			case scan.Yes:
				p.endValue(w, at)
				return true
			}
		case id == insideCallClose && v.outer == missing:
			v.outer = at
		case id == insideCallOpen && v.outer != missing:
			switch isHeader(b[at+len(callOpen):], w.Final) {
			case scan.Wait:
				p.emitCertainPart(w, at)
				return false
			case scan.Yes:
				v.escape = missing
				p.endHeldValue(w)
				return true
			}
		case id > insideKeyOpen && p.prose.Thought && v.escape == missing:
			v.escape = at
		}
		if p.remains.noValueClose && v.heldFrom() != missing {
			p.endHeldValue(w)
			return true
		}
		w.Scanned = at + 1
		if v.heldFrom() != missing && at-v.heldFrom() > maxHeld {
			v.outer, v.escape = missing, missing
		}
	}
}

// endsValue asks whether b, which follows a value's closer, goes on as the call does: with
// a tag, or with the text's end. Any other closer was data.
func (p *parser) endsValue(b []byte, final bool) scan.Verdict {
	space, id, v := p.matchTag(b, false)
	switch {
	case v == scan.Yes && id == isValueClose:
		return scan.No
	case v == scan.Wait && (final || space > maxHeader), space == len(b) && final:
		return scan.Yes
	}
	return v
}

// isNextKey asks whether the key's opener at place at of a value is the next pair,
// because the value's closer was forgotten: it begins a line, and the key is declared
// and was not given yet.
func (p *parser) isNextKey(w *sdk.Window, b []byte, at int) scan.Verdict {
	before := w.Prev()
	if at > 0 {
		before = b[at-1]
	}
	if before != '\n' {
		return scan.No
	}
	key := b[at+len(keyOpen):]
	key = key[:min(len(key), maxHeader)]
	n := bytes.IndexByte(key, '<')
	switch {
	case n < 0 && len(key) < maxHeader && !w.Final:
		return scan.Wait
	case n >= 0 && p.keys.Awaits(bytes.TrimSpace(key[:n])):
		return scan.Prefix(key[n:], keyClose, w.Final)
	}
	return scan.No
}

// isHeader asks whether a name with a key's opener directly behind it follows.
func isHeader(b []byte, final bool) scan.Verdict {
	n := nameLen(b[:min(len(b), maxHeader)])
	switch {
	case n == maxHeader, n == 0 && len(b) > 0:
		return scan.No
	case n == len(b) && !final:
		return scan.Wait
	}
	return scan.Prefix(b[n:], keyOpen, final)
}

// endHeldValue ends the value where it is held: at the call's closer, or with the
// thought, which drops the call.
func (p *parser) endHeldValue(w *sdk.Window) {
	if at := p.value.heldFrom(); at == p.value.escape {
		w.Note(noteCut)
		w.CallDrop()
		w.Skip(at)
		w.Scanned = 0
		p.state = inProse
		return
	}
	p.endValue(w, p.value.outer)
}

// endValue ends the value at place at.
func (p *parser) endValue(w *sdk.Window, at int) {
	p.emitValue(w, at, 0)
	w.Scanned = 0
	if !p.value.mute {
		p.pairs++
	}
	p.state = inBody
}

// emitCertainPart emits what is certain of a value that was searched up to place at.
func (p *parser) emitCertainPart(w *sdk.Window, at int) {
	if hold := p.value.heldFrom(); hold != missing {
		at = hold
	}
	if at > 0 {
		p.emitValue(w, at, abi.FlagMore)
	}
	if p.value.emitted {
		w.Watch(abi.Value, inside.FirstBytes())
	}
}

// emitValue emits the first n bytes of the window as the value, or with more as a part
// of it, and consumes them.
func (p *parser) emitValue(w *sdk.Window, n int, more uint8) {
	v := &p.value
	if !v.mute {
		w.Value(0, n, abi.ReadSchema|more)
		v.emitted = true
	}
	w.Skip(n)
	for _, at := range [...]*int{&v.outer, &v.escape} {
		if *at != missing {
			*at -= n
		}
	}
}
