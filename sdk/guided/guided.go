// Package guided is the parser for guided modes, in which the engine was made to
// emit bare JSON for its calls. It is the same for every family: it separates
// reasoning from the answer, takes stray native markup out, and marks the JSON
// as payload. The host reads the calls from the payload.
package guided

import (
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
	// Headers are markers behind which a call's name may stand; both are taken
	// out.
	Headers []Header
	// Bodies are the parts of a native call that hold its arguments. Directly
	// behind another marker or a header they are taken out with all that is in
	// them: a native call in place of the payload is no call.
	Bodies []Body
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
	// Close closes a native call whose arguments stand behind the header as a JSON
	// object. Where it is empty, an object there is the payload; and so it is in
	// any case where the payload is one tool's arguments.
	Close string
}

// Body is a native call's arguments with the markers around them. Where End is
// given, attributes stand between Open and it.
type Body struct{ Open, End, Close string }

// Grammar is Markup made ready for scanning. It may be shared.
type Grammar struct {
	Markup
	normal, response *prose.Grammar
	markers          *scan.Set   // Strip, Headers, Bodies, Asked, in the order of the ids that prose gives
	firstAsked       int         // the place of the first of Asked there
	allMarkers       *scan.Set   // all of these and those of thoughts
	closers          []*scan.Set // of each body, then of each header: its closer, then what ends a thought
}

// Compile makes a Grammar.
func Compile(m Markup) *Grammar {
	g := &Grammar{Markup: m}
	markers := append([]string(nil), m.Strip...)
	for _, h := range m.Headers {
		markers = append(markers, h.Marker)
	}
	for _, b := range m.Bodies {
		markers = append(markers, b.Open)
		g.closers = append(g.closers, scan.NewSet(append([]string{b.Close}, m.EndThink...)...))
	}
	g.firstAsked = len(markers)
	markers = append(markers, m.Asked...)
	for _, h := range m.Headers {
		var set *scan.Set
		if h.Close != "" {
			set = scan.NewSet(append([]string{h.Close}, m.EndThink...)...)
		}
		g.closers = append(g.closers, set)
	}
	g.markers = scan.NewSet(markers...)
	g.allMarkers = scan.NewSet(append(append(append([]string(nil), m.Think...), m.EndThink...), markers...)...)
	calls := append(append([]string(nil), markers...), "{", "[")
	g.normal = prose.Compile(prose.Markers{Think: m.Think, EndThink: m.EndThink, Calls: calls, Tags: m.Tags})
	g.response = prose.Compile(prose.Markers{Calls: calls, Tags: m.Tags})
	return g
}

// New makes the parser of a session in a guided mode. The session starts in the
// channel open.Start; see sdk.StartOf.
func New(g *Grammar, open *abi.OpenBlock) sdk.Parser {
	p := &parser{g: g, start: open.Start, named: open.Mode == abi.ModeGuidedNamed}
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
	afterMarker          // directly behind a marker
	afterPayload         // directly behind the payload
	inPayload
	inBodyHead // before the End of a native call's body
	inBody
	inBodyJSON
	atAskedMarker // at a marker of Asked
	awaitingAsk   // and Ask answered Wait
)

