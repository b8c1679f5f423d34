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

	jailed bool
	always bool                 // there is no opening marker to wait for
	call   bool                 // a call is open
	sent   uint32               // up to where text went out
	window string               // the text from sent on, while not jailed
	tail   string               // the last bytes that were pushed, which may begin a closing marker
	after  bool                 // the last thing that went out was a call
	held   []parse.CheckedEvent // what the parser said while jailed
	events []parse.CheckedEvent
	bytes  []byte // the data of events
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

// Holds says whether a call is among what is held: nothing of it went out.
func (j *Jail) Holds(call uint16) bool {
	for i := range j.held {
		if j.held[i].Kind == abi.Call && j.held[i].Call == call {
			return true
		}
	}
	return false
}

// Raw is the session's.
func (j *Jail) Raw(start, end uint32) []byte { return j.session.Raw(start, end) }

// Close closes the session.
func (j *Jail) Close() { j.session.Close() }

// Push takes more text. The events are valid until the next call.
func (j *Jail) Push(text string) ([]parse.CheckedEvent, error) {
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
		if err := j.push(part, closed); err != nil {
			return j.events, err
		}
	}
	return j.events, nil
}

func (j *Jail) push(part string, closed bool) error {
	said, err := j.session.Push(part)
	if !j.jailed {
		j.pass(part)
	}
	j.take(said)
	if !j.jailed {
		return err
	}
	switch {
	case j.free(closed):
		j.release()
		j.jailed, j.sent = false, j.session.Pushed()
	case !j.call && len(j.markers.close) == 0:
		j.release() // no marker is to come that would end the call
	}
	return err
}

func (j *Jail) release() {
	j.events = append(j.events, j.held...)
	j.held = j.held[:0]
}

// pass lets text out up to the first marker, or what could become one.
func (j *Jail) pass(part string) {
	j.window += part
	at, whole := j.markers.find(j.window)
	j.say(j.window[:at])
	j.window = j.window[at:]
	if whole {
		j.jailed, j.window = true, ""
	}
}

// say lets text out that the parser need not be asked about.
func (j *Jail) say(text string) {
	if text == "" {
		return
	}
	start := j.sent
	j.sent += uint32(len(text))
	j.after = false
	j.events = append(j.events, parse.CheckedEvent{Kind: abi.Text, Data: keep(&j.bytes, text), Start: start, End: j.sent, Accounted: j.sent})
}

// take takes what the parser said, without the text that is out already.
func (j *Jail) take(said []parse.CheckedEvent) {
	for _, e := range said {
		switch e.Kind {
		case abi.Text:
			if e.End <= j.sent {
				continue
			}
			if e.Start < j.sent {
				e.Data = e.Data[j.sent-e.Start:]
				e.Start = j.sent
			}
			j.advance(e.End)
			j.after = false
		case abi.Call:
			j.call = true
		case abi.CallEnd, abi.CallDrop:
			j.call, j.after = false, e.Kind == abi.CallEnd
		}
		if j.jailed {
			e.Data = bytes.Clone(e.Data)
			j.held = append(j.held, e)
		} else {
			e.Data = keep(&j.bytes, e.Data)
			j.events = append(j.events, e)
		}
	}
}

// keep puts data into a buffer. It stays valid as long as the buffer is not used
// anew, also where the buffer grows.
func keep[T string | []byte](buf *[]byte, data T) []byte {
	start := len(*buf)
	*buf = append(*buf, data...)
	return (*buf)[start:len(*buf):len(*buf)]
}

// advance says that text is out up to that offset.
func (j *Jail) advance(to uint32) {
	if !j.jailed {
		j.window = j.window[min(len(j.window), int(to-j.sent)):]
	}
	j.sent = to
}

// free says whether the parser is through with what it was jailed for: nothing
// is held, no call is open, and it has just read a closing marker or is in the
// middle of text.
func (j *Jail) free(closed bool) bool {
	if j.always || j.call || j.session.Accounted() != j.session.Pushed() {
		return false
	}
	return closed || j.sent == j.session.Pushed()
}

// Last is Push for the text that came with the finish reason: white space that is
// all there is behind a call is formatting, and is left out.
func (j *Jail) Last(text string) ([]parse.CheckedEvent, error) {
	after := j.after
	events, err := j.Push(text)
	n := len(events)
	for n > 0 && events[n-1].Kind == abi.Text && strings.TrimSpace(string(events[n-1].Data)) == "" {
		n--
	}
	if n == 0 && after || n > 0 && events[n-1].Kind == abi.CallEnd {
		events, j.after = events[:n], true
	}
	return events, err
}

// Finish ends the text.
func (j *Jail) Finish(reason abi.Finish) ([]parse.CheckedEvent, error) {
	j.events = j.events[:0] // the data of the last Push stays: Immediate still needs it
	said, err := j.session.Finish(reason)
	if err != nil {
		return j.events, err
	}
	j.take(said)
	j.release()
	j.jailed, j.window = false, ""
	return j.events, nil
}
