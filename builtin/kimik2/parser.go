package kimik2

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/jsonbody"
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
)

type state uint8

const (
	inProse   state = iota
	inSection       // between the calls of a section
	inHeader        // after a call's opener
	inBody          // behind the argument marker
)

// parser reads one session in native mode.
type parser struct {
	dialect
	start   abi.Channel
	prose   prose.Machine
	state   state
	section bool // the call stands in a section
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
	case inSection:
		return p.readBetweenCalls(w)
	case inHeader:
		return p.readHeader(w)
	case inBody:
		if _, done := p.body.Next(w); !done {
			return false
		}
		p.leaveSection()
		return true
	}
	id, ok := p.prose.Next(w)
	if !ok {
		return false
	}
	w.Skip(len(p.dialect.prose.Call(id)))
	p.section = id > 0
	p.state = inHeader
	if p.section {
		p.state = inSection
	}
	return true
}

// beginArguments enters a call's arguments. Muted ones belong to no call.
func (p *parser) beginArguments(mute bool) {
	p.state = inBody
	if p.prose.Thought {
		p.body.Start(p.inThought, mute)
	} else {
		p.body.Start(inText, mute)
	}
}

// leaveSection goes on behind a call.
func (p *parser) leaveSection() {
	p.state = inProse
	if p.section {
		p.state = inSection
	}
}

// readBetweenCalls reads a section up to its next call or its end. What else stands there
// is noise.
func (p *parser) readBetweenCalls(w *sdk.Window) bool {
	at, id, v := p.structure.Find(w.Bytes(), 0, w.Final)
	w.Skip(at)
	if v != scan.Yes {
		return false
	}
	if id == isEndThink && p.prose.Thought {
		p.state = inProse
		return true
	}
	w.Skip(p.structure.Len(id))
	switch id {
	case isCallBegin:
		p.state = inHeader
	case isArgBegin:
		p.beginArguments(true)
	case isSectionEnd, isSectionEnd1:
		p.state = inProse
	}
	return true
}

// readHeader reads up to the argument marker, or to what shows that there is none.
func (p *parser) readHeader(w *sdk.Window) bool {
	b := w.Bytes()
	at, id, v := p.structure.Find(b, 0, w.Final)
	h := b[:min(at, maxHeader+1)]
	if p.isProse(h) {
		p.state = inProse
		return true
	}
	if at > maxHeader {
		p.leaveSection()
		return true
	}
	if v != scan.Yes {
		if !w.Final {
			return false
		}
		p.endCutHeader(w, h)
		return true
	}
	switch id {
	case isArgBegin:
		call := p.emitCall(w, h)
		w.Skip(at + len(argBegin))
		p.beginArguments(!call)
	case isCallEnd:
		w.Skip(at + len(callEnd))
		p.leaveSection()
	case isCallBegin:
		w.Skip(at + len(callBegin))
	case isThink, isEndThink:
		p.endCutHeader(w, h)
	default:
		w.Skip(at)
		p.leaveSection()
	}
	return true
}

// isProse says whether what stands behind a call's opener outside a section can
// no longer be a header: it holds bytes that no header has, and then a line's end
// or more than a header may hold by mistake.
func (p *parser) isProse(h []byte) bool {
	if p.section {
		return false
	}
	n := headerLen(h)
	rest := h[n:]
	return len(rest) > maxProse || bytes.IndexByte(rest, '\n') >= 0
}

// endCutHeader leaves a header that ends without an argument marker or a closer.
func (p *parser) endCutHeader(w *sdk.Window, h []byte) {
	if p.section || headerLen(h) == len(h) {
		w.Skip(len(h))
	}
	p.leaveSection()
}

// headerLen is how far h may be the beginning of a header.
func headerLen(h []byte) int {
	n := scan.LeadingSpace(h)
	for n < len(h) && isNameByte(h[n]) {
		n++
	}
	return n + scan.LeadingSpace(h[n:])
}

// emitCall opens the call that header h names. It answers false if h names none.
func (p *parser) emitCall(w *sdk.Window, h []byte) bool {
	at := scan.LeadingSpace(h)
	if at == len(h) {
		return false
	}
	id := h[at:scan.TrimmedLen(h)]
	colon := bytes.LastIndexByte(id, ':')
	if colon < 0 || !allDigits(id[colon+1:]) {
		return false
	}
	from := 0
	if bytes.HasPrefix(id, []byte("functions.")) {
		from = len("functions.")
	}
	if from >= colon {
		return false
	}
	for _, c := range id[from:colon] {
		if !isNameByte(c) || c == ':' {
			return false
		}
	}
	w.Call(at+from, colon-from, 0)
	w.CallID(at, len(id), 0)
	return true
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
