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
	f          *Framer
	json       scanner
	reading    bool   // a value is being read
	payload    []byte // what came of it
	start, end uint32 // the raw text that it came from
	eager      eager
	overlong   bool // a value was too long: nothing is read any more

	space run  // white space that goes out if something else follows it
	solid bool // the run of text has something other than white space
	taken bool // a value was taken directly before
}

func newGuided(f *Framer) *guided { return &guided{f: f} }

// said takes text or reasoning from the parser.
func (g *guided) said(kind Kind, e *parse.Event) {
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
func (g *guided) read(e *parse.Event) {
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
			g.reading, g.start = true, at
			g.begin(data[0])
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
	g.plain(g.payload, g.start)
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
		g.f.whole(c, g.start, g.end)
	}
	g.payload, g.reading = g.payload[:0], false
}

// touch leaves out the white space in front of a value that is taken.
func (g *guided) touch() {
	g.space.text = g.space.text[:0]
	g.solid, g.taken = false, true
}

// guidedCall is a call in guided JSON; both are as the model wrote them.
type guidedCall struct {
	name      string
	arguments jsonx.Raw // nil: none
	element   jsonx.Raw // all of it
}

func (g *guided) calls(payload jsonx.Raw) ([]guidedCall, bool) {
	if g.f.cfg.Guided == abi.ModeGuidedNamed && jsonx.IsObject(payload) {
		return []guidedCall{g.named(payload)}, true
	}
	if jsonx.IsObject(payload) {
		c, ok := callOf(payload)
		return []guidedCall{c}, ok
	}
	var calls []guidedCall
	for a := jsonx.ArrayOf(payload); ; {
		element, ok := a.Next()
		if !ok {
			return calls, len(calls) > 0
		}
		c, ok := callOf(element)
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
	tool := g.f.cfg.NamedTool
	if c, ok := callOf(payload); ok && c.name == tool && len(c.arguments) > 0 && len(jsonx.Members(payload)) == 2 &&
		g.f.cfg.Tools.find(tool).schema().member("name") == nil {
		return guidedCall{name: tool, arguments: c.arguments, element: payload}
	}
	return guidedCall{name: tool, arguments: payload, element: payload}
}

// callOf reads one {"name", "arguments"}. Without arguments there are none; both
// spellings, or arguments that are no object, make it no call.
func callOf(element jsonx.Raw) (c guidedCall, ok bool) {
	if !jsonx.IsObject(element) {
		return c, false
	}
	c.element = element
	names, arguments := 0, 0
	for o := jsonx.ObjectOf(element); ; {
		key, value, more := o.Next()
		if !more {
			return c, names == 1 && arguments <= 1 && c.name != ""
		}
		switch string(key) {
		case "name":
			names++
			c.name, _ = jsonx.String(value)
		case "arguments", "parameters":
			if arguments++; !jsonx.IsObject(value) {
				return c, false
			}
			c.arguments = value
		}
	}
}
