package guided

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// eagerCalls delivers the calls of a value while it still arrives: a call's arguments
// as they come where its name stands before them, else the call when its element is
// whole. What was delivered can't be taken back: JSON that breaks later leaves a call
// that was cut.
type eagerCalls struct {
	cfg     *Config
	sink    Sink
	payload *payload
	text    *textRun

	on        bool // for the value that is being read
	delivered bool // something of it was delivered
	// asArguments says that the whole value is the named tool's arguments.
	asArguments bool

	walk scan.Walk
	// Places in the payload's text; they move when a part of it is dropped.
	walked  int // what walk has read
	element int // the call's object
	token   int // the key or the value that is being read

	key  string
	tool string // the name, once it came
	name Span   // where it stands

	callOpen    bool
	asText      bool // the open call becomes text
	inArguments bool // the payload is part of the open call's arguments
}

func (e *eagerCalls) beginValue(opener byte) {
	*e = eagerCalls{cfg: e.cfg, sink: e.sink, payload: e.payload, text: e.text, on: e.cfg.Eager}
	if e.cfg.Mode == abi.ModeGuidedNamed && opener == '[' {
		e.on = false // it can only hold wrappers
	}
	e.walk.Start(opener == '[')
	if e.on && e.cfg.Mode == abi.ModeGuidedNamed && e.cfg.namedToolHasName() {
		e.streamNamedTool()
	}
}

// streamCalls delivers what can be told by now.
func (e *eagerCalls) streamCalls() {
	for e.on && !e.asArguments {
		n, step := e.walk.Next(e.payload.text, e.walked)
		e.walked = n
		switch step {
		case scan.ObjectBegins:
			e.element, e.key, e.tool, e.name = n-1, "", "", Span{}
		case scan.KeyBegins:
			e.token = n
		case scan.KeyEnds:
			e.key, _ = jsonx.String(e.payload.text[e.token:n])
			e.afterKey()
		case scan.ValueBegins:
			e.token = n
			e.beginMemberValue()
		case scan.ValueEnds:
			e.endMemberValue()
		case scan.ObjectEnds:
			e.endElement()
		case scan.WalkBad:
			e.on = false // an element that is no object
		case scan.WalkMore, scan.WalkEnd:
			return
		}
	}
}

// afterKey decides by a key of a call, or of the named tool's arguments.
func (e *eagerCalls) afterKey() {
	ofCall := e.key == "name" || isArgumentsKey(e.key)
	switch {
	case e.cfg.Mode != abi.ModeGuidedNamed:
		if ofCall && e.callOpen {
			// Repeated after the arguments that were delivered.
			e.cutCall(e.walked)
		}
	case ofCall:
		e.on = false // it may be a wrapper
	default:
		e.streamNamedTool()
	}
}

func (e *eagerCalls) streamNamedTool() {
	e.asArguments, e.element = true, 0
	e.openCall(e.cfg.NamedTool)
}

func (e *eagerCalls) beginMemberValue() {
	if !isArgumentsKey(e.key) || e.payload.text[e.token] != '{' || e.tool == "" || e.callOpen {
		return
	}
	e.openCall(e.tool)
	if !e.asText {
		e.drop(e.token)
	}
}

func (e *eagerCalls) endMemberValue() {
	switch {
	case e.inArguments:
		e.deliverArguments(e.walked)
		e.inArguments = false
	case e.key == "name" && e.payload.text[e.token] == '"':
		name := part{e.token, e.walked}
		e.tool, _ = jsonx.String(e.payload.bytes(name))
		e.name = e.payload.span(name)
	}
}

// openCall begins a call whose arguments come next.
func (e *eagerCalls) openCall(tool string) {
	e.text.beginCalls()
	e.delivered, e.callOpen, e.inArguments = true, true, true
	e.asText = e.sink.BeginCall(tool, e.name)
}

// deliverArguments delivers the first n bytes of the payload if they are arguments.
func (e *eagerCalls) deliverArguments(n int) {
	if !e.inArguments || e.asText || n == 0 {
		return
	}
	all := part{0, n}
	e.sink.Arguments(e.payload.bytes(all), e.payload.span(all))
	e.drop(n)
}

// endElement completes a call at the end of its element. One that could not go out
// before is read as a whole; one that is no call leaves the rest to be text.
func (e *eagerCalls) endElement() {
	if e.callOpen {
		e.endCall(e.walked)
		return
	}
	c, ok := readCall(e.payload.text, part{e.element, e.walked})
	if !ok {
		e.on = false
		return
	}
	e.text.beginCalls()
	e.delivered = true
	c.deliver(e.sink, e.payload)
	e.drop(e.walked)
}

// endCall completes the open call, whose element ends with the first n bytes of the
// payload.
func (e *eagerCalls) endCall(n int) {
	if e.asText {
		e.textOfElement(n)
	} else {
		e.sink.EndCall()
	}
	e.closeCall(n)
}

// cutCall leaves the open call as a prefix and reads no more calls in this value. The
// first n bytes of the payload belong to it.
func (e *eagerCalls) cutCall(n int) {
	if e.asText {
		e.textOfElement(n)
	} else {
		e.sink.CutCall()
	}
	e.closeCall(n)
	e.on = false
}

func (e *eagerCalls) textOfElement(n int) {
	element := part{e.element, n}
	e.sink.Text(e.payload.bytes(element), e.payload.span(element))
}

func (e *eagerCalls) closeCall(n int) {
	e.callOpen, e.inArguments, e.asText = false, false, false
	e.drop(n)
}

// drop takes the first n bytes off the payload.
func (e *eagerCalls) drop(n int) {
	e.payload.drop(n)
	e.walked, e.element, e.token = max(e.walked-n, 0), max(e.element-n, 0), max(e.token-n, 0)
}
