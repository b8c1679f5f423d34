package harmonymsg

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// Enders end a message: its closers, then the markers that begin the next
// header, which end a message whose closer is missing.
var Enders = scan.NewSet(End, Call, Return, Start, Channel)

// Places in Enders.
const (
	EnderReturn  = 2
	EnderHeaders = 3 // from here on
)

var (
	// framing are the markers that mean nothing between messages.
	framing = scan.NewSet(End, Call, Return, Start, Channel, Message, Constrain)
	// body is the prose of a message.
	body = prose.Compile(prose.Markers{Calls: []string{End, Call, Return, Start, Channel}})
	// stray is what may end a run of words between messages.
	stray = scan.JoinWatchSets([]byte(" \t\r\n"), framing.FirstBytes())
)

// Turn reads a turn of messages. It consumes thoughts, answers and what stands
// between messages, and stops at each header. White space and stray closers
// between messages are framing; words there are text.
type Turn struct {
	// ReturnEnds says that nothing behind a "<|return|>" is read.
	ReturnEnds bool
	// Trial is prose.Machine.Trial.
	Trial func(thought bool) sdk.Parser
	// NoWords is called where words stand between messages; nil allows them.
	NoWords func(w *sdk.Window)

	state state
	body  state         // that a header's marker interrupts
	ender int           // place of that marker in Enders
	prose prose.Machine // goes on from one body to the next
	begun bool
}

type state uint8

const (
	between  state = iota // messages
	inWords               // between messages, behind a word
	shown                 // in a body that is prose
	literal               // in a body that is text with its markup
	atHeader              // at the marker of a header in such a body
	ignored               // in a body that nobody sees
	over
)

// EnterBody enters the body of a thought or an answer, as a prompt does that leaves
// one open.
func (t *Turn) EnterBody(thought bool) {
	t.state = shown
	if !t.begun {
		t.prose.Trial = t.Trial
		t.prose.Start(body, thought)
		t.begun = true
	}
	t.prose.Thought = thought
}

// EnterMessage skips a header and goes on with its body as a thought or an answer, in a
// block of its own.
func (t *Turn) EnterMessage(w *sdk.Window, h Header, thought bool) {
	w.Skip(h.Len)
	w.NewBlock()
	t.EnterBody(thought)
}

// EnterLiteral goes on with header, body and closer as text, as they stand.
func (t *Turn) EnterLiteral(w *sdk.Window, h Header) {
	w.Text(h.Len)
	t.EnterBody(false)
	t.state = literal
}

// EnterIgnored drops a header and its body.
func (t *Turn) EnterIgnored(w *sdk.Window, h Header) {
	w.Skip(h.Len)
	t.state = ignored
}

// MessageEnded goes on behind a message that the caller read, after its closer or in
// front of the next header. ender is the place in Enders of what ended it.
func (t *Turn) MessageEnded(ender int) {
	t.state = between
	if t.ReturnEnds && ender == EnderReturn {
		t.state = over
	}
}

// NextHeader consumes up to the next header, with which the window then begins. If it
// returns false all that is certain has been consumed, and more bytes are
// needed; at the end of the text, nothing is left.
func (t *Turn) NextHeader(w *sdk.Window) (Header, bool) {
	for {
		var more bool
		switch t.state {
		case shown, literal:
			more = t.readProse(w)
		case atHeader:
			more = t.readHeaderInBody(w)
		case ignored:
			more = t.skipBody(w)
		case over:
			w.Skip(w.Len())
		default:
			h, found, again := t.readBetweenMessages(w)
			if found {
				return h, true
			}
			more = again
		}
		if !more {
			return Header{}, false
		}
	}
}

// readProse reads prose up to its closer.
func (t *Turn) readProse(w *sdk.Window) bool {
	id, ok := t.prose.Next(w)
	if !ok {
		return false
	}
	switch {
	case id >= EnderHeaders:
		t.body, t.ender, t.state = t.state, id, atHeader
		return true
	case t.state == literal:
		w.Text(Enders.Len(id))
	default:
		w.Skip(Enders.Len(id))
	}
	t.MessageEnded(id)
	return true
}

