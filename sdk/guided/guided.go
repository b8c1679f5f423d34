// Package guided is the parser for guided modes, in which the engine was made to
// emit bare JSON for its calls. It is the same for every family: it separates
// reasoning from the answer, takes native markup round the JSON out, and marks the
// JSON as payload. The host reads the calls from the payload. Where the model wrote
// a native call all the same, the family's own parser takes over.
package guided

import (
	"slices"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// Markup lists the native markup of a family.
type Markup struct {
	// Think and EndThink open and close a thought. Where the session starts in an
	// open response they are literal.
	Think, EndThink []string
	// Strip are markers that are taken out wherever they stand unquoted.
	Strip []string
	// Frames are markers that begin a message: a native call may be in it. They are
	// taken out, and end a thought.
	Frames []string
	// Openers are markers that begin a native call: they are taken out before the
	// payload, and are prose where they begin neither.
	Openers []string
	// Headers are openers behind which a call's name may stand.
	Headers []Header
	// Tags are as in prose.Markers.
	Tags []string
	// Asked are markers that are markup only before what Ask knows, and words
	// elsewhere. Ask makes that of a session.
	Asked []string
	Ask   func() Ask
}

// Ask asks whether the marker that the window begins with is markup: Yes, its
// first n bytes are, which are then taken out; No, it is prose. It is asked again
// where it answered Wait; fresh is true the first time, and Window.Scanned is
// then 0 and for its own use.
type Ask func(w *sdk.Window, fresh bool) (n int, v scan.Verdict)

// Header is a marker with a name behind it.
type Header struct {
	Marker string
	// End closes the name. Where it is empty, the name ends where another marker
	// or the payload begins, and without one of these it is prose.
	End string
	// Attributes says that attributes in quotation marks stand before End, as in a
	// tag. The payload may cut them short.
	Attributes bool
}

// Grammar is Markup made ready for scanning. It may be shared.
type Grammar struct {
	Markup
	normal, response *prose.Grammar
	markers          *scan.Set // Strip, Frames, Openers, Headers, Asked, in the order of the ids that prose gives
	firstHeader      int       // the place of the first of Headers there
	firstAsked       int       // the place of the first of Asked there
	allMarkers       *scan.Set // all of these and those of thoughts
	thoughts         *scan.Set // those of thoughts
}

// Compile makes a Grammar.
func Compile(m Markup) *Grammar {
	g := &Grammar{Markup: m}
	markers := slices.Concat(m.Strip, m.Frames, m.Openers)
	g.firstHeader = len(markers)
	for _, h := range m.Headers {
		markers = append(markers, h.Marker)
	}
	g.firstAsked = len(markers)
	markers = append(markers, m.Asked...)
	g.markers = scan.NewSet(markers...)
	g.thoughts = scan.NewSet(slices.Concat(m.Think, m.EndThink)...)
	g.allMarkers = scan.NewSet(slices.Concat(m.Think, m.EndThink, markers)...)
	calls := append(slices.Clone(markers), "{", "[")
	g.normal = prose.Compile(prose.Markers{Think: m.Think, EndThink: m.EndThink, Calls: calls, Tags: m.Tags})
	g.response = prose.Compile(prose.Markers{Calls: calls, Tags: m.Tags})
	return g
}

// Native makes the family's parser of native calls for a session. The session that
// it is given starts in the channel that is open at the call.
type Native func(open *abi.OpenBlock) sdk.Parser

// New makes the parser of a session in a guided mode. The session starts in the
// channel open.Start; see sdk.StartOf. native may be nil: then nothing is a native
// call.
func New(g *Grammar, open *abi.OpenBlock, native Native) sdk.Parser {
	p := &parser{g: g, start: open.Start, named: open.Mode == abi.ModeGuidedNamed, native: native, open: *open}
	p.open.Mode = abi.ModeNative
	if g.Ask != nil {
		p.ask = g.Ask()
	}
	switch open.Start {
	case abi.ChannelResponse:
		p.prose.Start(g.response, false)
	case abi.ChannelReasoning:
		p.prose.Start(g.normal, true)
		p.state = atThoughtStart
	default:
		p.prose.Start(g.normal, false)
	}
	return p
}

// maxLookahead is how much white space, or how long a name, is held to learn what
// stands behind it.
const maxLookahead = 1024

type state uint8

const (
	inProse        state = iota
	atThoughtStart       // at the start of an open thought
	atOpener             // at what may begin a native call
	inTrial              // there, and the native parser reads on
	afterMarker          // directly behind a marker
	afterPayload         // directly behind the payload
	inPayload
	inNativeTurn  // the native parser reads the rest
	atAskedMarker // at a marker of Asked
	awaitingAsk   // and Ask answered Wait
)

type parser struct {
	g           *Grammar
	start       abi.Channel
	prose       prose.Machine
	payload     Payload
	state       state
	named       bool // the payload is one tool's arguments
	askedMarker int  // at this marker
	ask         Ask

	native Native
	open   abi.OpenBlock // of a native session
	trial  sdk.Trial
	taken  sdk.Parser // the native parser that reads the rest
}

// Channel implements sdk.Channeler.
func (p *parser) Channel() abi.Channel { return p.start }

// Step implements sdk.Parser.
func (p *parser) Step(w *sdk.Window) {
	for p.readPart(w) {
	}
}

// readPart reads one part of the turn, and answers false when more input is needed.
func (p *parser) readPart(w *sdk.Window) (more bool) {
	switch p.state {
	case atThoughtStart:
		return p.readThoughtStart(w)
	case afterMarker:
		return p.readAfterMarker(w)
	case afterPayload:
		return p.readAfterPayload(w)
	case inPayload:
		if !p.payload.Next(w) {
			return false
		}
		p.state = afterPayload
		return true
	case atOpener:
		return p.readOpener(w)
	case inTrial:
		return p.tryNative(w)
	case inNativeTurn:
		p.taken.Step(w)
		return false
	case atAskedMarker, awaitingAsk:
		return p.askFamily(w)
	}
	id, ok := p.prose.Next(w)
	switch {
	case !ok:
		return false
	case id >= p.g.firstAsked && id < p.g.markers.Count():
		p.state, p.askedMarker = atAskedMarker, id
	case id < len(p.g.Strip):
		w.Skip(p.g.markers.Len(id))
		p.state = afterMarker
	case id >= p.g.markers.Count() && p.prose.Thought:
		w.Reasoning(1)
	default:
		p.state = atOpener
	}
	return true
}

// readThoughtStart reads the start of a thought that the prompt left open. A grammar that
// forbids the closer makes the model begin with the payload at once.
func (p *parser) readThoughtStart(w *sdk.Window) bool {
	b := w.Bytes()
	n := scan.LeadingSpace(b)
	if n == len(b) && !w.Final && n < maxLookahead {
		return false
	}
	v := scan.No
	if n < maxLookahead {
		v = p.payloadOpens(b[n:], w.Final)
	}
	switch v {
	case scan.Wait:
		return false
	case scan.Yes:
		w.Text(n)
		p.prose.Thought = false
		p.beginPayload()
	default:
		p.state = inProse
	}
	return true
}

// payloadOpens asks whether b begins with a payload. Where a family's markers begin
// with a bracket, they are none.
func (p *parser) payloadOpens(b []byte, final bool) scan.Verdict {
	if len(b) == 0 || b[0] != '{' && b[0] != '[' {
		return scan.No
	}
	switch _, v := p.g.allMarkers.MatchPrefix(b, final); v {
	case scan.Wait:
		return scan.Wait
	case scan.Yes:
		return scan.No
	}
	return scan.Yes
}

// readOpener decides what begins at the window's start, which is an opener or a bracket: the
// payload, behind openers or not, a native call, or prose.
func (p *parser) readOpener(w *sdk.Window) bool {
	n, header, v := p.payloadBehind(w.Bytes(), w.Final)
	native := v == scan.No
	if v == scan.Yes && w.Bytes()[n] == '{' {
		native = header && !p.named // an object behind a name is that call's
	} else if v == scan.Yes && w.Bytes()[n] == '[' {
		native, v = p.isNoList(w.Bytes()[n:], w.Final)
	}
	switch {
	case v == scan.Wait:
		return false
	case native && p.native != nil:
		p.open.Start = abi.ChannelContent
		if p.prose.Thought {
			p.open.Start = abi.ChannelReasoning
		} else if p.start == abi.ChannelResponse {
			p.open.Start = abi.ChannelResponse
		}
		p.trial.Start(w, p.native(&p.open))
		p.state = inTrial
	default:
		p.readGuided(w)
	}
	return true
}

// tryNative lets the native parser read on, and gives it the rest once it reads a
// call.
func (p *parser) tryNative(w *sdk.Window) bool {
	switch p.trial.Step(w) {
	case sdk.Undecided:
		return false
	case sdk.Accepted:
		p.taken = p.trial.TakeOver(w)
		p.state = inNativeTurn
		p.trial = sdk.Trial{}
		return false
	}
	p.trial = sdk.Trial{}
	p.readGuided(w)
	return true
}

// readGuided reads on at an opener or a bracket that begins no native call.
func (p *parser) readGuided(w *sdk.Window) {
	n, _, v := p.payloadBehind(w.Bytes(), true)
	switch {
	case v == scan.Yes:
		w.Skip(n)
		p.prose.Thought = false
		p.beginPayload()
		return
	case n > 0: // before what opens or closes a thought
		w.Skip(n)
	default:
		id, _ := p.g.markers.MatchPrefix(w.Bytes(), true)
		switch n := p.g.markers.Len(id); {
		case id < len(p.g.Strip)+len(p.g.Frames):
			w.Skip(n)
			p.prose.Thought = false
		case !p.prose.Thought:
			w.Text(n)
		case w.Final && n == w.Len():
			w.Reasoning(n)
		default:
			w.Skip(n)
		}
	}
	p.state = inProse
}

// payloadBehind asks whether the payload follows the markers that b begins with, with names
// and white space between. n is its place, and header says that a name stands
// before it. On No n is the place of a marker of thoughts that follows in its place, or
// 0.
func (p *parser) payloadBehind(b []byte, final bool) (n int, header bool, v scan.Verdict) {
	for n < maxLookahead {
		switch v := p.payloadOpens(b[n:], final); {
		case v != scan.No:
			return n, header, v
		case n == len(b) && !final:
			return 0, false, scan.Wait
		}
		id, v := p.g.markers.MatchPrefix(b[n:], final)
		if v == scan.No || v == scan.Yes && id >= p.g.firstAsked {
			return p.thoughtBehind(b, n, final)
		}
		if v == scan.Wait {
			return 0, false, v
		}
		n += p.g.markers.Len(id)
		if id >= p.g.firstHeader {
			end, v := readName(&p.g.Headers[id-p.g.firstHeader], b[n:], final)
			if v == scan.Wait {
				return 0, false, v
			}
			header = header || end > 0
			n += end
		}
		n += scan.LeadingSpace(b[n:])
	}
	return 0, false, scan.No
}

// thoughtBehind asks whether a marker of thoughts stands at place n, behind other markers.
func (p *parser) thoughtBehind(b []byte, n int, final bool) (int, bool, scan.Verdict) {
	switch _, v := p.g.thoughts.MatchPrefix(b[n:], final); v {
	case scan.Wait:
		return 0, false, v
	case scan.Yes:
		return n, false, scan.No
	}
	return 0, false, scan.No
}

// readName gives the length of the name behind the marker of h, with its End, or 0 where
// there is none.
func readName(h *Header, b []byte, final bool) (n int, v scan.Verdict) {
	n = nameLen(b, h.Attributes)
	switch {
	case n == len(b) && !final && n < maxLookahead:
		return 0, scan.Wait
	case h.End == "":
		return n, scan.Yes
	}
	switch v := scan.Prefix(b[n:], h.End, final); {
	case v == scan.Wait:
		return 0, v
	case v == scan.Yes:
		return n + len(h.End), v
	case h.Attributes && n < len(b) && isOpener(b[n]):
		return n, scan.Yes
	}
	return 0, scan.Yes
}

// isNoList asks whether what begins with a square bracket is no JSON list of calls.
func (p *parser) isNoList(b []byte, final bool) (is bool, v scan.Verdict) {
	n := 1 + scan.LeadingSpace(b[1:])
	switch {
	case n == len(b) && !final && n < maxLookahead:
		return false, scan.Wait
	case n == len(b), n >= maxLookahead:
		return false, scan.Yes
	}
	return b[n] != '{' && b[n] != ']', scan.Yes
}

// readAfterMarker reads what follows a marker: another one or the payload, with white space
// between, or prose.
func (p *parser) readAfterMarker(w *sdk.Window) bool {
	b := w.Bytes()
	n := scan.LeadingSpace(b)
	switch v := p.payloadOpens(b[n:], w.Final); {
	case n >= maxLookahead, n == len(b) && w.Final:
		p.state = inProse
	case n == len(b), v == scan.Wait:
		return false
	case v == scan.Yes:
		w.Skip(n)
		p.state = atOpener
	default:
		return p.takeNextMarker(w, n)
	}
	return true
}

// askFamily asks the family what the marker at the window's start is.
func (p *parser) askFamily(w *sdk.Window) bool {
	if p.state == atAskedMarker {
		w.Scanned = 0
	}
	n, v := p.ask(w, p.state == atAskedMarker)
	switch {
	case v == scan.Wait:
		p.state = awaitingAsk
		return false
	case v == scan.Yes:
		w.Skip(n)
		p.state = afterMarker
		return true
	case p.prose.Thought:
		w.Reasoning(p.g.markers.Len(p.askedMarker))
	default:
		w.Text(p.g.markers.Len(p.askedMarker))
	}
	p.state = inProse
	return true
}

// takeNextMarker goes on with the marker that may stand at place i, the bytes before it
// being structure then; without a marker they are prose. One that has to be asked
// about is read as prose reads it.
func (p *parser) takeNextMarker(w *sdk.Window, i int) bool {
	switch id, v := p.g.markers.MatchPrefix(w.Bytes()[i:], w.Final); {
	case v == scan.Wait:
		return false
	case v == scan.Yes && id < len(p.g.Strip):
		w.Skip(i + p.g.markers.Len(id))
		p.state = afterMarker
	case v == scan.Yes && id < p.g.firstAsked:
		w.Skip(i)
		p.state = atOpener
	default:
		p.state = inProse
	}
	return true
}

// beginPayload reads on as JSON, which is the answer.
func (p *parser) beginPayload() {
	p.state = inPayload
	p.payload.Start()
}

// Payload is guided JSON while it is read.
type Payload struct {
	json          scan.JSON
	trailingSpace int // white space that it ends in so far
	heldSpace     int // how much of it is held
}

// Start makes p ready for the payload that the window begins with.
func (p *Payload) Start() {
	p.trailingSpace, p.heldSpace = 0, 0
	p.json.Reset()
}

// Next marks the JSON, up to its end or to what no JSON has; then it is done. White
// space that may go with a marker behind it waits.
func (p *Payload) Next(w *sdk.Window) (done bool) {
	b := w.Bytes()
	n, status := p.json.Scan(b[p.heldSpace:])
	n += p.heldSpace
	space := 0
	if status != scan.Done && !p.json.InPlainString() {
		space = n - scan.TrimmedLen(b[p.heldSpace:n]) - p.heldSpace
	}
	if space == n-p.heldSpace {
		p.trailingSpace += space
	} else {
		p.trailingSpace = space
	}
	if p.heldSpace = p.trailingSpace; p.trailingSpace >= maxLookahead {
		p.heldSpace = 0
	}
	w.Payload(n - p.heldSpace)
	return status != scan.More
}

// readAfterPayload reads what follows the payload: a marker takes the white space before it
// along.
func (p *parser) readAfterPayload(w *sdk.Window) bool {
	b := w.Bytes()
	n := scan.LeadingSpace(b)
	switch {
	case n >= maxLookahead, n == len(b) && w.Final:
		p.state = inProse
		return true
	case n == len(b):
		return false
	}
	return p.takeNextMarker(w, n)
}

func isOpener(c byte) bool { return c == '{' || c == '[' }

// nameLen is the length of the name, or of the attributes, that b begins with, at
// most maxLookahead.
func nameLen(b []byte, attributes bool) int {
	n := 0
	for n < len(b) && n < maxLookahead && (isNameByte(b[n]) || attributes && isAttributeByte(b[n])) {
		n++
	}
	return n
}

func isAttributeByte(c byte) bool { return c == ' ' || c == '=' || c == '"' || c == '&' || c == ';' }

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' || c == ':' || c == '/'
}
