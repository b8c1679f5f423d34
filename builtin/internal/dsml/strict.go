package dsml

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// chosen is a call whose closers are chosen. Its first value is said up to the
// first marker in it; from there on the call is held, and the window begins there.
type chosen struct {
	key   uint64 // hash of the first parameter's name
	text  bool   // its value is a string
	said  bool   // a part of it was said
	lexer lexer
	end   int // the first end, once it is known
	chooser
	ends ends
}

// first reads what stands behind a call's header.
func (k *block) first(w *sdk.Window) step {
	b, set := w.Bytes(), k.set().params
	id, v := set.MatchPrefix(b, w.Final)
	switch {
	case v == scan.Wait:
		return wait
	case v == scan.No:
		return k.malformed(w, 0)
	case id == paramsClose:
		w.CallEnd()
		w.Skip(set.Len(id))
		return k.leave()
	case id != paramsParameter:
		w.CallDrop()
		return k.leave()
	}
	h, v := k.g.header(b)
	switch v {
	case scan.Wait:
		return k.cut(w)
	case scan.No:
		return k.malformed(w, len(k.g.parameter))
	}
	w.Key(h.key, h.keyLen, 0)
	k.chosen.key, k.chosen.text, k.chosen.said = hash(b[h.key:][:h.keyLen]), h.text, false
	w.Skip(h.len)
	if !h.text {
		return k.hold()
	}
	return k.to(inFirst)
}

func how(text bool) uint8 {
	if text {
		return abi.ReadString
	}
	return abi.ReadJSON | abi.FlagTrim
}

// inFirst says the first value up to the first marker in it.
func (k *block) inFirst(w *sdk.Window) step {
	set := k.set().value
	at, _, v := set.Find(w.Bytes(), 0, w.Final)
	if at > 0 {
		w.Value(0, at, abi.ReadString|abi.FlagMore)
		w.Skip(at)
		k.chosen.said = true
	}
	if v == scan.Yes {
		return k.hold()
	}
	if k.chosen.said {
		w.Watch(abi.Value, set.FirstBytes())
	}
	return wait
}

// hold begins to hold the call.
func (k *block) hold() step {
	k.chosen.lexer.start(lexValue, 0)
	k.chosen.lexer.text, k.chosen.lexer.absent = k.chosen.text, k.value.absent
	return k.to(inHeld)
}

// held looks for the call's first end. If a string value held a parameter's
// opener, that may be the end of a quoted call, and only the end of the text
// tells.
func (k *block) held(w *sdk.Window) step {
	c := &k.chosen
	b := w.Bytes()
	full := len(b) >= maxHeld
	if full {
		b = b[:maxHeld]
	}
	at, what := c.lexer.run(k.g, k.set(), b, w.Final && !full)
	switch {
	case what == unknown && full:
		return k.giveUp(w)
	case what == unknown:
		return wait
	case what == ended && c.lexer.noted:
		c.end = at
		return k.to(atEnd)
	case what == ended:
		return k.close(w, at)
	}
	k.value.absent = c.lexer.absent
	w.CallDrop()
	w.Skip(at)
	if what == escaped {
		return over
	}
	return k.leave()
}

// giveUp reads a call that is too long to be held with the first closers.
func (k *block) giveUp(w *sdk.Window) step {
	w.Scanned = 0
	k.value.reset(how(k.chosen.text))
	k.value.said = k.chosen.said
	return k.to(inValue)
}

// atEnd holds the call to the end of the text.
func (k *block) atEnd(w *sdk.Window) step {
	switch c := &k.chosen; {
	case w.Final:
		return k.close(w, c.ends.find(k, w.Bytes()))
	case w.Len() >= maxHeld:
		return k.close(w, c.end)
	}
	return wait
}

// close ends the call at the closer at place end, if its body parses.
func (k *block) close(w *sdk.Window, end int) step {
	c, b := &k.chosen, w.Bytes()
	if c.choose(k.g, k.set(), b[:end], c.key, c.text) {
		for i, p := range c.best {
			if i > 0 {
				w.Key(p.at+p.head.key, p.head.keyLen, 0)
			}
			w.Value(p.begin, p.end-p.begin, how(p.head.text))
		}
		w.CallEnd()
	} else {
		w.Note("a malformed call is dropped")
		w.CallDrop()
	}
	w.Skip(end + len(k.g.invokeClose))
	return k.leave()
}
