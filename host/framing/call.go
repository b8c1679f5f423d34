package framing

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/framing/guided"
	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/host/typing"
)

// disposition says what becomes of a call.
type disposition uint8

const (
	sentAsItArrives disposition = iota
	sentOnceComplete
	becomesText // once it is complete
	suppressed
)

// span is a range of the raw text.
type span = guided.Span

// call is the call that is being framed.
type call struct {
	open        bool
	number      uint16 // the session's
	name        string
	id          string // the grammar's; may be empty
	disposition disposition
	headReady   bool // something came that the head must go out before; the id is settled
	headSent    bool
	index       int           // on the wire, once the head was sent
	start       abi.RawOffset // where its text begins
	nameAt      span
	pendingAt   span // what the pending arguments were made of

	form          argumentsForm
	argumentsSent bool

	// For arguments that come as JSON.
	json          jsonx.Stream
	decoder       typing.Decoder
	isText        bool   // they are a JSON string, which may hold the object
	trailingSpace []byte // white space after the object, which is left out
	pendingJSON   []byte // was not sent yet
	rawArguments  []byte // what the model wrote for pendingJSON
	// For arguments that come as keys and values.
	writer typing.Writer
}

// argumentsForm says how a call's arguments come.
type argumentsForm uint8

const (
	noArguments argumentsForm = iota
	jsonArguments
	keyedArguments
)

// reset begins a call. Its buffers stay.
func (c *call) reset(number uint16, name string, start abi.RawOffset, repair bool) {
	*c = call{
		open: true, number: number, name: name, start: start,
		json: jsonx.Stream{Repair: repair, Lenient: repair}, decoder: c.decoder, writer: c.writer,
		trailingSpace: c.trailingSpace[:0], pendingJSON: c.pendingJSON[:0], rawArguments: c.rawArguments[:0],
	}
	c.decoder.Reset(0)
}

// widenPendingSpan adds an event's span to that of the pending arguments.
func (c *call) widenPendingSpan(e *parse.CheckedEvent) {
	if e.Literal || e.Start == e.End {
		return
	}
	if c.pendingAt.Start == c.pendingAt.End {
		c.pendingAt = span{Start: e.Start, End: e.End}
		return
	}
	c.pendingAt = span{Start: min(c.pendingAt.Start, e.Start), End: max(c.pendingAt.End, e.End)}
}

// addJSONEvent takes a fragment of the arguments' JSON.
func (c *call) addJSONEvent(e *parse.CheckedEvent) {
	c.form = jsonArguments
	data := e.Data
	if !e.Literal && e.Flags&abi.ReadMask == abi.ReadJSONBody {
		if !c.decoder.Waiting() {
			c.decoder.Reset(abi.ReadJSONBody)
		}
		data = c.decoder.Append(nil, data, false)
	}
	c.addJSON(data)
}

// addJSON appends a fragment of the arguments' JSON, without the white space around
// the object. A string waits for its end.
func (c *call) addJSON(data []byte) {
	if c.json.Empty() && !c.isText {
		data = jsonx.TrimLeft(data)
		c.isText = len(data) > 0 && data[0] == '"'
	}
	if !c.argumentsSent {
		c.rawArguments = append(c.rawArguments, data...)
	}
	if c.isText {
		return
	}
	if c.json.Ended() && len(jsonx.TrimLeft(data)) == 0 {
		c.trailingSpace = append(c.trailingSpace, data...)
		return
	}
	c.pendingJSON = append(c.pendingJSON, c.trailingSpace...)
	c.trailingSpace = c.trailingSpace[:0]
	c.pendingJSON = c.json.Append(c.pendingJSON, data)
	if c.json.Ended() {
		object := jsonx.TrimRight(c.pendingJSON)
		c.trailingSpace = append(c.trailingSpace, c.pendingJSON[len(object):]...)
		c.pendingJSON = object
	}
}

// finishArguments ends the arguments and says whether they are one JSON object. body is
// what the parser gives of a body that is not what its grammar asks for.
func (c *call) finishArguments(body []byte, unsound, mayBeText bool) bool {
	if c.form == noArguments && len(body) > 0 {
		c.form = jsonArguments
		c.addJSON(body)
	}
	switch c.form {
	case jsonArguments:
		return c.finishJSON(mayBeText)
	case keyedArguments:
		if unsound {
			return false
		}
		c.writer.Finish()
	default:
		if unsound {
			return false
		}
		c.pendingJSON = append(c.pendingJSON, "{}"...)
	}
	return true
}

func (c *call) finishJSON(mayBeText bool) bool {
	if c.decoder.Waiting() {
		c.addJSON(c.decoder.Append(nil, nil, true))
	}
	if c.isText {
		return !mayBeText && c.unwrapText()
	}
	if c.json.Empty() {
		c.pendingJSON = append(c.pendingJSON, "{}"...)
		return true
	}
	c.pendingJSON = c.json.AppendWaiting(c.pendingJSON)
	return c.json.Whole() && c.json.IsObject()
}

// unwrapText takes the object from arguments that were written as a JSON string. It says
// whether there is one.
func (c *call) unwrapText() bool {
	outer := jsonx.Stream{Repair: c.json.Repair}
	quoted := outer.Append(nil, jsonx.TrimSpace(c.rawArguments))
	if !outer.Whole() {
		return false
	}
	text, _ := jsonx.String(quoted)
	object := c.json.Append(nil, jsonx.TrimSpace([]byte(text)))
	if !c.json.Whole() || !c.json.IsObject() {
		return false
	}
	c.json.Repaired++
	c.pendingJSON = append(c.pendingJSON, object...)
	return true
}

// replaceArguments gives up what is pending for this JSON.
func (c *call) replaceArguments(json []byte) {
	c.form = jsonArguments
	c.pendingJSON = append(c.pendingJSON[:0], json...)
}

// pendingArguments is the arguments' JSON that was not sent yet.
func (c *call) pendingArguments() []byte {
	if c.form == keyedArguments {
		return c.writer.Pending()
	}
	return c.pendingJSON
}

func (c *call) clearPending() {
	c.pendingJSON, c.rawArguments = c.pendingJSON[:0], c.rawArguments[:0]
	c.writer.TakePending()
	c.pendingAt = span{}
}
