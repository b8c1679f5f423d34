package kimik3

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/jsonbody"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// state is where in the turn the parser stands.
type state uint8

const (
	inProse state = iota
	atHead        // in prose, at a marker that what follows tells more of
	inStray       // in an argument outside any call
	atTools       // at the opener of calls
	inTools       // between calls, or in what is left of a broken one
	inBody        // between a call's arguments
	atKey         // behind an argument's header, while its key may yet come again
	inValue       // in an argument's value
	inJSON        // in a call's json block
	ended         // behind the end of the turn
)

// channelOf prose: a thought is in the idle channel.
type proseChannel uint8

const (
	idle proseChannel = iota
	inResponse
)

// parser reads one session in native mode.
type parser struct {
	dialect
	start   abi.Channel
	reading bool // calls are read
	prose   prose.Machine
	channel proseChannel
	state   state
	head    mark // atHead, inStray: which
	headLen int

	tools   bool // the calls stand in a tools channel
	whole   bool // an argument or the json block has been closed
	void    bool // no argument may follow: the json block was one
	body    jsonbody.Body
	value   value
	settled abi.RawOffset // candidates before this offset are the best there are
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
	case inProse:
		return p.readProse(w)
	case atHead:
		return p.readHead(w)
	case inStray:
		return p.readStrayMark(w)
	case atTools:
		return p.readFirstCall(w)
	case inTools:
		return p.readBetweenCalls(w)
	case inBody:
		return p.readBody(w)
	case atKey:
		return p.readKey(w)
	case inValue:
		return p.readValue(w)
	case inJSON:
		if _, done := p.body.Next(w); !done {
			return false
		}
		p.whole, p.void = true, true
		p.state = inBody
		return true
	}
	w.Skip(w.Len())
	return false
}

// enterChannel goes to a channel's prose.
func (p *parser) enterChannel(c proseChannel) {
	p.channel, p.state = c, inProse
	if c == inResponse {
		p.prose.Start(p.response.Grammar, false)
	} else {
		p.prose.Start(p.idle.Grammar, false)
	}
}

func (p *parser) grammar() *grammar {
	if p.channel == inResponse {
		return p.response
	}
	return p.idle
}

func (p *parser) readProse(w *sdk.Window) bool {
	id, ok := p.prose.Next(w)
	if !ok {
		return false
	}
	g := p.grammar()
	m, n := g.kinds[id], len(g.Call(id))
	switch {
	case m == openTools && !p.reading:
		p.prose.Thought = false
		w.Text(n)
	case m >= headCall:
		p.state, p.head, p.headLen = atHead, m, n
	case m == openTools:
		p.state, p.headLen = atTools, n
	default:
		w.Skip(n)
		switch m {
		case openResponse:
			p.enterChannel(inResponse)
		case closeResponse:
			p.enterChannel(idle)
		default:
			p.state = ended
		}
	}
	return true
}

// giveBack makes prose of a marker that the window begins with, of n bytes.
func (p *parser) giveBack(w *sdk.Window, n int) bool {
	p.prose.GiveBack(w, n)
	p.state = inProse
	return true
}

// readFirstCall expects a call, or the closer, behind the opener of the calls. Without one
// the opener is prose.
func (p *parser) readFirstCall(w *sdk.Window) bool {
	b := w.Bytes()
	at := p.headLen + scan.LeadingSpace(b[p.headLen:])
	m, n, v := structure.matchAt(b[at:], w.Final)
	if v == scan.Yes && m == closeTools {
		w.Skip(at + n)
		p.state = inProse
		return true
	}
	var h header
	if v == scan.Yes && m == headCall {
		h, v = readHeader(b[at:], n, w.Final)
	} else if v == scan.Yes {
		v = scan.No
	}
	switch {
	case v == scan.Wait && at-p.headLen <= maxHeader && !w.Final:
		return false
	case v != scan.Yes || h.tool.n == 0:
		return p.giveBack(w, p.headLen)
	}
	p.tools = true
	p.emitCall(w, at, h)
	return true
}

