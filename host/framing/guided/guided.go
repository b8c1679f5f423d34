// Package guided reads calls from the JSON that guided decoding made an engine emit:
// with a required call an array of {"name", "arguments"} (or "parameters"), or one of
// these; with a named call that tool's arguments. It takes a value once it is whole,
// and all of it or nothing: what is no call is text, byte for byte. White space that
// would stand alone beside a value that became calls is left out.
package guided

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/typing"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// Config says how the engine was guided.
type Config struct {
	Mode      abi.Mode // abi.ModeGuidedRequired or abi.ModeGuidedNamed
	NamedTool string   // with abi.ModeGuidedNamed
	Tools     *typing.Tools
	// Eager lets the arguments go out before the whole value is proved. A value
	// that breaks later leaves a call that was cut.
	Eager bool
	// MaxHeld bounds the text of a value that waits, in bytes. Longer JSON is text,
	// and so is all that follows it.
	MaxHeld int
}

// Span is a range of the raw text.
type Span struct{ Start, End abi.RawOffset }

// Sink takes what a Reader makes out, in order. The bytes are valid only during
// the call.
type Sink interface {
	Text(text []byte, at Span)
	// BeginCall begins a call; name is the range of its name. asText says that it
	// becomes text: then nothing else comes for it but Text with its whole element.
	BeginCall(tool string, name Span) (asText bool)
	Arguments(json []byte, at Span)
	EndCall()
	// CutCall gives the call up.
	CutCall()
}

// Counts is what a Reader counts.
type Counts struct {
	NoCalls  int // values that were no call and became text
	Overlong int // values that were longer than MaxHeld
}

// A Reader reads one choice's text. It is used by one goroutine at a time.
type Reader struct {
	cfg    Config
	sink   Sink
	counts Counts

	reading  bool // a value has begun and is not complete
	payload  payload
	eager    eagerCalls
	overlong bool // a value was too long: nothing is read any more

	text textRun
}

// NewReader makes a Reader that gives what it reads to sink.
func NewReader(cfg Config, sink Sink) *Reader {
	r := &Reader{cfg: cfg, sink: sink, text: textRun{sink: sink}}
	r.eager = eagerCalls{cfg: &r.cfg, sink: sink, payload: &r.payload, text: &r.text}
	return r
}

// Counts is what was counted so far.
func (r *Reader) Counts() Counts { return r.counts }

// Text takes text that is no payload. EndPayload comes before.
func (r *Reader) Text(text []byte, at abi.RawOffset) { r.text.add(text, at) }

// EndText ends a run of text, where reasoning or a call of the parser's follows.
func (r *Reader) EndText() { r.text.end() }

// Finish ends the text. What waited goes out.
func (r *Reader) Finish() {
	r.EndPayload()
	r.EndText()
}

// Payload takes a part of what the parser marked as guided JSON; data[0] stands at
// offset at of the raw text. What can't begin a value is text.
func (r *Reader) Payload(data []byte, at abi.RawOffset) {
	for len(data) > 0 {
		if r.overlong {
			r.Text(data, at)
			return
		}
		if !r.reading {
			n := findOpener(data)
			r.Text(data[:n], at)
			data, at = data[n:], at+abi.RawOffset(n)
			if len(data) == 0 {
				return
			}
			r.beginValue(data[0], at)
		}
		n, status := r.eager.read(data, at)
		data, at = data[n:], at+abi.RawOffset(n)
		r.afterRead(status)
	}
}

// findOpener is the place of the first byte that can begin a value, or len(b).
func findOpener(b []byte) int {
	for i, c := range b {
		if c == '{' || c == '[' {
			return i
		}
	}
	return len(b)
}

func (r *Reader) beginValue(opener byte, at abi.RawOffset) {
	r.payload.reset(at)
	r.reading = true
	r.eager.beginValue(opener)
}

func (r *Reader) endValue() {
	r.payload.drop()
	r.reading = false
}

// afterRead decides about the value, as far as it came.
func (r *Reader) afterRead(status scan.Status) {
	switch {
	case len(r.payload.text) > r.cfg.MaxHeld && (!r.eager.inArguments || r.eager.asText):
		r.counts.Overlong++
		r.overlong = true
		r.EndPayload()
	case status == scan.Bad:
		r.EndPayload()
	case status == scan.More:
		r.eager.deliverArguments()
	case r.eager.delivered:
		r.endStreamedValue()
	default:
		r.makeCalls()
	}
}

