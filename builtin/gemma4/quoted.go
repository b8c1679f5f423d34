package gemma4

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// readQuoted reads a value between ordinary quotation marks or backticks, which are no
// part of it. It ends at the mark behind which the body goes on as its grammar asks; other
// such marks are data. Where the text ends before that, the call's first closer in it
// counts.
func (b *body) readQuoted(w *sdk.Window) verdict {
	p := w.Bytes()
	for at := w.Scanned; ; at++ {
		for at < len(p) && p[at] != b.mark && p[at] != '\\' && p[at] != '<' {
			at++
		}
		v := scan.Wait
		switch {
		case at == len(p):
		case p[at] == b.mark:
			v = b.endsQuoted(p[at+1:], w.Final)
		case p[at] == '<':
			v = b.seeCloser(p, at, w.Final)
		case b.mark == '`': // no escapes there
			v = scan.No
		case at+1 < len(p):
			at++
			v = scan.No
		}
		b.releaseOldCandidate(w, at)
		switch {
		case v == scan.Wait:
			w.Scanned = at
			b.emitQuotedPart(w)
			return bodyMore
		case v == scan.Yes && p[at] == b.mark:
			b.endQuoted(w, at)
			return bodyAgain
		}
	}
}

// quotedReadings say how a value between such marks is read.
var quotedReadings = map[byte]uint8{'"': abi.ReadJSONBody, '\'': abi.ReadPythonBody, '`': abi.ReadString}

// emitQuotedPart emits what is certain of the value, which is read up to Scanned.
func (b *body) emitQuotedPart(w *sdk.Window) {
	n := w.Scanned
	if b.candidate != none {
		n = min(n, b.candidate)
	}
	if b.mute || n == 0 {
		return
	}
	w.Value(0, n, quotedReadings[b.mark]|abi.FlagMore)
	w.Skip(n)
	if b.candidate != none {
		b.candidate -= n
	}
}

// endQuoted ends the value at the mark at place at.
func (b *body) endQuoted(w *sdk.Window, at int) {
	w.Scanned = at + 1
	if !b.mute {
		w.Value(0, at, quotedReadings[b.mark])
	}
	b.candidate, b.place = none, atNext
	b.consumeBytes(w, 0)
}

// seeCloser takes note of the first closer of a call in the value.
func (b *body) seeCloser(p []byte, at int, final bool) scan.Verdict {
	v := scan.Prefix(p[at:], closeCall, final)
	if v == scan.Yes && b.candidate == none && !b.mute {
		b.candidate = at
	}
	return v
}

// endsQuoted asks whether a mark before p is the value's end: the next member or element
// follows, or the end of what holds the value and what may follow that.
func (b *body) endsQuoted(p []byte, final bool) scan.Verdict {
	n := scan.LeadingSpace(p)
	switch {
	case n > maxKey:
		return scan.No
	case n == len(p):
		return waitUnless(final)
	case p[n] == ',' && b.inArray():
		return scan.Yes
	case p[n] == ',':
		p = p[n+1:]
		p = p[scan.LeadingSpace(p):]
		if len(p) > 0 && p[0] == '}' {
			return scan.Yes
		}
		_, v := matchKey(p, final)
		return v
	case p[n] == '}' && !b.inArray(), p[n] == ']' && b.inArray():
		return b.mayFollowCloser(p[n+1:], final)
	}
	return scan.No
}

// mayFollowCloser asks whether p may stand behind the closer of the innermost object or
// array.
func (b *body) mayFollowCloser(p []byte, final bool) scan.Verdict {
	n := scan.LeadingSpace(p)
	switch {
	case n == len(p):
		return waitUnless(final)
	case b.depth > 1 && (p[n] == ',' || p[n] == '}' || p[n] == ']'):
		return scan.Yes
	case b.depth > 1:
		return scan.No
	}
	v := scan.Prefix(p[n:], closeCall, false)
	if v == scan.Wait {
		return waitUnless(final)
	}
	return v
}

// waitUnless is Wait, and Yes at the end of the text.
func waitUnless(final bool) scan.Verdict {
	if final {
		return scan.Yes
	}
	return scan.Wait
}
