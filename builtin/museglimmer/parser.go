package museglimmer

import (
	"github.com/turnkey-parsers/turnkey/abi"
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
	calls  bool // messages to tools are calls
	think  bool // messages to self are reasoning
	guided bool

	state   state
	body    body
	prose   prose.Machine
	views   *views
	from    abi.RawOffset // where the body begins
	quoted  bool          // an invoke was opened in this prose
	value   value
	payload guided.Payload
}

// Channel implements sdk.Channeler.
func (p *parser) Channel() abi.Channel { return p.start }

// begin enters what the prompt left open.
func (p *parser) begin() {
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
		p.enter(thought, 0)
		p.state = atEcho
	case p.start == abi.ChannelResponse && !p.guided:
		p.enter(answer, 0)
	case p.start == abi.ChannelResponse:
		p.enter(outside, 0)
	default:
		p.enter(opening, 0)
	}
}

// enter goes on with prose at offset at.
func (p *parser) enter(b body, at abi.RawOffset) {
	p.state, p.body, p.from, p.quoted = inProse, b, at, false
	p.prose.Switch(p.views[b], b == thought && p.think)
}

// Step implements sdk.Parser.
func (p *parser) Step(w *sdk.Window) {
	for p.step(w) {
	}
}

// step goes on to the next state. It answers false when it needs more input.
func (p *parser) step(w *sdk.Window) bool {
	switch p.state {
	case atEcho:
		return p.echo(w)
	case inHeader:
		return p.header(w)
	case inBare:
		return p.bare(w)
	case inCut:
		return p.cut(w)
	case inBlock:
		return p.block(w)
	case inInvoke:
		return p.invoke(w)
	case inCall:
		return p.call(w)
	case inKey:
		return p.key(w)
	case inValue:
		return p.readValue(w)
	case behind:
		return p.wrapper(w)
	case inPayload:
		if !p.payload.Next(w) {
			return false
		}
		p.enter(outside, w.Offset())
		return true
	}
	return p.inProse(w)
}

// inProse reads up to the next marker, and does what it asks.
func (p *parser) inProse(w *sdk.Window) bool {
	id, ok := p.prose.Next(w)
	if !ok {
		return false
	}
	switch marker := p.views[p.body].Call(id); marker {
	case eom + start, eot + start:
		p.terminator(w, marker[:len(eom)])
		p.state = inHeader
	case eom, eot:
		p.terminator(w, marker)
	case start:
		p.state = inHeader
	case message:
		p.strip(w, len(marker))
	case to:
		p.state = inBare
	case invoke:
		p.markup(w)
	case invokeClose:
		if p.quoted {
			p.say(w, len(marker))
		} else {
			w.Skip(len(marker))
		}
		p.quoted = false
	case blockOpen, blockClose:
		w.Skip(len(marker))
		p.state = behind
	case "{", "[":
		p.load()
	default:
		p.state = inCut
	}
	return true
}

// terminator ends a message.
func (p *parser) terminator(w *sdk.Window, marker string) {
	p.strip(w, len(marker))
	if p.guided && p.body == answer && marker == eot {
		p.enter(answer, w.Offset()) // the turn is over: no payload follows
		return
	}
	p.enter(outside, w.Offset())
}

// markup is an invoke's tag in prose: in a guided mode it may wrap the payload,
// else it is shown.
func (p *parser) markup(w *sdk.Window) {
	if p.guided && p.body != thought && p.body != answer {
		p.state = behind
		return
	}
	p.quoted = true
	p.say(w, len(invoke))
}

// say says n bytes of the prose.
func (p *parser) say(w *sdk.Window, n int) {
	if p.prose.Thought {
		w.Reasoning(n)
	} else {
		w.Text(n)
	}
}

// strip takes a marker out, but for a message that is shown as it stands.
func (p *parser) strip(w *sdk.Window, n int) {
	if p.body == literal {
		w.Text(n)
	} else {
		w.Skip(n)
	}
}

// echo takes a thought's header out that the prompt wrote already.
func (p *parser) echo(w *sdk.Window) bool {
	b := w.Bytes()
	n := scan.LeadingSpace(b)
	if n == len(b) && !w.Final && n < maxHeader {
		return false
	}
	p.state = inProse
	if n == len(b) || b[n] != to[0] {
		return true
	}
	h, v := rest(b, 0)
	if v == scan.Wait && !w.Final {
		p.state = atEcho
		return false
	}
	if v == scan.Yes && h.recipient(b) == self {
		w.Skip(h.len)
		p.from = w.Offset()
	}
	return true
}

// header reads the header that begins with start. What is none loses it.
func (p *parser) header(w *sdk.Window) bool {
	h, v := framed(w.Bytes())
	switch {
	case v == scan.Yes:
		p.route(w, h)
	case v == scan.Wait && !w.Final:
		return false
	case v == scan.Wait:
		w.Skip(w.Len())
		p.state = inProse
	case p.body == toTool:
		w.Skip(len(start))
		p.state = inBlock
	default:
		p.strip(w, len(start))
		p.state = inProse
	}
	return true
}

// bare reads the header that begins with "to=", perhaps behind white space. It is
// one only where a word begins. What is none is words.
func (p *parser) bare(w *sdk.Window) bool {
	b := w.Bytes()
	n := scan.LeadingSpace(b)
	if p.body != opening && n > 0 {
		p.say(w, n)
		return true
	}
	h, v := header{}, scan.No
	if n > 0 || w.Offset() == p.from || scan.IsSpace(w.Prev()) {
		h, v = rest(b, 0)
	}
	switch {
	case v == scan.Yes && h.n > 0:
		p.route(w, h)
		return true
	case v == scan.Wait && !w.Final:
		return false
	case v == scan.Wait && p.isCut(w, h):
		w.Skip(w.Len())
		p.state = inProse
		return true
	}
	p.say(w, n+len(to))
	p.state = inProse
	return true
}

// isCut says whether half a header h ends the text: it is all that the model
// wrote, or its marker has begun.
func (p *parser) isCut(w *sdk.Window, h header) bool {
	return w.Offset() == 0 && p.body == opening || w.Len()-h.at-h.n >= minCut
}

// route goes on with the message that header h begins.
func (p *parser) route(w *sdk.Window, h header) {
	to := h.recipient(w.Bytes())
	switch {
	case to == self:
		w.Skip(h.len)
		if p.think {
			w.NewThought()
		}
		p.enter(thought, w.Offset())
	case to == user || to == "":
		w.Skip(h.len)
		p.enter(answer, w.Offset())
	case p.guided:
		w.Skip(h.len)
		p.state = behind
		if p.body != thought {
			p.enter(outside, w.Offset())
			p.state = behind
		}
	case p.calls:
		w.Skip(h.len)
		p.state, p.body = inBlock, toTool
	default:
		w.Text(h.len)
		p.enter(literal, w.Offset())
	}
}

// minCut is how much of a special token is no longer text where the rest is
// missing.
const minCut = len("<|e")

// cut reads the beginning of a special token, whose rest is missing. It is dropped
// at the end of the text, and before another, so that what is left of two does
// not make a third.
func (p *parser) cut(w *sdk.Window) bool {
	b := w.Bytes()
	n := minCut
	for n < len(b) && begins(b[:n+1]) {
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
		p.strip(w, n)
	} else {
		p.say(w, minCut)
	}
	p.state = inProse
	return true
}

// begins says whether a special token begins with b.
func begins(b []byte) bool {
	_, v := specials.MatchPrefix(b, false)
	return v != scan.No
}
