package dsml

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// ends finds the end of a call that quotes a parameter's opener, once the whole
// text is there. The work for one text is bounded by its length.
type ends struct {
	chooser chooser
	begun   bool
	work    int // how many bytes may still be read
}

// workPerByte is how often, on average, a byte of the text's rest may be read.
const workPerByte = 64

// findCallEnd gives the place of the closer that ends the call whose first value, or
// the rest of it, b begins with: the first end if it is coherent, else the first
// later closer that is, else the first end.
func (e *ends) findCallEnd(k *block, b []byte) int {
	c := &k.chosen
	if !e.begun {
		e.begun, e.work = true, workPerByte*len(b)
	}
	end := c.end
	for range 1 + maxEnds {
		if e.work -= len(b); e.work < 0 {
			break
		}
		if e.isCoherentEnd(k, b, end) {
			return end
		}
		next := bytes.Index(b[end+1:], []byte(k.g.invokeClose))
		if next < 0 {
			break
		}
		end += 1 + next
	}
	return c.end
}

// isCoherentEnd says whether the text makes sense if the call ends at place end: its
// body parses, then come well-formed calls and the block's closer or the end of
// the text, and no closer is stranded behind it.
func (e *ends) isCoherentEnd(k *block, b []byte, end int) bool {
	c := &k.chosen
	if !e.chooser.chooseClosers(k.g, k.currentMarkers(), b[:end], c.key, c.text) {
		return false
	}
	pos := end + len(k.g.invokeClose)
	for {
		pos += scan.LeadingSpace(b[pos:])
		id, v := k.currentMarkers().between.MatchPrefix(b[pos:], true)
		switch {
		case pos == len(b):
			return true
		case v != scan.Yes:
			return k.bare && !e.hasStrandedCloser(k, b, pos)
		case id == betweenClose:
			return !e.hasStrandedCloser(k, b, pos+len(k.g.blockClose))
		case id != betweenInvoke:
			return !e.hasStrandedCloser(k, b, pos) // the thought's closer ends the block
		}
		var sound bool
		if pos, sound = e.skipCall(k, b, pos+len(k.g.invoke)); !sound {
			return false
		}
	}
}

// hasStrandedCloser says whether behind place pos, outside of later blocks and calls, a
// closer stands that closes nothing.
func (e *ends) hasStrandedCloser(k *block, b []byte, pos int) bool {
	inBlock := false
	for {
		at, id, v := k.g.after.Find(b, pos, true)
		if v != scan.Yes {
			return false
		}
		pos = at + k.g.after.Len(id)
		switch id {
		case afterBlock:
			inBlock = true
		case afterInvoke:
			pos, _ = e.skipCall(k, b, pos)
		case afterBlockClose:
			if !inBlock {
				return true
			}
			inBlock = false
		default:
			if !inBlock {
				return true
			}
		}
	}
}

// skipCall reads a call behind its opener, up to its first end, and gives the place
// behind it. It says whether the call is well-formed.
func (e *ends) skipCall(k *block, b []byte, pos int) (next int, sound bool) {
	set := k.currentMarkers()
	n := bytes.IndexAny(b[pos:], "\"<>\n")
	if n <= 0 || !bytes.HasPrefix(b[pos+n:], []byte(`">`)) {
		return pos, false
	}
	pos += n + len(`">`)
	pos += scan.LeadingSpace(b[pos:])
	if pos < len(b) && b[pos] == '{' {
		return e.skipObjectCall(k, b, pos)
	}
	begin := pos
	var l lexer
	l.startLexing(lexParams, pos)
	at, what := l.findCallEnd(k.g, set, b, true)
	if what != ended {
		return at, false
	}
	next = at + len(k.g.invokeClose)
	if begin == at {
		return next, true
	}
	h, v := k.g.readHeader(b[begin:at])
	if v != scan.Yes || !bytes.HasPrefix(b[begin:], []byte(k.g.parameter)) {
		return next, false
	}
	name := hashName(b[begin+h.key:][:h.keyLen])
	return next, e.chooser.chooseClosers(k.g, set, b[begin+h.len:at], name, h.text)
}

// skipObjectCall reads a call's JSON body.
func (e *ends) skipObjectCall(k *block, b []byte, pos int) (next int, sound bool) {
	var j scan.JSON
	n, status := j.Scan(b[pos:])
	pos += n
	pos += scan.LeadingSpace(b[pos:])
	end := bytes.Index(b[pos:], []byte(k.g.invokeClose))
	if end < 0 {
		return len(b), false
	}
	return pos + end + len(k.g.invokeClose), status == scan.Done && end == 0
}
