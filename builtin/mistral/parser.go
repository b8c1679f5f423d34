package mistral

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/jsonbody"
	"github.com/turnkey-parsers/turnkey/builtin/internal/toolblock"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

const (
	// maxName is the longest name, and the longest id, in bytes.
	maxName = 256
	// maxSpace is how much white space is held to see what follows it.
	maxSpace = 1024
)

type state uint8

const (
	inProse state = iota
	opened        // at the opener
	inID          // after a call's name and the marker of its id
	inBody        // in a named call's arguments
	inArray
	closed // after a call or an array
)

// parser reads one session in native mode.
type parser struct {
	start abi.Channel
	tools []string
	prose prose.Machine
	state state
	body  jsonbody.Body
	array toolblock.Block
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
	case opened:
		return p.readAfterMarker(w)
	case inID:
		return p.readID(w)
	case inBody:
		if _, done := p.body.Next(w); !done {
			return false
		}
		p.state = closed
		return true
	case inArray:
		if !p.array.Step(w) {
			return false
		}
		p.state = closed
		if p.array.Refused() > 0 {
			return p.giveBack(w)
		}
		return true
	case closed:
		return p.readAfterCall(w)
	}
	if _, ok := p.prose.Next(w); !ok {
		return false
	}
	p.state = opened
	return true
}

// giveBack makes prose of the opener, behind which no call has a name.
func (p *parser) giveBack(w *sdk.Window) bool {
	p.state = inProse
	p.prose.GiveBack(w, len(toolCalls))
	return true
}

// readAfterMarker looks behind the opener at what tells the forms apart.
func (p *parser) readAfterMarker(w *sdk.Window) bool {
	b := w.Bytes()
	n := len(toolCalls) + scan.LeadingSpace(b[len(toolCalls):])
	for n <= maxSpace && scan.Prefix(b[n:], toolCalls, false) == scan.Yes { // again and again
		n += len(toolCalls)
		n += scan.LeadingSpace(b[n:])
	}
	switch {
	case n > len(toolCalls)+maxSpace, n == len(b) && w.Final:
		return p.giveBack(w)
	case n == len(b):
		return false
	case b[n] != '[' && b[n] != '{':
		return p.readHeader(w, n)
	}
	switch _, v := markers.MatchPrefix(b[n:], w.Final); v {
	case scan.Wait:
		return false
	case scan.Yes:
		return p.giveBack(w)
	}
	p.array.Enter(p.prose.Thought, len(toolCalls))
	p.state = inArray
	return true
}

// readHeader reads a name from place from on, and the marker or brace behind it. Without
// these the opener is prose.
func (p *parser) readHeader(w *sdk.Window, from int) bool {
	b := w.Bytes()
	to := from + nameLen(b[from:])
	next, at, v := stateAfterName(b, to)
	for _, tool := range p.tools { // offered names count whatever bytes they have
		switch scan.Prefix(b[from:], tool, w.Final) {
		case scan.Wait:
			v = scan.Wait
		case scan.Yes:
			if n, a, tv := stateAfterName(b, from+len(tool)); len(tool) > to-from && tv != scan.No {
				to, next, at, v = from+len(tool), n, a, tv
			}
		}
	}
	switch {
	case to == from || v == scan.No || v == scan.Wait && w.Final && to == len(b) || to-from > maxName && v != scan.Yes:
		return p.giveBack(w)
	case v == scan.Wait:
		return endCutHeader(w)
	}
	w.Call(from, to-from, 0)
	w.Skip(at)
	if p.state = next; next == inBody {
		p.body.Start(body, false)
	}
	return true
}

// readID reads a call's id. Something else there makes no call.
func (p *parser) readID(w *sdk.Window) bool {
	b := w.Bytes()
	to := nameLen(b)
	next, at, v := stateAfterName(b, to)
	switch {
	case to > maxName || v == scan.No || next == inID:
		w.CallDrop()
		at = 0
	case v == scan.Wait:
		return endCutHeader(w)
	case to > 0 && w.InCall():
		w.CallID(0, to, 0)
	}
	w.Skip(at)
	p.state = inBody
	p.body.Start(body, !w.InCall())
	return true
}

// stateAfterName looks at what follows a name or an id, at place to: a marker, or the
// arguments with white space before them. It answers which state that leads to,
// and where in the window that begins.
func stateAfterName(b []byte, to int) (next state, at int, v scan.Verdict) {
	n := scan.LeadingSpace(b[to:])
	switch {
	case n > maxSpace:
		return inProse, 0, scan.No
	case to+n == len(b):
		return inProse, 0, scan.Wait
	case b[to+n] == '{':
		return inBody, to + n, scan.Yes
	}
	id, v := markers.MatchPrefix(b[to:], false)
	switch {
	case v != scan.Yes:
		return inProse, 0, v
	case id == isArgs:
		return inBody, to + len(args), scan.Yes
	case id == isCallID:
		return inID, to + len(callID), scan.Yes
	}
	return inProse, 0, scan.No
}

// endCutHeader takes out what the end of the text cut.
func endCutHeader(w *sdk.Window) bool {
	if w.Final {
		w.CallDrop()
		w.Skip(w.Len())
	}
	return false
}

// readAfterCall looks for the closer behind a call or an array: the white space before
// it goes with it.
func (p *parser) readAfterCall(w *sdk.Window) bool {
	for w.Len() > 0 && (w.Bytes()[0] == '}' || w.Bytes()[0] == ']') { // one that is too many
		w.Skip(1)
	}
	b := w.Bytes()
	n := scan.LeadingSpace(b)
	switch v := scan.Prefix(b[n:], endCalls, w.Final); {
	case v == scan.Wait && n <= maxSpace:
		return false
	case v == scan.Yes && n <= maxSpace:
		w.Skip(n + len(endCalls))
	}
	p.state = inProse
	return true
}

// nameLen is the length of the name or id that b begins with, at most one more
// than maxName.
func nameLen(b []byte) int {
	n := 0
	for n < len(b) && n <= maxName && isName(b[n]) {
		n++
	}
	return n
}

func isName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.'
}
