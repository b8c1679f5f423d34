package framing

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/parse"
)

// guided reads calls from the JSON that guided decoding made the engine emit:
// with a required call an array of {"name", "arguments"} (or "parameters"), or
// one of these; with a named call that tool's arguments. It takes a value once it
// is whole, and all of it or nothing: what is no call is text, byte for byte.
// White space that would stand alone beside a value that was taken is left out.
type guided struct {
	f        *Framer
	json     scanner
	reading  bool   // a value is being read
	payload  []byte // what came of it, as far as it did not go out
	gone     int    // bytes that went out before
	joints   []joint
	end      uint32 // where its raw text ends
	eager    eager
	overlong bool // a value was too long: nothing is read any more

	space run  // white space that goes out if something else follows it
	solid bool // the run of text has something other than white space
	taken bool // a value was taken directly before
}

// joint is a place where a value's raw text does not go on from the byte before:
// the parser left something out.
type joint struct {
	at  int // in the value
	raw uint32
}

func newGuided(f *Framer) *guided { return &guided{f: f} }

// said takes text or reasoning from the parser.
func (g *guided) said(kind Kind, e *parse.CheckedEvent) {
	if kind == Content && e.Flags&abi.FlagPayload != 0 {
		g.read(e)
		return
	}
	g.void()
	if kind == Content {
		if e.Flags&abi.FlagNewBlock != 0 && g.f.last == Content {
			g.plain(newline, e.Start)
		}
		g.plain(e.Data, e.Start)
		return
	}
	g.ends()
	g.f.speak(kind, e)
}

// finish ends the text.
func (g *guided) finish() {
	g.void()
	g.ends()
}

// read takes a part of the payload.
func (g *guided) read(e *parse.CheckedEvent) {
	data, at := e.Data, e.Start
	for len(data) > 0 {
		if g.overlong {
			g.plain(data, at)
			return
		}
		if !g.reading {
			n := opener(data)
			g.plain(data[:n], at)
			data, at = data[n:], at+uint32(n)
			if len(data) == 0 {
				return
			}
			g.json.reset()
			g.reading, g.gone, g.joints = true, 0, append(g.joints[:0], joint{0, at})
			g.begin(data[0])
		}
		if g.raw(len(g.payload)) != at {
			g.joints = append(g.joints, joint{g.gone + len(g.payload), at})
		}
		n := g.scan(data)
		data, at = data[n:], at+uint32(n)
		g.end = at
		g.judge()
	}
}

// judge looks at what was read of a value.
func (g *guided) judge() {
	state := g.json.state
	switch {
	case !g.eager.inside && len(g.payload) > g.f.cfg.MaxHeld:
		g.f.counts.Overlong++
		g.overlong = true
		g.void()
	case state == scanBad:
		g.void()
	case state != scanDone:
		if g.eager.inside {
			g.flush()
		}
	case g.eager.partial:
		g.valueEnds()
	default:
		g.dispatch()
	}
}

// raw is where the payload's byte at i stands in the raw text.
func (g *guided) raw(i int) uint32 {
	i += g.gone
	n := len(g.joints) - 1
	for n > 0 && g.joints[n].at > i {
		n--
	}
	return g.joints[n].raw + uint32(i-g.joints[n].at)
}

// drop takes the first n bytes off the payload.
func (g *guided) drop(n int) {
	g.payload = g.payload[:copy(g.payload, g.payload[n:])]
	g.gone += n
}

// opener is the place of the first byte that can begin a payload, or len(b).
func opener(b []byte) int {
	for i, c := range b {
		if c == '{' || c == '[' {
			return i
		}
	}
	return len(b)
}

// void gives up the value that is being read.
func (g *guided) void() {
	if !g.reading {
		return
	}
	if g.eager.inside {
		g.flush()
		g.cut()
	}
	g.voidRest()
}

// voidRest makes text of a value that is none, or no call, as far as it did not
// go out.
func (g *guided) voidRest() {
	g.f.counts.Void++
	g.plain(g.payload, g.raw(0))
	g.payload, g.reading = g.payload[:0], false
}

