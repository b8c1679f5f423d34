package museglimmer

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/param"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/guided"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// body says where prose stands.
type body uint8

const (
	opening body = iota // before the turn's first header
	outside             // between messages
	thought
	answer
	literal // in a message to a tool, where nothing is a call
	toTool  // in a message to a tool
	bodies
)

type state uint8

const (
	inProse   state = iota
	atEcho          // at the start of a thought that the prompt opened
	inHeader        // at a start
	inBare          // at a "to="
	inCut           // at the beginning of a special token
	inBlock         // in a message to a tool, outside its invokes
	atBlock         // at a block in a message to the user or to nobody
	inInvoke        // at an invoke's tag
	inCall          // in an invoke, outside its parameters
	inKey           // at a parameter's tag
	inValue         // in a parameter
	behind          // guided: behind markup that the payload may follow
	inPayload       // guided
)

// parser reads one session.
type parser struct {
	start  abi.Channel
	tools  []string
	keys   param.Declared
	calls  bool // messages to tools are calls
	think  bool // messages to self are reasoning
	guided bool

	state   state
	body    body
	around  body // around the block that is read: toTool, or what goes on behind it
	prose   prose.Machine
	views   *views
	from    abi.RawOffset // where the body begins
	quoted  bool          // an invoke was opened in this prose
	value   value
	payload guided.Payload
}

// Channel implements sdk.Channeler.
func (p *parser) Channel() abi.Channel { return p.start }

// startTurn enters what the prompt left open.
func (p *parser) startTurn() {
	switch {
	case p.guided:
		p.views = &bare
	case p.calls:
		p.views = &calls
	default:
		p.views = &plain
	}
	p.prose.Start(p.views[opening], false)
	switch {
	case p.start == abi.ChannelReasoning:
		p.enterBody(thought, 0)
		p.state = atEcho
	case p.start == abi.ChannelResponse && !p.guided:
		p.enterBody(answer, 0)
	case p.start == abi.ChannelResponse:
		p.enterBody(outside, 0)
	default:
		p.enterBody(opening, 0)
	}
}

// enterBody goes on with prose at offset at.
func (p *parser) enterBody(b body, at abi.RawOffset) {
	p.state, p.body, p.from, p.quoted = inProse, b, at, false
	p.prose.Switch(p.views[b], b == thought && p.think)
}

// Step implements sdk.Parser.
func (p *parser) Step(w *sdk.Window) {
	for p.readPart(w) {
	}
}

// readPart goes on to the next state. It answers false when it needs more input.
func (p *parser) readPart(w *sdk.Window) bool {
	switch p.state {
	case atEcho:
		return p.skipEcho(w)
	case inHeader:
		return p.readHeader(w)
	case inBare:
		return p.readBareHeader(w)
	case inCut:
		return p.endCutText(w)
	case inBlock:
		return p.readBlock(w)
	case atBlock:
		return p.readStrayBlock(w)
	case inInvoke:
		return p.readInvoke(w)
	case inCall:
		return p.readCall(w)
	case inKey:
		return p.readKey(w)
	case inValue:
		return p.readValue(w)
	case behind:
		return p.readWrapper(w)
	case inPayload:
		if !p.payload.Next(w) {
			return false
		}
		p.enterBody(outside, w.Offset())
		return true
	}
	return p.readProse(w)
}

// readProse reads up to the next marker, and does what it asks.
func (p *parser) readProse(w *sdk.Window) bool {
	id, ok := p.prose.Next(w)
	if !ok {
		return false
	}
	switch marker := p.views[p.body].Call(id); marker {
	case eom + start, eot + start:
		p.takeTerminator(w, marker[:len(eom)])
		p.state = inHeader
	case eom, eot:
		p.takeTerminator(w, marker)
	case start:
		p.state = inHeader
	case message:
		p.stripMarkup(w, len(marker))
	case to:
		p.state = inBare
	case invoke:
		p.takeMarkup(w)
	case invokeClose:
		if p.quoted {
			p.emitProse(w, len(marker))
		} else {
			w.Skip(len(marker))
		}
		p.quoted = false
	case blockOpen:
		if p.state = atBlock; p.guided {
			w.Skip(len(marker))
			p.state = behind
		}
	case blockClose:
		w.Skip(len(marker))
		if p.guided {
			p.state = behind
		}
	case "{", "[":
		p.startPayload(w, 0)
	default:
		p.state = inCut
	}
	return true
}

// takeTerminator ends a message.
func (p *parser) takeTerminator(w *sdk.Window, marker string) {
	p.stripMarkup(w, len(marker))
	if p.guided && p.body == answer && marker == eot {
		p.enterBody(answer, w.Offset()) // the turn is over: no payload follows
		return
	}
	p.enterBody(outside, w.Offset())
}

