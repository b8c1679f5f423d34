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

func (r *Reader) beginEager(opener byte) {
	r.eager = eagerCalls{on: r.cfg.Eager}
	if r.cfg.Mode == abi.ModeGuidedNamed && opener == '[' {
		r.eager.on = false // it can only hold wrappers
	}
	r.eager.walk.Start(opener == '[')
	if r.eager.on && r.cfg.Mode == abi.ModeGuidedNamed && r.namedToolHasName() {
		r.streamNamedTool()
	}
}

// streamCalls delivers what can be told by now.
func (r *Reader) streamCalls() {
	e := &r.eager
	for e.on && !e.asArguments {
		n, step := e.walk.Next(r.payload.text, e.walked)
		e.walked = n
		switch step {
		case scan.ObjectBegins:
			e.element, e.key, e.tool, e.name = n-1, "", "", Span{}
		case scan.KeyBegins:
			e.token = n
		case scan.KeyEnds:
			e.key, _ = jsonx.String(r.payload.text[e.token:n])
			r.afterKey()
		case scan.ValueBegins:
			e.token = n
			r.beginMemberValue()
		case scan.ValueEnds:
			r.endMemberValue()
		case scan.ObjectEnds:
			r.endElement()
		case scan.WalkBad:
			e.on = false // an element that is no object
		case scan.WalkMore, scan.WalkEnd:
			return
		}
	}
}

// afterKey decides by a key of a call, or of the named tool's arguments.
func (r *Reader) afterKey() {
	e := &r.eager
	ofCall := e.key == "name" || isArgumentsKey(e.key)
	switch {
	case r.cfg.Mode != abi.ModeGuidedNamed:
		if ofCall && e.callOpen {
			// Repeated after the arguments that were delivered.
			r.cutCall(e.walked)
		}
	case ofCall:
		e.on = false // it may be a wrapper
	default:
		r.streamNamedTool()
	}
}

func (r *Reader) streamNamedTool() {
	r.eager.asArguments, r.eager.element = true, 0
	r.openCall(r.cfg.NamedTool)
}

func (r *Reader) beginMemberValue() {
	e := &r.eager
	if !isArgumentsKey(e.key) || r.payload.text[e.token] != '{' || e.tool == "" || e.callOpen {
		return
	}
	r.openCall(e.tool)
	if !e.asText {
		r.drop(e.token)
	}
}

func (r *Reader) endMemberValue() {
	e := &r.eager
	switch {
	case e.inArguments:
		r.deliverArguments(e.walked)
		e.inArguments = false
	case e.key == "name" && r.payload.text[e.token] == '"':
		name := part{e.token, e.walked}
		e.tool, _ = jsonx.String(r.payload.bytes(name))
		e.name = r.payload.span(name)
	}
}

// openCall begins a call whose arguments come next.
func (r *Reader) openCall(tool string) {
	e := &r.eager
	r.dropSpaceBeforeCall()
	e.delivered, e.callOpen, e.inArguments = true, true, true
	e.asText = r.sink.BeginCall(tool, e.name)
}

// deliverArguments delivers the first n bytes of the payload if they are arguments.
func (r *Reader) deliverArguments(n int) {
	if !r.eager.inArguments || r.eager.asText || n == 0 {
		return
	}
	all := part{0, n}
	r.sink.Arguments(r.payload.bytes(all), r.payload.span(all))
	r.drop(n)
}

// endElement completes a call at the end of its element. One that could not go out
// before is read as a whole; one that is no call leaves the rest to be text.
func (r *Reader) endElement() {
	e := &r.eager
	if e.callOpen {
		r.endCall(e.walked)
		return
	}
	c, ok := readCall(r.payload.text, part{e.element, e.walked})
	if !ok {
		e.on = false
		return
	}
	r.dropSpaceBeforeCall()
	e.delivered = true
	r.deliverCall(&c)
	r.drop(e.walked)
}

// endCall completes the open call, whose element ends with the first n bytes of the
// payload.
func (r *Reader) endCall(n int) {
	if r.eager.asText {
		r.textOfElement(n)
	} else {
		r.sink.EndCall()
	}
	r.closeCall(n)
}

// cutCall leaves the open call as a prefix and reads no more calls in this value. The
// first n bytes of the payload belong to it.
func (r *Reader) cutCall(n int) {
	if r.eager.asText {
		r.textOfElement(n)
	} else {
		r.sink.CutCall()
	}
	r.closeCall(n)
	r.eager.on = false
}

func (r *Reader) textOfElement(n int) {
	element := part{r.eager.element, n}
	r.sink.Text(r.payload.bytes(element), r.payload.span(element))
}

func (r *Reader) closeCall(n int) {
	r.eager.callOpen, r.eager.inArguments, r.eager.asText = false, false, false
	r.drop(n)
}

// endStreamedValue completes a value of which something was delivered.
func (r *Reader) endStreamedValue() {
	switch {
	case r.eager.callOpen:
		all := len(r.payload.text)
		r.deliverArguments(all)
		r.endCall(len(r.payload.text))
	case !r.eager.on:
		r.valueIsText()
		return
	}
	r.endValue()
}

// drop takes the first n bytes off the payload.
func (r *Reader) drop(n int) {
	r.payload.drop(n)
	e := &r.eager
	e.walked, e.element, e.token = max(e.walked-n, 0), max(e.element-n, 0), max(e.token-n, 0)
}
