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
	asked            int         // the place of the first of Asked there
	all              *scan.Set   // all of these and those of thoughts
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
	g.asked = len(markers)
	markers = append(markers, m.Asked...)
	for _, h := range m.Headers {
		var set *scan.Set
		if h.Close != "" {
			set = scan.NewSet(append([]string{h.Close}, m.EndThink...)...)
		}
		g.closers = append(g.closers, set)
	}
	g.markers = scan.NewSet(markers...)
	g.all = scan.NewSet(append(append(append([]string(nil), m.Think...), m.EndThink...), markers...)...)
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
		p.state = opening
	default:
		p.prose.Start(g.normal, false)
	}
	return p
}

// patience is how much white space, or how long a name, is held to learn what
// stands behind it.
const patience = 1024

type state uint8

const (
	inProse state = iota
	opening       // at the start of an open thought
	behind        // directly behind a marker
	after         // directly behind the payload
	inPayload
	inBodyHead // before the End of a native call's body
	inBody
	inBodyJSON
	inAsked // at a marker of Asked
	asking  // and Ask answered Wait
)

type parser struct {
	g      *Grammar
	start  abi.Channel
	prose  prose.Machine
	json   scan.JSON // of a native call
	load   Payload
	state  state
	named  bool // the payload is one tool's arguments
	header int  // behind this header, counted from 1
	object int  // what closes a native call whose object comes next, counted from 1
	body   int  // what closes the native call
	asked  int  // at this marker
	ask    Ask
}

// Channel implements sdk.Channeler.
func (p *parser) Channel() abi.Channel { return p.start }

// Step implements sdk.Parser.
func (p *parser) Step(w *sdk.Window) {
	for p.step(w) {
	}
}

func (p *parser) step(w *sdk.Window) (more bool) {
	switch p.state {
	case opening:
		return p.opening(w)
	case behind:
		return p.behind(w)
	case after:
		return p.after(w)
	case inPayload:
		if !p.load.Next(w) {
			return false
		}
		p.state = after
		return true
	case inBodyHead:
		return p.bodyHead(w)
	case inBody, inBodyJSON:
		return p.native(w)
	case inAsked, asking:
		return p.asks(w)
	}
	id, ok := p.prose.Next(w)
	switch {
	case !ok:
		return false
	case id >= p.g.asked && id < p.g.markers.Count():
		p.state, p.asked = inAsked, id
	case id < p.g.markers.Count():
		p.marker(w, id, false)
	case p.prose.Thought:
		w.Reasoning(1)
	default:
		p.begin()
	}
	return true
}

// opening reads the start of a thought that the prompt left open. A grammar that
// forbids the closer makes the model begin with the payload at once.
func (p *parser) opening(w *sdk.Window) bool {
	b := w.Bytes()
	n := scan.LeadingSpace(b)
	if n == len(b) && !w.Final && n < patience {
		return false
	}
	v := scan.No
	if n < patience {
		v = p.opener(b[n:], w.Final)
	}
	switch v {
	case scan.Wait:
		return false
	case scan.Yes:
		w.Text(n)
		p.prose.Thought = false
		p.begin()
	default:
		p.state = inProse
	}
	return true
}

// opener asks whether b begins with a payload. Where a family's markers begin
// with a bracket, they are none.
func (p *parser) opener(b []byte, final bool) scan.Verdict {
	if len(b) == 0 || b[0] != '{' && b[0] != '[' {
		return scan.No
	}
	switch _, v := p.g.all.MatchPrefix(b, final); v {
	case scan.Wait:
		return scan.Wait
	case scan.Yes:
		return scan.No
	}
	return scan.Yes
}

// marker takes marker id out, which stands at the window's start.
func (p *parser) marker(w *sdk.Window, id int, wrapped bool) {
	w.Skip(p.g.markers.Len(id))
	p.state, p.header, p.object = behind, 0, 0
	id -= len(p.g.Strip)
	if id >= 0 && id < len(p.g.Headers) {
		p.header = id + 1
	}
	if id -= len(p.g.Headers); id >= 0 && wrapped {
		p.state, p.body = inBody, id
		if p.g.Bodies[id].End != "" {
			p.state = inBodyHead
		}
	}
}