// readHeaderInBody looks at the marker of a header in a body whose closer is missing. If no
// header follows it is prose, and the body goes on.
func (t *Turn) readHeaderInBody(w *sdk.Window) bool {
	switch _, v := ReadHeader(w.Bytes(), false); {
	case v == scan.No:
		t.prose.GiveBack(w, Enders.Len(t.ender))
		t.state = t.body
	case v == scan.Wait && !w.Final:
		return false
	default:
		t.MessageEnded(t.ender)
	}
	return true
}

// skipBody drops a body up to its closer.
func (t *Turn) skipBody(w *sdk.Window) bool {
	id, ok := SkipToEnder(w)
	if !ok {
		return false
	}
	t.MessageEnded(id)
	return true
}

// SkipToEnder skips up to what ends a message, and the closer too. It gives the
// place of what it was in Enders.
func SkipToEnder(w *sdk.Window) (id int, ok bool) {
	at, id, v := Enders.Find(w.Bytes(), 0, w.Final)
	w.Skip(at)
	if v != scan.Yes {
		if w.Final {
			w.Skip(w.Len())
		}
		return 0, false
	}
	if id < EnderHeaders {
		w.Skip(Enders.Len(id))
	}
	return id, true
}

// readBetweenMessages reads what stands between messages.
func (t *Turn) readBetweenMessages(w *sdk.Window) (h Header, found, again bool) {
	b := w.Bytes()
	n := scan.LeadingSpace(b[:min(len(b), MaxHeader)])
	if n == MaxHeader { // too much for a header to begin with
		t.consumeSpace(w, n)
		return h, false, true
	}
	if t.state == inWords && n == 0 && len(b) > 0 && b[0] == 't' { // "to=" in a word
		return h, false, t.emitWord(w, n)
	}
	h, v := t.readHeaderAfter(b, n)
	if v == scan.Yes {
		if b[n] == '<' {
			t.consumeSpace(w, n)
		}
		return h, true, false
	}
	if v == scan.Wait {
		if w.Final {
			t.endCutHeader(w)
		} else if len(b) == 0 && t.state == inWords {
			w.Watch(abi.Text, stray)
		}
		return h, false, false
	}
	id, v := framing.MatchPrefix(b[n:], w.Final)
	switch v {
	case scan.Wait:
		return h, false, false
	case scan.Yes:
		t.consumeSpace(w, n)
		if id >= EnderHeaders { // without a header behind it
			w.Text(framing.Len(id))
			t.state = inWords
			return h, false, true
		}
		w.Skip(framing.Len(id))
		t.MessageEnded(id)
		return h, false, true
	}
	return h, false, t.emitWord(w, n)
}

// readHeaderAfter reads a header behind n bytes of white space, which belong to it if it
// begins with "to=".
func (t *Turn) readHeaderAfter(b []byte, n int) (Header, scan.Verdict) {
	if n < len(b) && b[n] == '<' {
		return ReadHeader(b[n:], false)
	}
	return ReadHeader(b, false)
}

// consumeSpace consumes n bytes of white space before a marker: they are text where
// words stand before them.
func (t *Turn) consumeSpace(w *sdk.Window, n int) {
	if t.state == inWords {
		w.Text(n)
	} else {
		w.Skip(n)
	}
}

// emitWord are bytes outside any message, behind n bytes of white space.
func (t *Turn) emitWord(w *sdk.Window, n int) bool {
	if t.NoWords != nil && t.state == between {
		t.NoWords(w)
	}
	b := w.Bytes()
	for n++; n < len(b) && !scan.IsSpace(b[n]) && !framing.StartsMarker(b[n]); n++ {
	}
	w.Text(n)
	t.state = inWords
	return true
}

// endCutHeader is the end of the text where a header may have begun: half a header is
// never visible.
func (t *Turn) endCutHeader(w *sdk.Window) {
	b := w.Bytes()
	n := scan.LeadingSpace(b)
	rest := string(b[n:])
	begun := len(rest) >= 2 && rest[:2] == "<|"
	if t.state == between {
		begun = begun || rest == "" || rest == "<" || len(rest) >= 3 && rest[:3] == "to="
	}
	if begun {
		t.consumeSpace(w, n)
		w.Skip(w.Len())
	} else {
		w.Text(len(b))
	}
}
