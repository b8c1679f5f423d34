package toolblock

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// XML is how functions and their parameters are written.
type XML struct {
	Function       string // the name follows, then ">"
	FunctionClose  string
	Parameter      string // the key follows, then ">"
	ParameterClose string
}

// Functions is the XML of Qwen3-Coder and of the models that copied it.
var Functions = &XML{
	Function: "<function=", FunctionClose: "</function>",
	Parameter: "<parameter=", ParameterClose: "</parameter>",
}

// Places of markers in a value's set; the escape, where it counts, is next.
const (
	valueClose = iota
	valueFunctionClose
)

// value is a parameter's value that is being read. Only its closer ends it; all
// other markers in it are data. But where no closer follows to the very end, the
// first function closer in it was its end, and failing that the first escape was
// the call's: so from these on nothing is said before the value's closer comes.
//
// Its places are in the window, or missing.
type value struct {
	begun    bool // the line feed that may lead it is settled
	said     bool // a part was said
	hold     int  // the first byte that is held
	function int  // the first function closer
	escape   int  // the first escape
}

// remains says, once the text has ended, what is not left in it, so that it is
// not searched for again.
type remains struct{ noValueClose, noFunctionClose bool }

const missing = -1

func (v *value) reset() {
	*v = value{hold: missing, function: missing, escape: missing}
}

// forget lets go of what was held for too long, now that the value was searched
// up to place at: it was data.
func (v *value) forget(at int) {
	if v.hold != missing && at-v.hold > maxHeld {
		v.reset()
		v.begun, v.said = true, true
	}
}

// consumed moves the places along.
func (v *value) consumed(n int) {
	for _, at := range [...]*int{&v.hold, &v.function, &v.escape} {
		if *at != missing {
			*at -= n
		}
	}
}

// header reads a function's name. A header that runs into another tag has lost
// its ">" and is dropped: markup must not become a name.
func (b *Block) header(w *sdk.Window) step {
	n := index(w, "<>")
	if n == missing {
		return wait
	}
	p := w.Bytes()
	at, length := trimName(p[:n])
	if p[n] == '<' || length == 0 {
		w.Note(noteHeader)
	}
	if p[n] == '<' {
		w.Skip(n)
		return b.outside()
	}
	if length > 0 {
		w.Call(at, length, 0)
	}
	w.Skip(n + 1)
	return b.to(atFunction)
}

// outside goes on behind a function.
func (b *Block) outside() step {
	if b.bare {
		return over
	}
	return b.to(atJunk)
}

// function looks for the next parameter or for what ends the function. The
// block's closer ends it too: the model has finished the call and forgot a tag.
// An opener starts anew, what came before it was a false start.
func (b *Block) function(w *sdk.Window) step {
	at, id, v := b.set.function.Find(w.Bytes(), 0, w.Final)
	w.Skip(at)
	if v != scan.Yes {
		return wait
	}
	switch id {
	case functionParameter:
		w.Skip(b.set.function.Len(id))
		return b.to(atKey)
	case functionClose:
		b.callEnd(w)
		w.Skip(b.set.function.Len(id))
		return b.outside()
	case functionBlockClose:
		b.callEnd(w)
		w.Skip(b.set.function.Len(id))
		return over
	case functionBlockOpen, functionAgain:
		w.CallDrop()
		return b.outside()
	}
	w.CallDrop()
	return over
}

// callEnd completes the open call, if one was said.
func (b *Block) callEnd(w *sdk.Window) {
	if w.InCall() {
		w.CallEnd()
	}
}

// key reads a parameter's key: one or more bytes without white space and
// brackets. A header that is not that is dropped, up to the next tag.
func (b *Block) key(w *sdk.Window) step {
	n := index(w, "<> \t\r\n")
	if n == missing {
		return wait
	}
	p := w.Bytes()
	at, length := trimName(p[:n])
	if p[n] != '>' || length == 0 {
		w.Skip(n)
		return b.to(atFunction)
	}
	if w.InCall() {
		w.Key(at, length, 0)
	}
	w.Skip(n + 1)
	w.Scanned = 0
	b.value.reset()
	return b.to(atValue)
}

