package framing

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/parse"
)

// fate says what becomes of a call.
type fate uint8

const (
	fateSend fate = iota // goes out as it comes
	fateHold             // goes out when it is complete
	fateText             // becomes text when it is complete
	fateGone             // goes nowhere
)

// call is the call that is being framed.
type call struct {
	open   bool
	number uint16 // the session's
	name   string
	id     string
	fate   fate
	sent   bool // its head went out
	fixed  bool // something came that the head goes before
	index  int
	before uint32 // where its raw text begins
	from   uint32 // range of the raw text that is its name
	to     uint32
	start  uint32 // range of the raw text behind what waits to go out
	end    uint32

	form form
	// For arguments that come as JSON.
	json scanner
	dec  decoder
	tail []byte // white space behind the object
	out  []byte // what waits to go out
	// For arguments that come as keys and values.
	writer writer
}

// form says how a call's arguments come.
type form uint8

const (
	formNone form = iota
	formJSON
	formKeys
)

// begin starts a call.
func (c *call) begin(number uint16, name string, before uint32) {
	*c = call{
		open: true, number: number, name: name, before: before,
		json: c.json, dec: decoder{wait: c.dec.wait[:0]}, tail: c.tail[:0], out: c.out[:0], writer: c.writer,
	}
	c.json.reset()
}

// covers widens the range of raw text that what waits came from.
func (c *call) covers(e *parse.CheckedEvent) {
	if e.Literal || e.Start == e.End {
		return
	}
	if c.start == c.end {
		c.start, c.end = e.Start, e.End
		return
	}
	c.start, c.end = min(c.start, e.Start), max(c.end, e.End)
}

// args takes a part of the arguments' JSON.
func (c *call) args(e *parse.CheckedEvent, repair bool) {
	c.form = formJSON
	data := e.Data
	if !e.Literal && e.Flags&abi.ReadMask == abi.ReadJSONBody {
		c.dec.how = abi.ReadJSONBody
		data = c.dec.add(nil, data, false)
	}
	c.more(data, repair)
}

// more appends a part of the arguments' JSON, without the white space around the
// object.
func (c *call) more(data []byte, repair bool) {
	if c.json.state == scanValue && c.json.depth == 0 {
		data = trimLeft(data)
	}
	if c.json.state == scanDone && len(trimLeft(data)) == 0 {
		c.tail = append(c.tail, data...)
		return
	}
	c.out = append(c.out, c.tail...)
	c.tail = c.tail[:0]
	c.out = c.json.feed(c.out, data, repair)
	if c.json.state == scanDone {
		whole := len(trimRight(c.out))
		c.tail = append(c.tail, c.out[whole:]...)
		c.out = c.out[:whole]
	}
}

// complete ends the arguments and says whether they are one JSON object.
func (c *call) complete(repair bool) bool {
	switch c.form {
	case formJSON:
		if len(c.dec.wait) > 0 {
			c.more(c.dec.add(nil, nil, true), repair)
		}
		if c.json.state == scanValue && c.json.depth == 0 {
			c.out = append(c.out, "{}"...)
			return true
		}
		return c.json.done() && c.json.object
	case formKeys:
		c.writer.finish()
	default:
		c.out = append(c.out, "{}"...)
	}
	return true
}

// waiting is what waits to go out.
func (c *call) waiting() []byte {
	if c.form == formKeys {
		return c.writer.out
	}
	return c.out
}

// taken says that what waited went out.
func (c *call) taken() {
	c.out, c.writer.out = c.out[:0], c.writer.out[:0]
	c.start, c.end = 0, 0
}
