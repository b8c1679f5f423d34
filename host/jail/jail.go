// Package jail holds text back from the first sign of a call until a parser says
// that the call is whole. It is for parsers that are asked about calls only, and
// for guided JSON that is not streamed.
//
// The markers, from the parser's manifest, only say when asking is worth while:
// what is a call, and where it ends, is the parser's word alone.
package jail

import (
	"bytes"
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/host/parse"
)

// Jail is the jail of one choice in marker mode. The parser reads all of the
// text; outside of the jail text goes out at once, whether the parser has made up
// its mind or not.
type Jail struct {
	session *parse.Session
	markers *markers

	jailed    bool
	always    bool                 // there is no opening marker to wait for
	call      bool                 // a call is open
	sent      abi.RawOffset        // up to where text went out
	window    string               // the text from sent on, while not jailed
	tail      string               // the last bytes that were pushed, which may begin a closing marker
	afterCall bool                 // the last thing that was given is a call
	held      []parse.CheckedEvent // what the session gave while jailed
	events    []parse.CheckedEvent
	bytes     []byte // the data of events
}

// New puts a jail around a session of a parser with these markers. Without an
// opening marker all of the text is jailed.
func New(session *parse.Session, markers *manifest.Jail) *Jail {
	j := &Jail{session: session}
	if markers == nil || len(markers.Open) == 0 {
		markers = &manifest.Jail{}
		j.jailed, j.always = true, true
	}
	j.markers = newMarkers(markers.Open, markers.Close)
	return j
}

// Holding says whether text is held back.
func (j *Jail) Holding() bool { return j.jailed || j.window != "" }

// Owns implements Reader.
func (j *Jail) Owns(call uint16) bool {
	for i := range j.held {
		if j.held[i].Kind == abi.Call && j.held[i].Call == call {
			return true
		}
	}
	return false
}

// Raw is the session's.
func (j *Jail) Raw(start, end abi.RawOffset) []byte { return j.session.Raw(start, end) }

// Close closes the session.
func (j *Jail) Close() { j.session.Close() }

// Push implements Reader. White space that comes with the finish reason, and is all
// there is behind a call, is formatting and is left out.
func (j *Jail) Push(text string, last bool) ([]parse.CheckedEvent, error) {
	afterCall := j.afterCall
	events, err := j.pushText(text)
	if last {
		events = j.withoutFormatting(events, afterCall)
	}
	return events, err
}

// pushText cuts the text behind each closing marker, so that the jail can be left
// there.
func (j *Jail) pushText(text string) ([]parse.CheckedEvent, error) {
	j.events, j.bytes = j.events[:0], j.bytes[:0]
	for text != "" {
		part, closed := text, false
		if n := j.markers.closes(j.tail, text); n > 0 {
			part, closed = text[:n], true
		}
		if text = text[len(part):]; closed {
			j.tail = ""
		} else {
			j.tail = j.markers.begun(j.tail, part)
		}
		if err := j.pushPart(part, closed); err != nil {
			return j.events, err
		}
	}
	return j.events, nil
}

func (j *Jail) pushPart(part string, closed bool) error {
	events, err := j.session.Push(part)
	if !j.jailed {
		j.passText(part)
	}
	j.takeEvents(events)
	if !j.jailed {
		return err
	}
	switch {
	case j.mayLeave(closed):
		j.flushHeld()
		j.jailed, j.sent = false, j.session.Pushed()
	case !j.call && len(j.markers.close) == 0:
		j.flushHeld() // no marker is to come that would end the call
	}
	return err
}

func (j *Jail) flushHeld() {
	j.events = append(j.events, j.held...)
	j.held = j.held[:0]
}

// passText gives text up to the first marker, or what could become one.
func (j *Jail) passText(part string) {
	j.window += part
	at, whole := j.markers.find(j.window)
	j.emitText(j.window[:at])
	j.window = j.window[at:]
	if whole {
		j.jailed, j.window = true, ""
	}
}

// emitText gives text that the parser need not be asked about.
func (j *Jail) emitText(text string) {
	if text == "" {
		return
	}
	start := j.sent
	j.sent += abi.RawOffset(len(text))
	j.afterCall = false
	j.events = append(j.events, parse.CheckedEvent{Kind: abi.Text, Data: appendKept(&j.bytes, text), Start: start, End: j.sent, Accounted: j.sent})
}

// takeEvents takes the session's events, without the text that was given already.
func (j *Jail) takeEvents(events []parse.CheckedEvent) {
	for _, e := range events {
		switch e.Kind {
		case abi.Text:
			if e.End <= j.sent {
				continue
			}
			if e.Start < j.sent {
				e.Data = e.Data[j.sent-e.Start:]
				e.Start = j.sent
			}
			j.markSent(e.End)
			j.afterCall = false
		case abi.Call:
			j.call = true
		case abi.CallEnd, abi.CallDrop:
			j.call, j.afterCall = false, e.Kind == abi.CallEnd
		}
		if j.jailed {
			e.Data = bytes.Clone(e.Data)
			j.held = append(j.held, e)
		} else {
			e.Data = appendKept(&j.bytes, e.Data)
			j.events = append(j.events, e)
		}
	}
}

// appendKept puts data into a buffer. It stays valid as long as the buffer is not used
// anew, also where the buffer grows.
func appendKept[T string | []byte](buf *[]byte, data T) []byte {
	start := len(*buf)
	*buf = append(*buf, data...)
	return (*buf)[start:len(*buf):len(*buf)]
}

// markSent says that text was given up to that offset.
func (j *Jail) markSent(to abi.RawOffset) {
	if !j.jailed {
		j.window = j.window[min(len(j.window), int(to-j.sent)):]
	}
	j.sent = to
}

// mayLeave says whether the parser is through with what it was jailed for: nothing
// is held, no call is open, and it has just read a closing marker or is in the
// middle of text.
func (j *Jail) mayLeave(closed bool) bool {
	if j.always || j.call || j.session.Accounted() != j.session.Pushed() {
		return false
	}
	return closed || j.sent == j.session.Pushed()
}

// withoutFormatting leaves out white space at the end of events where nothing but a
// call stands before it. afterCall says that a call was the last thing before them.
func (j *Jail) withoutFormatting(events []parse.CheckedEvent, afterCall bool) []parse.CheckedEvent {
	n := len(events)
	for n > 0 && events[n-1].Kind == abi.Text && strings.TrimSpace(string(events[n-1].Data)) == "" {
		n--
	}
	if n == 0 && afterCall || n > 0 && events[n-1].Kind == abi.CallEnd {
		events, j.afterCall = events[:n], true
	}
	return events
}

// PushThought implements Reader.
func (j *Jail) PushThought(text string) ([]parse.CheckedEvent, error) { return j.Push(text, false) }

// Finish ends the text.
func (j *Jail) Finish(reason abi.Finish) ([]parse.CheckedEvent, error) {
	j.events = j.events[:0] // the data of the last Push stays: Immediate still needs it
	events, err := j.session.Finish(reason)
	if err != nil {
		return j.events, err
	}
	j.takeEvents(events)
	j.flushHeld()
	j.jailed, j.window = false, ""
	return j.events, nil
}