// inValue reads a value: it says what is certain of it and looks for its end.
func (b *Block) inValue(w *sdk.Window) step {
	v := &b.value
	if !v.begun && w.Len() > 0 {
		if w.Bytes()[0] == '\n' {
			w.Skip(1)
		}
		v.begun = true
	}
	if b.remains.noValueClose {
		return b.valueCut(w)
	}
	p := w.Bytes()
	for {
		at, id, verdict := b.set.value.Find(p, w.Scanned, w.Final)
		w.Scanned = at
		v.forget(at)
		switch {
		case verdict != scan.Yes && w.Final:
			b.remains.noValueClose = true
			return b.valueCut(w)
		case verdict != scan.Yes:
			b.sayPart(w, at)
			return wait
		case id == valueClose:
			n := frame(p, at)
			b.say(w, n, 0)
			w.Skip(at - n + b.set.value.Len(id))
			return b.to(atFunction)
		case id == valueFunctionClose && v.function == missing:
			v.function = at
		case id > valueFunctionClose && v.escape == missing:
			v.escape = at
		}
		if v.hold == missing {
			v.hold = frame(p, at)
		}
		w.Scanned++
	}
}

// sayPart says what is certain of a value that was searched up to place at.
func (b *Block) sayPart(w *sdk.Window, at int) {
	v := &b.value
	if v.hold != missing {
		at = v.hold
	} else {
		at = frame(w.Bytes(), at)
	}
	if at > 0 {
		b.say(w, at, abi.FlagMore)
	}
	if w.InCall() && v.said {
		w.Watch(abi.Value, valueWatch)
	}
}

// valueWatch are the bytes that matter in a value: those that begin a marker,
// and the line feed, which may be the one before the closer.
var valueWatch = []byte{'<', '\n'}

// valueCut settles a value that has no closer up to the end of the text.
func (b *Block) valueCut(w *sdk.Window) step {
	if !w.Final {
		return wait
	}
	v, p, set := &b.value, w.Bytes(), b.set.value
	for v.function == missing && (v.escape == missing || !b.remains.noFunctionClose) {
		at, id, verdict := set.Find(p, w.Scanned, true)
		if verdict != scan.Yes {
			b.remains.noFunctionClose = true
			break
		}
		if id == valueFunctionClose {
			v.function = at
		} else if v.escape == missing {
			v.escape = at
		}
		w.Scanned = at + 1
	}
	w.Scanned = 0
	switch {
	case v.function != missing:
		b.say(w, frame(p, v.function), 0)
		w.Skip(v.function)
		return b.to(atFunction)
	case v.escape != missing:
		w.CallDrop()
		w.Skip(v.escape)
		return over
	}
	return wait
}

// say says the first n bytes of the window as the value, or with more as a part
// of it, and consumes them.
func (b *Block) say(w *sdk.Window, n int, more uint8) {
	if w.InCall() {
		w.Value(0, n, abi.ReadSchema|more)
		b.value.said = true
	}
	w.Skip(n)
	b.value.consumed(n)
}

// frame is where a value ends that is followed, at place at, by a tag: the one
// line feed before the tag is not part of it.
func frame(p []byte, at int) int {
	if at > 0 && p[at-1] == '\n' {
		return at - 1
	}
	return at
}

// index finds the first of the bytes of set in the window. It looks at each byte
// once over all pushes.
func index(w *sdk.Window, set string) int {
	p := w.Bytes()
	if i := bytes.IndexAny(p[w.Scanned:], set); i >= 0 {
		return w.Scanned + i
	}
	w.Scanned = len(p)
	return missing
}

// trimName gives the part of a header that is the name: without white space
// round it, and without the quotes that some models put there.
func trimName(p []byte) (at, n int) {
	at = scan.Space(p)
	end := max(at, scan.TrimSpaceRight(p))
	if end-at >= 2 && (p[at] == '"' || p[at] == '\'') && p[end-1] == p[at] {
		at, end = at+1, end-1
	}
	return at, end - at
}