// readHead reads what makes a marker of a head in prose. A broken header is prose; one
// of a part of a call is taken out as far as its word.
func (p *parser) readHead(w *sdk.Window) bool {
	b, n := w.Bytes(), p.headLen
	switch p.head {
	case bare, headThink:
		return p.endHalfHead(w)
	}
	h, v := readHeader(b, n, w.Final)
	switch {
	case v == scan.Wait:
		return false
	case p.head == headCall && p.reading && h.tool.n == 0:
		return p.giveBack(w, n)
	case w.Final && v == scan.No && openEnded(b, n):
		w.Skip(w.Len())
		return false
	case v == scan.No:
		w.Skip(n)
		p.state = inProse
	case p.head == headMessage:
		w.Skip(h.n)
		p.state = inProse
	case !p.reading:
		p.prose.Thought = false
		w.Text(h.n)
		p.state = inProse
	case p.head == headCall:
		p.tools = false
		p.emitCall(w, 0, h)
	default:
		w.Skip(h.n)
		p.state = inStray
	}
	return true
}

// openEnded says whether the header that b begins with lacks only its end.
func openEnded(b []byte, head int) bool {
	_, v := readHeader(b, head, false)
	return v == scan.Wait
}

// endHalfHead reads a marker that is not whole. At the text's end it was cut. A closer
// of a thought ends it also without the separator, if another marker follows or
// nothing. Anything else is prose.
func (p *parser) endHalfHead(w *sdk.Window) bool {
	b, n := w.Bytes(), p.headLen
	p.state = inProse
	rest := b[n:]
	if p.head == headThink {
		_, _, v := structure.matchAt(rest, w.Final)
		switch {
		case v == scan.Wait:
			p.state = atHead
			return false
		case v == scan.Yes, w.Final && (len(rest) == 0 || isPartialMark(b) || isPartialMark(rest)):
			w.Skip(n)
			p.prose.Thought = false
			return true
		}
	} else if w.Final && isPartialMark(b) {
		w.Skip(w.Len())
		return false
	}
	if p.prose.Thought {
		w.Reasoning(n)
	} else {
		w.Text(n)
	}
	return true
}

// readStrayMark takes an argument out that belongs to no call.
func (p *parser) readStrayMark(w *sdk.Window) bool {
	at, m, n, v := structure.findFrom(w.Bytes(), 0, w.Final)
	w.Skip(at)
	if v != scan.Yes {
		if w.Final {
			w.Skip(w.Len())
		}
		return false
	}
	switch {
	case m == closeArgument && p.head == headArgument, m == closeJSON && p.head == headJSON:
		w.Skip(n)
		p.state = inProse
	case p.belongsToProse(m), m == openTools, m == headCall:
		p.state = inProse
	default:
		w.Skip(n)
	}
	return true
}

// belongsToProse says whether a marker between calls, or in what is left of a broken one,
// belongs to the prose around them.
func (p *parser) belongsToProse(m mark) bool {
	switch m {
	case closeMessage, endMark:
		return true
	case closeThink:
		return p.prose.Thought
	case openThink, openResponse:
		return p.channel != inResponse
	case closeResponse:
		return p.channel == inResponse
	}
	return false
}

// readBetweenCalls reads up to the next call, or to where the prose goes on. What else
// stands there is dropped.
func (p *parser) readBetweenCalls(w *sdk.Window) bool {
	b := w.Bytes()
	at, m, n, v := structure.findFrom(b, 0, w.Final)
	w.Skip(at)
	if v != scan.Yes {
		if w.Final {
			w.Skip(w.Len())
		}
		return false
	}
	switch {
	case m == headCall:
		h, v := readHeader(w.Bytes(), n, w.Final)
		switch {
		case v == scan.Wait:
			return false
		case v == scan.No || h.tool.n == 0:
			return p.giveBack(w, n)
		}
		p.emitCall(w, 0, h)
	case p.belongsToProse(m):
		p.state = inProse
	case m == closeTools, m == closeCall && !p.tools:
		w.Skip(n)
		p.state = inProse
	default:
		w.Skip(n)
	}
	return true
}
