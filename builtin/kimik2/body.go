package kimik2

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// body is a call's arguments while they are read. Places are absolute offsets.
type body struct {
	mute   bool // there is no call: nothing is said
	given  bool // fragments were given
	json   scan.JSON
	read   uint32 // what json has read; then white space behind the value too
	end    uint32 // where the value ends, once it is complete
	clear  uint32 // no closer begins before here
	closer int    // the first closer, at clear; none if there is none yet
}

const none = -1

func (p *parser) begin(mute bool) {
	p.state = atBody
	p.body = body{mute: mute, closer: none}
}

// enter skips the white space before the arguments.
func (p *parser) enter(w *sdk.Window) bool {
	w.Skip(scan.Space(w.Bytes()))
	b := w.Bytes()
	if len(b) == 0 {
		return false
	}
	switch scan.Prefix(b, callEnd, w.Final) {
	case scan.Wait:
		return false
	case scan.Yes: // no arguments
		p.finish(w, 0, 0)
		w.Skip(len(callEnd))
		return true
	}
	p.body.read, p.body.clear = w.Offset(), w.Offset()
	p.state = inBody
	if b[0] != '{' {
		p.breaks()
	}
	return true
}

// read reads the arguments, and gives them as fragments up to the first closer
// in a string: from there on they may yet be something else.
func (p *parser) read(w *sdk.Window) bool {
	d, b := &p.body, w.Bytes()
	d.read, d.clear = max(d.read, w.Offset()), max(d.clear, w.Offset())
	if d.closer == none {
		at, id, v := closers.Find(b, int(d.clear-w.Offset()), w.Final)
		d.clear = w.Offset() + uint32(at)
		if v == scan.Yes {
			d.closer = id
		}
	}
	end := len(b)
	if limit := int(d.clear-w.Offset()) + maxHeld; d.closer != none && limit < end {
		end = limit
	}
	n, status := d.json.Scan(b[d.read-w.Offset() : end])
	d.read += uint32(n)
	switch status {
	case scan.Done:
		d.end = d.read
		p.state = behindBody
	case scan.Bad:
		p.breaks()
	default:
		if end < len(b) { // held too long: the closer is data
			d.closer = none
			d.clear++
			return true
		}
	}
	p.give(w, int(min(d.read, d.clear)-w.Offset()))
	if status != scan.More {
		return true
	}
	switch {
	case w.Final && d.closer != none:
		p.state = broken
		return true
	case w.Final:
		p.drop(w, w.Len())
	case d.given && d.json.Quiet():
		w.Watch(abi.Args, inString)
	}
	return false
}

// give gives the next n bytes as a fragment.
func (p *parser) give(w *sdk.Window, n int) {
	if !p.body.mute && n > 0 {
		w.Args(0, n, 0)
		p.body.given = true
	}
	w.Skip(n)
}

// drop takes the call back and skips n bytes; what is left of its body goes too.
func (p *parser) drop(w *sdk.Window, n int) {
	w.CallDrop()
	w.Skip(n)
	p.body.mute = true
}

// behind reads what stands behind a complete value.
func (p *parser) behind(w *sdk.Window) bool {
	d, b := &p.body, w.Bytes()
	i := int(d.read - w.Offset())
	i += scan.Space(b[i:])
	d.read = w.Offset() + uint32(i)
	if i == len(b) {
		if w.Final {
			p.finish(w, int(d.end-w.Offset()), i)
		}
		return false
	}
	id, v := p.structure.At(b[i:], w.Final)
	switch {
	case v == scan.Wait:
		return false
	case v == scan.Yes && id == isCallEnd:
		p.finish(w, int(d.end-w.Offset()), i+len(callEnd))
	case v == scan.Yes && (id == isCallBegin || id == isSectionEnd || id == isSectionEnd1 || id == isEndThink && p.prose.Thought):
		p.finish(w, int(d.end-w.Offset()), i)
	default:
		p.breaks()
	}
	return true
}

// finish ends the call, whose last n bytes stand in the window, and skips to
// place next.
func (p *parser) finish(w *sdk.Window, n, next int) {
	p.give(w, n)
	if !p.body.mute {
		w.CallEnd()
	}
	w.Skip(next - n)
	p.leave()
}

// breaks is for a body that is no JSON from body.read on. A closer in a string
// before that counts.
func (p *parser) breaks() {
	p.state = broken
	if d := &p.body; d.closer == none || d.clear >= d.read {
		d.closer, d.clear = none, d.read
	}
}

// unsound reads a body that is no JSON up to its closer.
func (p *parser) unsound(w *sdk.Window) bool {
	d := &p.body
	if d.closer == none {
		p.findCloser(w)
	}
	n := int(d.clear - w.Offset())
	switch {
	case d.mute:
		w.Skip(n)
		n = 0
	case n > maxHeld:
		p.drop(w, n)
		n = 0
	}
	switch {
	case d.closer == none && w.Final:
		p.drop(w, w.Len())
		return false
	case d.closer == none:
		return false
	case d.closer != isCallEnd:
		p.drop(w, n)
	default:
		p.close(w, n)
		w.Skip(len(callEnd))
	}
	p.leave()
	return true
}

// close ends an unsound call, of whose body n bytes are in the window.
func (p *parser) close(w *sdk.Window, n int) {
	raw := scan.TrimSpaceRight(w.Bytes()[:n])
	switch {
	case p.body.mute:
	case p.body.given:
		w.Args(0, raw, 0)
		w.CallUnsound(0, 0)
	default:
		w.CallUnsound(0, raw)
	}
	w.Skip(n)
}

// findCloser looks for what ends a broken body: a closer, the next call, or in a
// thought its end.
func (p *parser) findCloser(w *sdk.Window) {
	d, b := &p.body, w.Bytes()
	at := int(max(d.clear, w.Offset()) - w.Offset())
	for {
		var id int
		var v scan.Verdict
		at, id, v = p.structure.Find(b, at, w.Final)
		d.clear = w.Offset() + uint32(at)
		if v != scan.Yes {
			return
		}
		if id == isCallEnd || id == isCallBegin || id == isEndThink && p.prose.Thought {
			d.closer = id
			return
		}
		at += p.structure.Len(id)
	}
}
