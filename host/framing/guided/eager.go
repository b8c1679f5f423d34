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
	// Places in the payload's text; they move when it is dropped.
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

// read reads on in the value and adds what belongs to it to the payload: the first n
// bytes of data, which stands at offset at of the raw text. It delivers what can be
// told by then. The status is JSON.Scan's.
func (e *eagerCalls) read(data []byte, at abi.RawOffset) (n int, s scan.Status) {
	for e.on && !e.asArguments {
		next, step := e.walk.Next(data, n)
		e.payload.add(data[n:next], at+abi.RawOffset(n))
		n = next
		switch step {
		case scan.WalkMore:
			return n, scan.More
		case scan.WalkEnd:
			return n, scan.Done
		case scan.WalkBad:
			e.on = false // an element that is no object, or no JSON
		default:
			e.afterStep(step, data[n:])
		}
	}
	rest, s := e.walk.ScanToEnd(data[n:])
	e.payload.add(data[n:n+rest], at+abi.RawOffset(n))
	return n + rest, s
}

// afterStep follows the members of the calls. next is what comes after the payload.
func (e *eagerCalls) afterStep(step scan.Step, next []byte) {
	switch end := len(e.payload.text); step {
	case scan.ObjectBegins:
		e.element, e.key, e.tool, e.name = end-1, "", "", Span{}
	case scan.KeyBegins:
		e.token = end
	case scan.KeyEnds:
		e.key, _ = jsonx.String(e.payload.text[e.token:])
		e.afterKey()
	case scan.ValueBegins:
		e.token = end
		e.beginMemberValue(next[0])
	case scan.ValueEnds:
		e.endMemberValue()
	case scan.ObjectEnds:
		e.endElement()
	}
}

// afterKey decides by a key of a call, or of the named tool's arguments.
func (e *eagerCalls) afterKey() {
	ofCall := e.key == "name" || isArgumentsKey(e.key)
	switch {
	case e.cfg.Mode != abi.ModeGuidedNamed:
		if ofCall && e.callOpen {
			// Repeated after the arguments that were delivered.
			e.cutCall()
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

func (e *eagerCalls) beginMemberValue(opener byte) {
	if opener != '{' || !isArgumentsKey(e.key) || e.tool == "" || e.callOpen {
		return
	}
	e.openCall(e.tool)
	if !e.asText {
		e.drop()
	}
}

func (e *eagerCalls) endMemberValue() {
	switch {
	case e.inArguments:
		e.deliverArguments()
		e.inArguments = false
	case e.key == "name" && e.payload.text[e.token] == '"':
		name := part{e.token, len(e.payload.text)}
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

// deliverArguments delivers the payload if it is arguments.
func (e *eagerCalls) deliverArguments() {
	all := part{0, len(e.payload.text)}
	if !e.inArguments || e.asText || all.empty() {
		return
	}
	e.sink.Arguments(e.payload.bytes(all), e.payload.span(all))
	e.drop()
}

// endElement completes a call at the end of its element. One that could not go out
// before is read as a whole; one that is no call leaves the rest to be text.
func (e *eagerCalls) endElement() {
	if e.callOpen {
		e.endCall()
		return
	}
	c, ok := readCall(e.payload.text, part{e.element, len(e.payload.text)})
	if !ok {
		e.on = false
		return
	}
	e.text.beginCalls()
	e.delivered = true
	c.deliver(e.sink, e.payload)
	e.drop()
}

// endCall completes the open call, whose element ends with the payload.
func (e *eagerCalls) endCall() {
	if e.asText {
		e.textOfElement()
	} else {
		e.sink.EndCall()
	}
	e.closeCall()
}

// cutCall leaves the open call as a prefix, to which all of the payload belongs, and
// reads no more calls in this value.
func (e *eagerCalls) cutCall() {
	if e.asText {
		e.textOfElement()
	} else {
		e.sink.CutCall()
	}
	e.closeCall()
	e.on = false
}

func (e *eagerCalls) textOfElement() {
	element := part{e.element, len(e.payload.text)}
	e.sink.Text(e.payload.bytes(element), e.payload.span(element))
}

func (e *eagerCalls) closeCall() {
	e.callOpen, e.inArguments, e.asText = false, false, false
	e.drop()
}

// drop empties the payload.
func (e *eagerCalls) drop() {
	e.payload.drop()
	e.element, e.token = 0, 0
}