// takeMarkup is an invoke's tag in prose: in a guided mode it may wrap the payload,
// else it is shown.
func (p *parser) takeMarkup(w *sdk.Window) {
	if p.guided && p.body != thought && p.body != answer {
		p.state = behind
		return
	}
	p.quoted = true
	p.emitProse(w, len(invoke))
}

// emitProse emits n bytes of the prose.
func (p *parser) emitProse(w *sdk.Window, n int) {
	if p.prose.Thought {
		w.Reasoning(n)
	} else {
		w.Text(n)
	}
}

// stripMarkup takes a marker out, but for a message that is shown as it stands.
func (p *parser) stripMarkup(w *sdk.Window, n int) {
	if p.body == literal {
		w.Text(n)
	} else {
		w.Skip(n)
	}
}

// skipEcho takes a thought's header out that the prompt wrote already.
func (p *parser) skipEcho(w *sdk.Window) bool {
	b := w.Bytes()
	n := scan.LeadingSpace(b)
	if n == len(b) && !w.Final && n < maxHeader {
		return false
	}
	p.state = inProse
	if n == len(b) || b[n] != to[0] {
		return true
	}
	h, v := readHeaderRest(b, 0)
	if v == scan.Wait && !w.Final {
		p.state = atEcho
		return false
	}
	if v == scan.Yes && h.recipientIn(b) == self {
		w.Skip(h.len)
		p.from = w.Offset()
	}
	return true
}

// readHeader reads the header that begins with start. What is none loses it.
func (p *parser) readHeader(w *sdk.Window) bool {
	h, v := readFramedHeader(w.Bytes())
	switch {
	case v == scan.Yes:
		p.routeMessage(w, h)
	case v == scan.Wait && !w.Final:
		return false
	case v == scan.Wait:
		w.Skip(w.Len())
		p.state = inProse
	case p.body == toTool:
		w.Skip(len(start))
		p.state = inBlock
	default:
		p.emitProse(w, len(start))
		p.state = inProse
	}
	return true
}

// readBareHeader reads the header that begins with "to=", perhaps behind white space. It is
// one only where a word begins. What is none is words.
func (p *parser) readBareHeader(w *sdk.Window) bool {
	b := w.Bytes()
	n := scan.LeadingSpace(b)
	if p.body != opening && n > 0 {
		p.emitProse(w, n)
		return true
	}
	h, v := header{}, scan.No
	if n > 0 || w.Offset() == p.from || scan.IsSpace(w.Prev()) {
		h, v = readHeaderRest(b, 0)
	}
	switch {
	case v == scan.Yes && h.n > 0:
		p.routeMessage(w, h)
		return true
	case v == scan.Wait && !w.Final:
		return false
	case v == scan.Wait && p.isCutHeader(w, h):
		w.Skip(w.Len())
		p.state = inProse
		return true
	}
	p.emitProse(w, n+len(to))
	p.state = inProse
	return true
}

// isCutHeader says whether half a header h ends the text: it is all that the model
// wrote, or its marker has begun.
func (p *parser) isCutHeader(w *sdk.Window, h header) bool {
	return w.Offset() == 0 && p.body == opening || w.Len()-h.at-h.n >= minCut
}

// routeMessage goes on with the message that header h begins.
func (p *parser) routeMessage(w *sdk.Window, h header) {
	to := h.recipientIn(w.Bytes())
	switch {
	case to == self:
		w.Skip(h.len)
		if p.think {
			w.NewThought()
		}
		p.enterBody(thought, w.Offset())
	case to == user || to == "":
		w.Skip(h.len)
		p.enterBody(answer, w.Offset())
	case p.guided:
		w.Skip(h.len)
		p.state = behind
		if p.body != thought {
			p.enterBody(outside, w.Offset())
			p.state = behind
		}
	case p.calls:
		w.Skip(h.len)
		p.state, p.body, p.around = inBlock, toTool, toTool
	default:
		w.Text(h.len)
		p.enterBody(literal, w.Offset())
	}
}

// minCut is how much of a special token is no longer text where the rest is
// missing.
const minCut = len("<|e")

// endCutText reads the beginning of a special token, whose rest is missing. It is dropped
// at the end of the text, and before another, so that what is left of two does
// not make a third.
func (p *parser) endCutText(w *sdk.Window) bool {
	b := w.Bytes()
	n := minCut
	for n < len(b) && beginsHeader(b[:n+1]) {
		n++
	}
	v := scan.No
	if n < len(b) {
		_, v = specials.MatchPrefix(b[n:], w.Final)
	} else if w.Final {
		v = scan.Yes
	}
	if v == scan.Wait {
		return false
	}
	if v == scan.Yes {
		p.stripMarkup(w, n)
	} else {
		p.emitProse(w, minCut)
	}
	p.state = inProse
	return true
}

// beginsHeader says whether a special token begins with b.
func beginsHeader(b []byte) bool {
	_, v := specials.MatchPrefix(b, false)
	return v != scan.No
}