// EndPayload gives up the value that is being read.
func (r *Reader) EndPayload() {
	if !r.reading {
		return
	}
	if r.eager.callOpen {
		r.eager.deliverArguments()
		r.eager.cutCall()
	}
	r.valueIsText()
}

// valueIsText makes text of the value, as far as it did not go out.
func (r *Reader) valueIsText() {
	r.counts.NoCalls++
	r.Text(r.payload.text, r.payload.rawAt(0))
	r.endValue()
}

// endStreamedValue completes a value of which something was delivered.
func (r *Reader) endStreamedValue() {
	switch {
	case r.eager.callOpen:
		r.eager.deliverArguments()
		r.eager.endCall()
	case !r.eager.on:
		r.valueIsText()
		return
	}
	r.endValue()
}

// makeCalls makes calls of a whole value, or text if it is none.
func (r *Reader) makeCalls() {
	calls, ok := r.findCalls(r.payload.text)
	if !ok {
		r.valueIsText()
		return
	}
	r.text.beginCalls()
	for i := range calls {
		calls[i].deliver(r.sink, &r.payload)
	}
	r.endValue()
}

// call is a call in guided JSON, as parts of the payload. An empty part is absent.
type call struct {
	tool                     string
	name, arguments, element part
}

// deliver delivers a call that is there as a whole.
func (c *call) deliver(sink Sink, p *payload) {
	if sink.BeginCall(c.tool, p.span(c.name)) {
		sink.Text(p.bytes(c.element), p.span(c.element))
		return
	}
	if !c.arguments.empty() {
		sink.Arguments(p.bytes(c.arguments), p.span(c.arguments))
	}
	sink.EndCall()
}

func (r *Reader) findCalls(payload jsonx.Raw) ([]call, bool) {
	whole := part{0, len(payload)}
	if r.cfg.Mode == abi.ModeGuidedNamed && jsonx.IsObject(payload) {
		return []call{r.namedCall(payload)}, true
	}
	if jsonx.IsObject(payload) {
		c, ok := readCall(payload, whole)
		return []call{c}, ok
	}
	var calls []call
	for a := jsonx.ArrayOf(payload); ; {
		element, ok := a.Next()
		if !ok {
			return calls, len(calls) > 0
		}
		to := len(payload) - a.Left()
		c, ok := readCall(payload, part{to - len(element), to})
		if !ok {
			return nil, false
		}
		calls = append(calls, c)
	}
}

// namedCall reads an object as the named tool's arguments. It is a wrapper around
// them only if it is nothing else: its name is the tool's, its other member an
// object, and the tool has no parameter called name.
func (r *Reader) namedCall(payload jsonx.Raw) call {
	whole := part{0, len(payload)}
	if c, ok := readCall(payload, whole); ok && c.tool == r.cfg.NamedTool && !c.arguments.empty() &&
		len(jsonx.Members(payload)) == 2 && !r.cfg.namedToolHasName() {
		return c
	}
	return call{tool: r.cfg.NamedTool, arguments: whole, element: whole}
}

// namedToolHasName says whether the named tool has a parameter called name.
func (c *Config) namedToolHasName() bool {
	return c.Tools.Schema(c.NamedTool).Member("name") != nil
}

// readCall reads one {"name", "arguments"}, which is this part of the payload.
// Without arguments there are none; both spellings, or arguments that are no
// object, make it no call.
func readCall(payload jsonx.Raw, element part) (c call, ok bool) {
	object := payload[element.from:element.to]
	if !jsonx.IsObject(object) {
		return c, false
	}
	c.element = element
	names, arguments := 0, 0
	for o := jsonx.ObjectOf(object); ; {
		key, value, more := o.Next()
		if !more {
			return c, names == 1 && arguments <= 1 && c.tool != ""
		}
		to := element.to - o.Left()
		here := part{to - len(value), to}
		switch {
		case string(key) == "name":
			names++
			c.tool, _ = jsonx.String(value)
			c.name = here
		case isArgumentsKey(string(key)):
			if arguments++; !jsonx.IsObject(value) {
				return c, false
			}
			c.arguments = here
		}
	}
}

func isArgumentsKey(key string) bool { return key == "arguments" || key == "parameters" }
