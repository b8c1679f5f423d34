package framing

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/parse"
)

// eager lets calls in guided JSON go out while the JSON is still coming: a call's
// arguments as they come where its name stands before them, else the call when
// its element is whole. What went out can't be taken back: JSON that breaks
// later leaves an open prefix.
type eager struct {
	on      bool // for the value that is being read
	partial bool // something of it went out already
	named   bool // the value is the named tool's arguments
	level   int  // depth of a call's own members

	// Places in the payload, from which what went out is cut away.
	element int
	token   int // the key or the name that is being read

	key    string
	name   string
	title  part // of the raw text: the name
	inside bool // within a call's arguments
}

// begin starts with a value's first byte.
func (g *guided) begin(c byte) {
	cfg := &g.f.cfg
	g.eager = eager{on: cfg.GuidedEager && cfg.Arguments == Eager, level: 1}
	r := &g.eager
	if c == '[' {
		r.level = 2
	}
	if cfg.Guided != abi.ModeGuidedNamed {
		return
	}
	// An array can only hold wrappers.
	r.named, r.on = true, r.on && c == '{'
	if r.on && cfg.Tools.find(cfg.NamedTool).schema().member("name") != nil {
		g.stream(cfg.NamedTool)
	}
}

// scan is scanner.scan, with an eye on the calls. It appends what it steps over
// to the payload.
func (g *guided) scan(b []byte) int {
	s := &g.json
	for i, c := range b {
		if s.state == scanString && (plainByte[c] || c < ' ') {
			g.payload = append(g.payload, c)
			continue
		}
		state, depth := s.state, s.depth
		s.step(c)
		if s.state == scanBad {
			return i
		}
		g.payload = append(g.payload, c)
		if g.eager.on {
			g.note(c, state, depth)
		}
		if s.state == scanDone {
			return i + 1
		}
	}
	return len(b)
}

// note looks at one byte. state and depth are what they were before it.
func (g *guided) note(c byte, state scanState, depth int) {
	r, s, at := &g.eager, &g.json, len(g.payload)-1
	switch {
	case r.inside && r.named:
	case r.inside:
		if s.depth == r.level && depth > r.level {
			g.flush()
			r.inside = false
		}
	case depth == r.level-1 && c == '{' && s.depth == r.level:
		r.element, r.name, r.key, r.title = at, "", "", part{}
	case depth == 1 && r.level == 2 && (state == scanFirstValue || state == scanValue) && s.state != scanDone && !isSpace(c):
		r.on = false // an element that is no object
	case depth == r.level && s.depth < r.level:
		g.elementEnds()
	case depth == r.level && s.depth <= r.level+1:
		g.member(c, state, at)
	}
}

// member looks at one byte on the level of a call's own members.
func (g *guided) member(c byte, state scanState, at int) {
	r, s := &g.eager, &g.json
	switch {
	case (state == scanFirstKey || state == scanKey) && c == '"':
		r.token = at
	case state == scanString && s.state == scanColon:
		r.key, _ = jsonx.String(g.payload[r.token:])
		g.keyed()
	case state == scanValue && r.key == "name" && c == '"':
		r.token = at
	case state == scanString && s.state == scanAfter && r.key == "name":
		r.name, _ = jsonx.String(g.payload[r.token:])
		r.title = part{int(g.raw(r.token)), int(g.raw(at)) + 1}
	case state == scanValue && c == '{' && argumentsKey(r.key) && r.name != "" && !g.f.call.open:
		g.stream(r.name)
		if g.f.call.fate != fateText {
			g.drop(at)
		}
	}
}

func argumentsKey(key string) bool { return key == "arguments" || key == "parameters" }

// keyed looks at a key of a call.
func (g *guided) keyed() {
	r := &g.eager
	known := r.key == "name" || argumentsKey(r.key)
	switch {
	case !r.named && known && g.f.call.open:
		// Said again behind the arguments that went out.
		g.cut()
	case r.named && known:
		// It may be a wrapper.
		r.on = false
	case r.named:
		g.stream(g.f.cfg.NamedTool)
	}
}

// stream begins a call whose arguments are what the payload holds and what comes.
func (g *guided) stream(name string) {
	g.touch()
	g.eager.partial, g.eager.inside = true, true
	g.f.begin(0, name)
	g.f.call.from, g.f.call.to = uint32(g.eager.title.from), uint32(g.eager.title.to)
}

// flush sends what came of the arguments.
func (g *guided) flush() {
	if g.f.call.fate == fateText || len(g.payload) == 0 {
		return
	}
	g.f.inCall(&parse.CheckedEvent{Kind: abi.Args, Data: g.payload, Start: g.raw(0), End: g.raw(len(g.payload)-1) + 1})
	g.drop(len(g.payload))
}

// elementEnds completes a call at the end of its element. One that could not go
// out before is read as a whole; one that is no call leaves the rest to be text.
func (g *guided) elementEnds() {
	r := &g.eager
	if g.f.call.open {
		g.complete()
		return
	}
	c, ok := callOf(g.payload, part{r.element, len(g.payload)})
	if !ok {
		r.on = false
		return
	}
	g.touch()
	r.partial = true
	g.call(c)
	g.drop(len(g.payload))
}

// complete ends the call that is open.
func (g *guided) complete() {
	if g.f.call.fate == fateText {
		g.f.call.open = false
		g.f.say(Content, g.payload[g.eager.element:], g.raw(g.eager.element), g.end)
	} else {
		g.f.callEnds(&parse.CheckedEvent{Kind: abi.CallEnd})
	}
	g.drop(len(g.payload))
}

// cut leaves the open call as a prefix and reads no more calls in this value.
func (g *guided) cut() {
	g.f.callDrops()
	g.eager.on, g.eager.inside = false, false
	g.drop(len(g.payload))
}

// valueEnds completes a value of which something went out.
func (g *guided) valueEnds() {
	switch {
	case g.f.call.open:
		g.flush()
		g.complete()
	case !g.eager.on:
		g.voidRest()
		return
	}
	g.payload = g.payload[:0]
	g.reading = false
}