type parser struct {
	g            *Grammar
	start        abi.Channel
	prose        prose.Machine
	json         scan.JSON // of a native call
	payload      Payload
	state        state
	named        bool // the payload is one tool's arguments
	lastHeader   int  // behind this header, counted from 1
	objectCloser int  // what closes a native call whose object comes next, counted from 1
	bodyCloser   int  // what closes the native call
	askedMarker  int  // at this marker
	ask          Ask
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
	case inBodyHead:
		return p.skipBodyAttributes(w)
	case inBody, inBodyJSON:
		return p.skipNativeBody(w)
	case atAskedMarker, awaitingAsk:
		return p.askFamily(w)
	}
	id, ok := p.prose.Next(w)
	switch {
	case !ok:
		return false
	case id >= p.g.firstAsked && id < p.g.markers.Count():
		p.state, p.askedMarker = atAskedMarker, id
	case id < p.g.markers.Count():
		p.takeMarker(w, id, false)
	case p.prose.Thought:
		w.Reasoning(1)
	default:
		p.beginPayload()
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

// takeMarker takes marker id out, which stands at the window's start.
func (p *parser) takeMarker(w *sdk.Window, id int, wrapped bool) {
	w.Skip(p.g.markers.Len(id))
	p.state, p.lastHeader, p.objectCloser = afterMarker, 0, 0
	id -= len(p.g.Strip)
	if id >= 0 && id < len(p.g.Headers) {
		p.lastHeader = id + 1
	}
	if id -= len(p.g.Headers); id >= 0 && wrapped {
		p.state, p.bodyCloser = inBody, id
		if p.g.Bodies[id].End != "" {
			p.state = inBodyHead
		}
	}
}

// readAfterMarker reads what follows a marker: a name, another marker or the payload,
// with white space between, or prose.
func (p *parser) readAfterMarker(w *sdk.Window) bool {
	b := w.Bytes()
	n := 0
	if p.lastHeader > 0 {
		h := &p.g.Headers[p.lastHeader-1]
		n = nameLen(b, h.Attributes)
		if n == len(b) && !w.Final && n < maxLookahead {
			return false
		}
		if h.End != "" {
			switch v := scan.Prefix(b[n:], h.End, w.Final); {
			case v == scan.Wait:
				return false
			case v == scan.Yes:
				w.Skip(n + len(h.End))
				if h.Close != "" && !p.named {
					p.objectCloser = len(p.g.Bodies) + p.lastHeader
				}
			case h.Attributes && n < maxLookahead && (n == len(b) || isOpener(b[n])):
				w.Skip(n)
			}
			p.lastHeader = 0
			return true
		}
	}
	i := n + scan.LeadingSpace(b[n:])
	opener := p.payloadOpens(b[i:], w.Final)
	switch {
	case i >= maxLookahead:
		p.state = inProse
	case i == len(b) && !w.Final, opener == scan.Wait:
		return false
	case i == len(b):
		w.Skip(n) // a header that was cut
		p.state = inProse
	case b[i] == '{' && p.objectCloser > 0:
		w.Skip(i)
		p.state, p.bodyCloser = inBody, p.objectCloser-1
	case opener == scan.Yes:
		w.Skip(i)
		p.prose.Thought = false
		p.beginPayload()
	default:
		return p.takeNextMarker(w, i, true)
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
		p.state, p.lastHeader, p.objectCloser = afterMarker, 0, 0
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
func (p *parser) takeNextMarker(w *sdk.Window, i int, wrapped bool) bool {
	switch id, v := p.g.markers.MatchPrefix(w.Bytes()[i:], w.Final); {
	case v == scan.Wait:
		return false
	case v == scan.Yes && id < p.g.firstAsked:
		w.Skip(i)
		p.takeMarker(w, id, wrapped)
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
	return p.takeNextMarker(w, n, false)
}

// skipBodyAttributes takes the attributes before a native call's arguments out.
func (p *parser) skipBodyAttributes(w *sdk.Window) bool {
	b, end := w.Bytes(), p.g.Bodies[p.bodyCloser].End
	n := nameLen(b, true)
	v := scan.Prefix(b[n:], end, w.Final)
	if v == scan.Wait && n < maxLookahead {
		return false
	}
	if v == scan.Yes {
		n += len(end)
	}
	w.Skip(n)
	p.state = inBody
	return true
}

// skipNativeBody takes a native call's arguments out. A marker inside a JSON string is
// not its end. In a thought, what ends the thought ends it too.
func (p *parser) skipNativeBody(w *sdk.Window) bool {
	b := w.Bytes()
	if p.state == inBody {
		n := scan.LeadingSpace(b)
		w.Skip(n)
		if b = b[n:]; len(b) == 0 {
			return false
		}
		p.state = inBodyJSON
		p.json.Reset()
	}
	n, status := p.json.Scan(b)
	w.Skip(n)
	if status == scan.More {
		return false
	}
	at, id, v := p.g.closers[p.bodyCloser].Find(w.Bytes(), 0, w.Final)
	w.Skip(at)
	switch {
	case v != scan.Yes:
		return false
	case id == 0:
		w.Skip(p.g.closers[p.bodyCloser].Len(id))
		p.state, p.lastHeader, p.objectCloser = afterMarker, 0, 0
	case p.prose.Thought:
		p.state = inProse
	default:
		w.Skip(p.g.closers[p.bodyCloser].Len(id))
	}
	return true
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
