package kimik2

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/jsonbody"
	"github.com/turnkey-parsers/turnkey/builtin/internal/toolname"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

const (
	// maxHeader is the longest header in bytes: longer is none.
	maxHeader = 512
	// maxProse is how much may stand behind the first byte that no header has,
	// before it is prose.
	maxProse = 64
	// maxSpace is how much white space between markers is structure.
	maxSpace = 1024
)

type state uint8

const (
	inProse  state = iota
	atOpener       // at the opener of a call, or of its section
	counted        // at the opener of a call that has a number in place of a name
	inBody         // behind the argument marker
	behind         // behind a call of a section
)

// parser reads one session in native mode.
type parser struct {
	dialect
	open    *abi.OpenBlock
	start   abi.Channel
	prose   prose.Machine
	state   state
	opener  string // with which the window begins
	section bool   // the call stands in a section
	args    int    // place of the arguments of a call with a number
	json    scan.JSON
	body    jsonbody.Body
}

// Channel implements sdk.Channeler.
func (p *parser) Channel() abi.Channel { return p.start }

// Step implements sdk.Parser.
func (p *parser) Step(w *sdk.Window) {
	for p.readPart(w) {
	}
}

// readPart goes on to the next state. It answers false when it needs more input.
func (p *parser) readPart(w *sdk.Window) bool {
	switch p.state {
	case atOpener:
		return p.readOpener(w)
	case counted:
		return p.readCountedCall(w)
	case inBody:
		if _, done := p.body.Next(w); !done {
			return false
		}
		p.leaveCall()
		return true
	case behind:
		return p.readBehindCall(w)
	}
	id, ok := p.prose.Next(w)
	if ok {
		p.opener, p.section, p.state = p.dialect.prose.Call(id), id > 0, atOpener
	}
	return ok
}

// beginArguments enters a call's arguments at place at. Muted ones belong to no call.
func (p *parser) beginArguments(w *sdk.Window, at int, mute bool) bool {
	w.Skip(at)
	p.state = inBody
	if p.prose.Thought {
		p.body.Start(p.inThought, mute)
	} else {
		p.body.Start(inText, mute)
	}
	return true
}

// leaveCall goes on behind a call.
func (p *parser) leaveCall() {
	p.state = inProse
	if p.section {
		p.state = behind
	}
}

// readBehindCall reads up to the next call of a section or its closer. With anything else
// prose goes on.
func (p *parser) readBehindCall(w *sdk.Window) bool {
	b := w.Bytes()
	n := scan.LeadingSpace(b)
	id, v := p.structure.MatchPrefix(b[n:], w.Final)
	switch {
	case n == len(b) && w.Final:
		w.Skip(n)
		return false
	case v == scan.Wait && n < maxSpace:
		return false
	case v == scan.Yes:
		w.Skip(n)
	}
	p.state = inProse
	if v == scan.Yes && id == isCallBegin {
		p.opener, p.state = callBegin, atOpener
	}
	return true
}

// giveBack makes prose of the opener.
func (p *parser) giveBack(w *sdk.Window) bool {
	p.prose.GiveBack(w, len(p.opener))
	p.state = inProse
	return true
}

// readOpener looks at an opener, and at the header behind it. Nothing is consumed before
// it is known what it is.
func (p *parser) readOpener(w *sdk.Window) bool {
	b := w.Bytes()
	at := len(p.opener)
	if p.opener != callBegin {
		at += scan.LeadingSpace(b[at:])
		switch id, v := p.structure.MatchPrefix(b[at:], w.Final); {
		case v == scan.Wait && at < maxSpace:
			return false
		case v == scan.Yes && (id == isSectionEnd || id == isSectionEnd1): // an empty section
			w.Skip(at + p.structure.Len(id))
			p.state = inProse
			return true
		case v != scan.Yes || id != isCallBegin:
			return p.giveBack(w)
		}
		at += len(callBegin)
	}
	end, id, v := p.structure.Find(b, at, w.Final)
	h := b[at:min(end, at+maxHeader+1)]
	switch {
	case len(h) > maxHeader || p.isProse(h):
		return p.giveBack(w)
	case v != scan.Yes && !w.Final:
		return false
	}
	if v == scan.Yes && id == isArgBegin {
		return p.takeHeader(w, h, at, end+len(argBegin))
	}
	if _, _, found := p.nameOf(h); found == noName || found == number {
		return p.giveBack(w)
	}
	return p.endHeader(w, end, id, v)
}

