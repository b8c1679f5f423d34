package gemma4

import (
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// broken reads the rest of a body that does not fit the grammar: its end is where
// the braces outside strings balance. A marker of the turn outside strings ends
// it before that. Where the text ends within a string, the first call that begins
// in any of its strings is real: a delimiter is missing before it.
type broken struct {
	on        bool
	set       *scan.Set
	body      *body
	depth     int
	quoted    bool
	candidate int // as in body
}

// startBroken goes on where the body broke, at Scanned.
func (r *broken) startBroken(b *body, set *scan.Set) {
	*r = broken{on: true, set: set, body: b, candidate: b.candidate}
	for at := 1; at <= b.depth; at++ {
		if b.arrays[at/64]>>(at%64)&1 == 0 {
			r.depth++
		}
	}
}

// readBroken reads on. It answers bodyMore, bodyEnd or bodyMarker.
func (r *broken) readBroken(w *sdk.Window) verdict {
	for {
		p := w.Bytes()
		at, id, v := r.set.Find(p, w.Scanned, w.Final)
		if v == scan.Yes && r.quoted && id != isDelimiter {
			if id < r.set.Count()-2 {
				v = r.body.mayEndCall(p[at:], id, w.Final)
			} else {
				v = scan.No
			}
			if v == scan.No {
				w.Scanned = at + 1
				continue
			}
			if v == scan.Yes && r.candidate == none {
				r.candidate = at
			}
		}
		r.releaseBytes(w, at)
		if v != scan.Yes {
			return bodyMore
		}
		switch {
		case id == isDelimiter:
			r.quoted = !r.quoted
		case r.quoted:
		case id == r.set.Count()-2:
			r.depth++
		case id == r.set.Count()-1:
			r.depth--
			if r.depth == 0 {
				w.Scanned++
				return bodyEnd
			}
		default:
			return bodyMarker
		}
		w.Scanned += r.set.Len(id)
	}
}

// releaseBytes moves to place at, and consumes what is not needed again: all before the
// candidate, once parts of the body were emitted. What is held for too long is not
// needed.
func (r *broken) releaseBytes(w *sdk.Window, at int) {
	w.Scanned = at
	if r.candidate != none && at-r.candidate > maxHeld {
		r.candidate = none
	}
	if at > maxHeld {
		r.body.emitted = true
	}
	if !r.body.emitted {
		return
	}
	n := at
	if r.candidate != none {
		n = r.candidate
		r.candidate = 0
	}
	w.Skip(n)
}