// plain takes visible text. White space waits until something else stands in the
// same run.
func (g *guided) plain(text []byte, at uint32) {
	if len(text) == 0 {
		return
	}
	end := at + uint32(len(text))
	if !g.solid && len(trimLeft(text)) == 0 {
		if len(g.space.text) == 0 {
			g.space.start = at
		}
		g.space.text, g.space.end = append(g.space.text, text...), end
		return
	}
	g.release()
	g.solid, g.taken = true, false
	g.f.say(Content, text, at, end)
}

func (g *guided) release() {
	if len(g.space.text) > 0 {
		g.f.say(Content, g.space.text, g.space.start, g.space.end)
		g.space.text = g.space.text[:0]
	}
}

// ends ends a run of text.
func (g *guided) ends() {
	if g.taken {
		g.space.text = g.space.text[:0]
	}
	g.release()
	g.solid, g.taken = false, false
}

// dispatch makes calls of a whole value.
func (g *guided) dispatch() {
	calls, ok := g.calls(g.payload)
	if !ok {
		g.voidRest()
		return
	}
	g.touch()
	for _, c := range calls {
		g.call(c)
	}
	g.payload, g.reading = g.payload[:0], false
}

// touch leaves out the white space in front of a value that is taken.
func (g *guided) touch() {
	g.space.text = g.space.text[:0]
	g.solid, g.taken = false, true
}

// guidedCall is a call in guided JSON. Its parts are as the model wrote them.
type guidedCall struct {
	name string
	// Parts of the payload. An empty part is not there.
	title, arguments, element part
}

// part is a range of the payload.
type part struct{ from, to int }

// call frames a call of a whole value.
func (g *guided) call(c guidedCall) {
	event := func(kind abi.Kind, p part) *parse.CheckedEvent {
		if p.from == p.to {
			return &parse.CheckedEvent{Kind: kind}
		}
		return &parse.CheckedEvent{Kind: kind, Data: g.payload[p.from:p.to], Start: g.raw(p.from), End: g.raw(p.to-1) + 1}
	}
	g.f.whole(c.name, event(abi.Call, c.title), event(abi.Args, c.arguments), event(abi.Text, c.element))
}

func (g *guided) calls(payload jsonx.Raw) ([]guidedCall, bool) {
	whole := part{0, len(payload)}
	if g.f.cfg.Guided == abi.ModeGuidedNamed && jsonx.IsObject(payload) {
		return []guidedCall{g.named(payload)}, true
	}
	if jsonx.IsObject(payload) {
		c, ok := callOf(payload, whole)
		return []guidedCall{c}, ok
	}
	var calls []guidedCall
	for a := jsonx.ArrayOf(payload); ; {
		element, ok := a.Next()
		if !ok {
			return calls, len(calls) > 0
		}
		to := len(payload) - a.Left()
		c, ok := callOf(payload, part{to - len(element), to})
		if !ok {
			return nil, false
		}
		calls = append(calls, c)
	}
}

// named reads an object as the named tool's arguments. It is a wrapper around
// them only if it is nothing else: its name is the tool's, its other member an
// object, and the tool has no parameter called name.
func (g *guided) named(payload jsonx.Raw) guidedCall {
	tool, whole := g.f.cfg.NamedTool, part{0, len(payload)}
	if c, ok := callOf(payload, whole); ok && c.name == tool && c.arguments != (part{}) && len(jsonx.Members(payload)) == 2 &&
		g.f.cfg.Tools.find(tool).schema().member("name") == nil {
		return c
	}
	return guidedCall{name: tool, arguments: whole, element: whole}
}

// callOf reads one {"name", "arguments"}, which is this part of the payload.
// Without arguments there are none; both spellings, or arguments that are no
// object, make it no call.
func callOf(payload jsonx.Raw, element part) (c guidedCall, ok bool) {
	object := payload[element.from:element.to]
	if !jsonx.IsObject(object) {
		return c, false
	}
	c.element = element
	names, arguments := 0, 0
	for o := jsonx.ObjectOf(object); ; {
		key, value, more := o.Next()
		if !more {
			return c, names == 1 && arguments <= 1 && c.name != ""
		}
		to := element.to - o.Left()
		here := part{to - len(value), to}
		switch string(key) {
		case "name":
			names++
			c.name, _ = jsonx.String(value)
			c.title = here
		case "arguments", "parameters":
			if arguments++; !jsonx.IsObject(value) {
				return c, false
			}
			c.arguments = here
		}
	}
}