// endHeader leaves a header with a name that ends, at place end, with no argument marker:
// no call.
func (p *parser) endHeader(w *sdk.Window, end, id int, v scan.Verdict) bool {
	w.Note(noteHeader)
	if v == scan.Yes && id == isCallEnd {
		end += len(callEnd)
	}
	w.Skip(end)
	p.leaveCall()
	return true
}

// What the operator is told of calls that were dropped.
const noteHeader = "a tool call was dropped: its header has a name and is not whole"

// takeHeader opens the call that header h names, which begins at place at. Its arguments
// begin at place next.
func (p *parser) takeHeader(w *sdk.Window, h []byte, at, next int) bool {
	name, n, found := p.nameOf(h)
	switch found {
	case noName:
		return p.giveBack(w)
	case number:
		p.state, p.args, p.json = counted, next, scan.JSON{Lenient: true}
		w.Scanned = next
		return true
	case halfName:
		w.Note(noteHeader)
		return p.beginArguments(w, next, true)
	}
	id := at + scan.LeadingSpace(h)
	w.Call(at+name, n, 0)
	w.CallID(id, scan.TrimmedLen(h)-(id-at), 0)
	return p.beginArguments(w, next, false)
}

// readCountedCall reads the arguments of a call that has a number in place of a name: it
// is one of the tool that alone accepts them.
func (p *parser) readCountedCall(w *sdk.Window) bool {
	b := w.Bytes()
	n, status := p.json.Scan(b[w.Scanned:min(len(b), prose.MaxHeld)])
	w.Scanned += n
	switch {
	case status == scan.More && !w.Final && len(b) < prose.MaxHeld:
		return false
	case status == scan.Done:
		if tool, ok := toolname.OnlyFor(p.open, b[p.args:w.Scanned]); ok {
			w.CallLiteral(tool)
			return p.beginArguments(w, p.args, false)
		}
	}
	return p.giveBack(w)
}

// isProse says whether what stands behind a call's opener can no longer be a header: it
// holds bytes that no header has, and then a line's end or more than a header may hold by
// mistake.
func (p *parser) isProse(h []byte) bool {
	rest := h[headerLen(h):]
	if len(rest) <= maxProse && bytes.IndexByte(rest, '\n') < 0 {
		return false
	}
	name := bytes.TrimPrefix(h[scan.LeadingSpace(h):], []byte(functions))
	if colon := bytes.LastIndexByte(name, ':'); colon >= 0 && toolname.Offers(p.open.Tools, name[:colon]) {
		return false
	}
	return !toolname.MayOffer(p.open.Tools, name)
}

// headerLen is how far h may be the beginning of a header.
func headerLen(h []byte) int {
	n := scan.LeadingSpace(h)
	for n < len(h) && isNameByte(h[n]) {
		n++
	}
	return n + scan.LeadingSpace(h[n:])
}

// functions stands before most names.
const functions = "functions."

// found is what a header holds.
type found uint8

const (
	noName   found = iota
	halfName       // a name, without the number that belongs to it
	number         // a number, without a name
	wholeName
)

// nameOf gives the name that header h holds, n bytes at place at: one that the request
// offers, or one that is made of the bytes of names.
func (p *parser) nameOf(h []byte) (at, n int, f found) {
	at = scan.LeadingSpace(h)
	id := h[at:max(at, scan.TrimmedLen(h))]
	n, f = len(id), halfName
	if colon := bytes.LastIndexByte(id, ':'); colon >= 0 && allDigits(id[colon+1:]) {
		n, f = colon, wholeName
	}
	switch {
	case allDigits(id):
		return at, n, number
	case toolname.Offers(p.open.Tools, id[:n]):
		return at, n, f
	case bytes.HasPrefix(id, []byte(functions)) && n >= len(functions):
		at, n, id = at+len(functions), n-len(functions), id[len(functions):]
		if toolname.Offers(p.open.Tools, id[:n]) {
			return at, n, f
		}
	}
	if n == 0 || f == halfName {
		return at, n, noName
	}
	for _, c := range id[:n] {
		if !isNameByte(c) || c == ':' {
			return at, n, noName
		}
	}
	return at, n, f
}

func allDigits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) > 0
}

// isNameByte says whether c may stand in an id. Bytes of non-ASCII letters do.
func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '_' || c == '.' || c == '-' || c == ':' || c >= 0x80
}