// behind reads what follows a marker: a name, another marker or the payload,
// with white space between, or prose.
func (p *parser) behind(w *sdk.Window) bool {
	b := w.Bytes()
	n := 0
	if p.header > 0 {
		h := &p.g.Headers[p.header-1]
		n = name(b, h.Attributes)
		if n == len(b) && !w.Final && n < patience {
			return false
		}
		if h.End != "" {
			switch v := scan.Prefix(b[n:], h.End, w.Final); {
			case v == scan.Wait:
				return false
			case v == scan.Yes:
				w.Skip(n + len(h.End))
				if h.Close != "" && !p.named {
					p.object = len(p.g.Bodies) + p.header
				}
			case h.Attributes && n < patience && (n == len(b) || isOpener(b[n])):
				w.Skip(n)
			}
			p.header = 0
			return true
		}
	}
	i := n + scan.LeadingSpace(b[n:])
	opener := p.opener(b[i:], w.Final)
	switch {
	case i >= patience:
		p.state = inProse
	case i == len(b) && !w.Final, opener == scan.Wait:
		return false
	case i == len(b):
		w.Skip(n) // a header that was cut
		p.state = inProse
	case b[i] == '{' && p.object > 0:
		w.Skip(i)
		p.state, p.body = inBody, p.object-1
	case opener == scan.Yes:
		w.Skip(i)
		p.prose.Thought = false
		p.begin()
	default:
		return p.next(w, i, true)
	}
	return true
}

// asks asks what the marker at the window's start is.
func (p *parser) asks(w *sdk.Window) bool {
	if p.state == inAsked {
		w.Scanned = 0
	}
	n, v := p.ask(w, p.state == inAsked)
	switch {
	case v == scan.Wait:
		p.state = asking
		return false
	case v == scan.Yes:
		w.Skip(n)
		p.state, p.header, p.object = behind, 0, 0
		return true
	case p.prose.Thought:
		w.Reasoning(p.g.markers.Len(p.asked))
	default:
		w.Text(p.g.markers.Len(p.asked))
	}
	p.state = inProse
	return true
}

// next goes on with the marker that may stand at place i, the bytes before it
// being structure then; without a marker they are prose. One that has to be asked
// about is read as prose reads it.
func (p *parser) next(w *sdk.Window, i int, wrapped bool) bool {
	switch id, v := p.g.markers.MatchPrefix(w.Bytes()[i:], w.Final); {
	case v == scan.Wait:
		return false
	case v == scan.Yes && id < p.g.asked:
		w.Skip(i)
		p.marker(w, id, wrapped)
	default:
		p.state = inProse
	}
	return true
}

func (p *parser) begin() {
	p.state = inPayload
	p.load.Start()
}

// Payload is guided JSON while it is read.
type Payload struct {
	json  scan.JSON
	run   int // white space that it ends in so far
	white int // how much of it is held
}

// Start makes p ready for the payload that the window begins with.
func (p *Payload) Start() {
	p.run, p.white = 0, 0
	p.json.Reset()
}

// Next marks the JSON, up to its end or to what no JSON has; then it is done. White
// space that may go with a marker behind it waits.
func (p *Payload) Next(w *sdk.Window) (done bool) {
	b := w.Bytes()
	n, status := p.json.Scan(b[p.white:])
	n += p.white
	space := 0
	if status != scan.Done && !p.json.InPlainString() {
		space = n - scan.TrimmedLen(b[p.white:n]) - p.white
	}
	if space == n-p.white {
		p.run += space
	} else {
		p.run = space
	}
	if p.white = p.run; p.run >= patience {
		p.white = 0
	}
	w.Payload(n - p.white)
	return status != scan.More
}

// after reads what follows the payload: a marker takes the white space before it
// along.
func (p *parser) after(w *sdk.Window) bool {
	b := w.Bytes()
	n := scan.LeadingSpace(b)
	switch {
	case n >= patience, n == len(b) && w.Final:
		p.state = inProse
		return true
	case n == len(b):
		return false
	}
	return p.next(w, n, false)
}

// bodyHead takes the attributes before a native call's arguments out.
func (p *parser) bodyHead(w *sdk.Window) bool {
	b, end := w.Bytes(), p.g.Bodies[p.body].End
	n := name(b, true)
	v := scan.Prefix(b[n:], end, w.Final)
	if v == scan.Wait && n < patience {
		return false
	}
	if v == scan.Yes {
		n += len(end)
	}
	w.Skip(n)
	p.state = inBody
	return true
}

// native takes a native call's arguments out. A marker inside a JSON string is
// not its end. In a thought, what ends the thought ends it too.
func (p *parser) native(w *sdk.Window) bool {
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
	at, id, v := p.g.closers[p.body].Find(w.Bytes(), 0, w.Final)
	w.Skip(at)
	switch {
	case v != scan.Yes:
		return false
	case id == 0:
		w.Skip(p.g.closers[p.body].Len(id))
		p.state, p.header, p.object = behind, 0, 0
	case p.prose.Thought:
		p.state = inProse
	default:
		w.Skip(p.g.closers[p.body].Len(id))
	}
	return true
}

func isOpener(c byte) bool { return c == '{' || c == '[' }

// name is the length of the name, or of the attributes, that b begins with, at
// most patience.
func name(b []byte, attributes bool) int {
	n := 0
	for n < len(b) && n < patience && (isName(b[n]) || attributes && isAttribute(b[n])) {
		n++
	}
	return n
}

func isAttribute(c byte) bool { return c == ' ' || c == '=' || c == '"' || c == '&' || c == ';' }

func isName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' || c == ':' || c == '/'
}
