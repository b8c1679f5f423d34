package dsml

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// chosen is a call whose closers are chosen. Its first value is emitted up to the
// first marker in it; from there on the call is held, and the window begins there.
type chosen struct {
	key     uint64 // hash of the first parameter's name
	text    bool   // its value is a string
	emitted bool   // a part of it was emitted
	lexer   lexer
	end     int // the first end, once it is known
	chooser
	ends ends
}

// readFirstParameter reads what stands behind a call's header.
func (k *block) readFirstParameter(w *sdk.Window) progress {
	b, set := w.Bytes(), k.currentMarkers().params
	id, v := set.MatchPrefix(b, w.Final)
	switch {
	case v == scan.Wait:
		return needInput
	case v == scan.No:
		return k.dropMalformedCall(w, 0)
	case id == paramsClose:
		w.CallEnd()
		w.Skip(set.Len(id))
		return k.leaveCall()
	case id != paramsParameter:
		w.CallDrop()
		return k.leaveCall()
	}
	h, v := k.g.readHeader(b)
	switch v {
	case scan.Wait:
		return k.waitOrDropRest(w)
	case scan.No:
		return k.dropMalformedCall(w, len(k.g.parameter))
	}
	w.Key(h.key, h.keyLen, 0)
	k.chosen.key, k.chosen.text, k.chosen.emitted = hashName(b[h.key:][:h.keyLen]), h.text, false
	w.Skip(h.len)
	if !h.text {
		return k.holdCall()
	}
	return k.goTo(inFirst)
}

func readAs(text bool) uint8 {
	if text {
		return abi.ReadString
	}
	return abi.ReadJSON | abi.FlagTrim
}

// readFirstValue emits the first value up to the first marker in it.
func (k *block) readFirstValue(w *sdk.Window) progress {
	set := k.currentMarkers().value
	at, _, v := set.Find(w.Bytes(), 0, w.Final)
	if at > 0 {
		w.Value(0, at, abi.ReadString|abi.FlagMore)
		w.Skip(at)
		k.chosen.emitted = true
	}
	if v == scan.Yes {
		return k.holdCall()
	}
	if k.chosen.emitted {
		w.Watch(abi.Value, set.FirstBytes())
	}
	return needInput
}

// holdCall begins to hold the call.
func (k *block) holdCall() progress {
	k.chosen.lexer.startLexing(lexValue, 0)
	k.chosen.lexer.text, k.chosen.lexer.absent = k.chosen.text, k.value.absent
	return k.goTo(inHeld)
}

// readHeldCall looks for the call's first end. If a string value held a parameter's
// opener, that may be the end of a quoted call, and only the end of the text
// tells.
func (k *block) readHeldCall(w *sdk.Window) progress {
	c := &k.chosen
	b := w.Bytes()
	full := len(b) >= maxHeld
	if full {
		b = b[:maxHeld]
	}
	at, what := c.lexer.findCallEnd(k.g, k.currentMarkers(), b, w.Final && !full)
	switch {
	case what == unknown && full:
		return k.readWithFirstClosers(w)
	case what == unknown:
		return needInput
	case what == ended && c.lexer.noted:
		c.end = at
		return k.goTo(atEnd)
	case what == ended:
		return k.endChosenCall(w, at)
	}
	k.value.absent = c.lexer.absent
	w.CallDrop()
	w.Skip(at)
	if what == escaped {
		return blockOver
	}
	return k.leaveCall()
}

// readWithFirstClosers reads a call that is too long to be held with the first closers.
func (k *block) readWithFirstClosers(w *sdk.Window) progress {
	w.Scanned = 0
	k.value.startValue(readAs(k.chosen.text))
	k.value.emitted = k.chosen.emitted
	return k.goTo(inValue)
}

// awaitTextEnd holds the call to the end of the text.
func (k *block) awaitTextEnd(w *sdk.Window) progress {
	switch c := &k.chosen; {
	case w.Final:
		return k.endChosenCall(w, c.ends.findCallEnd(k, w.Bytes()))
	case w.Len() >= maxHeld:
		return k.endChosenCall(w, c.end)
	}
	return needInput
}

// endChosenCall ends the call at the closer at place end, if its body parses.
func (k *block) endChosenCall(w *sdk.Window, end int) progress {
	c, b := &k.chosen, w.Bytes()
	if c.chooseClosers(k.g, k.currentMarkers(), b[:end], c.key, c.text) {
		for i, p := range c.best {
			if i > 0 {
				w.Key(p.at+p.head.key, p.head.keyLen, 0)
			}
			w.Value(p.begin, p.end-p.begin, readAs(p.head.text))
		}
		w.CallEnd()
	} else {
		w.Note("a malformed call is dropped")
		w.CallDrop()
	}
	w.Skip(end + len(k.g.invokeClose))
	return k.leaveCall()
}
