package dsml

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/param"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// value is a value that ends at the first parameter closer behind which the call goes
// on, or, where that was forgotten, before the next parameter at a line's start. All
// other markers in it are data. But where no closer follows to the very end of the text, it was
// never closed: the first closer of a call or block in it was structure, and
// failing that the first closer of the thought. So from these on nothing is emitted
// before the value's closer comes.
type value struct {
	how     uint8 // how it is read
	emitted bool  // a part was emitted
	closer  int   // place of the first call's or block's closer in the window
	escape  int   // place of the first thought's closer
	absent
}

func (v *value) startValue(how uint8) {
	v.how, v.emitted, v.closer, v.escape = how, false, missing, missing
}

// heldFrom is the place from which the value is held.
func (v *value) heldFrom() int {
	if v.escape == missing || v.closer != missing && v.closer < v.escape {
		return v.closer
	}
	return v.escape
}

// readParameter looks for the next parameter or for what ends the call. What else stands
// there is ignored.
func (k *block) readParameter(w *sdk.Window) progress {
	set := k.currentMarkers().params
	at, id, v := set.Find(w.Bytes(), 0, w.Final)
	w.Skip(at)
	if v != scan.Yes {
		if w.Final && w.Reason == abi.FinishUserStop && w.InCall() {
			w.CallEnd() // the stop string was the call's closer
		}
		return needInput
	}
	switch id {
	case paramsParameter:
		w.Skip(set.Len(id))
		return k.goTo(atKey)
	case paramsClose:
		w.CallEnd()
		w.Skip(set.Len(id))
	default:
		w.CallDrop()
	}
	return k.leaveCall()
}

// readKey reads a parameter's attributes. Where they can't be read the value belongs
// nowhere, and the call is malformed.
func (k *block) readKey(w *sdk.Window) progress {
	n := indexAny(w, "<>\n")
	b := w.Bytes()
	switch {
	case n == missing && len(b) > maxHeader || n > maxHeader:
		return k.dropMalformedCall(w, maxHeader)
	case n == missing:
		return k.waitOrDropRest(w)
	}
	const name = ` name="`
	at := len(name)
	end := missing
	if b[n] == '>' && bytes.HasPrefix(b[:n], []byte(name)) {
		end = bytes.IndexByte(b[at:n], '"')
	}
	if end <= 0 {
		return k.dropMalformedCall(w, n)
	}
	w.Key(at, end, 0)
	k.keys.Give(b[at : at+end])
	how := readAsAttribute(b[at+end+1 : n])
	w.Skip(n + 1)
	k.value.startValue(how)
	return k.goTo(inValue)
}

// readAsAttribute says how a value is read, by the attribute behind its key.
func readAsAttribute(attribute []byte) uint8 {
	switch string(bytes.TrimSpace(attribute)) {
	case `string="true"`:
		return abi.ReadString
	case `string="false"`:
		return abi.ReadJSON | abi.FlagTrim
	}
	return abi.ReadJSONOrText
}

// readValue reads a value: it emits what is certain of it and looks for its end.
func (k *block) readValue(w *sdk.Window) progress {
	v, set, b := &k.value, k.currentMarkers().value, w.Bytes()
	for !v.noClose {
		at, id, verdict := set.Find(b, w.Scanned, w.Final)
		w.Scanned = at
		if hold := v.heldFrom(); hold != missing && at-hold > maxHeld {
			v.closer, v.escape = missing, missing // held for too long: data
		}
		switch {
		case verdict != scan.Yes && w.Final:
			v.noClose = true
			continue
		case verdict != scan.Yes:
			k.emitCertainPart(w, at)
			return needInput
		}
		behind := at
		switch id {
		case valueClose:
			behind += set.Len(id)
			verdict = param.Continues(b[behind:], k.currentMarkers().params, w.Final)
		case valueParameter:
			verdict = k.isNextParameter(w, b, at)
		default:
			verdict = scan.No
			v.recordMarker(id, at)
		}
		switch verdict {
		case scan.Wait:
			k.emitCertainPart(w, at)
			return needInput
		case scan.Yes:
			w.Value(0, at, v.how)
			w.Skip(behind)
			w.Scanned = 0
			return k.goTo(atParam)
		}
		w.Scanned++
	}
	return k.dropUnclosedCall(w)
}

// isNextParameter asks whether the parameter's opener at place at of a value is the next
// parameter, because the value's closer was forgotten: it begins a line, and its key
// is declared and was not given yet.
func (k *block) isNextParameter(w *sdk.Window, b []byte, at int) scan.Verdict {
	before := w.Prev()
	if at > 0 {
		before = b[at-1]
	}
	if before != '\n' {
		return scan.No
	}
	header := b[at+len(k.g.parameter):]
	header = header[:min(len(header), maxHeader)]
	n := bytes.IndexByte(header, '>')
	if n < 0 && len(header) < maxHeader && !w.Final {
		return scan.Wait
	}
	const name = ` name="`
	if n < 0 || !bytes.HasPrefix(header[:n], []byte(name)) {
		return scan.No
	}
	if key, _, ok := bytes.Cut(header[len(name):n], []byte{'"'}); ok && k.keys.Awaits(key) {
		return scan.Yes
	}
	return scan.No
}

// recordMarker takes a marker in a value in.
func (v *value) recordMarker(id, at int) {
	switch {
	case id == valueInvokeClose || id == valueBlockClose || id == valueOtherClose:
		if v.closer == missing {
			v.closer = at
		}
	case id == valueEndThink && v.escape == missing:
		v.escape = at
	}
}

// emitCertainPart emits what is certain of a value that was searched up to place at.
func (k *block) emitCertainPart(w *sdk.Window, at int) {
	v := &k.value
	if hold := v.heldFrom(); hold != missing {
		at = hold
	}
	if at > 0 {
		w.Value(0, at, v.how|abi.FlagMore)
		w.Skip(at)
		v.emitted = true
		if v.closer != missing {
			v.closer -= at
		}
		if v.escape != missing {
			v.escape -= at
		}
	}
	if v.emitted {
		w.Watch(abi.Value, k.currentMarkers().value.FirstBytes())
	}
}

// dropUnclosedCall drops a call whose value has no closer up to the end of the text.
func (k *block) dropUnclosedCall(w *sdk.Window) progress {
	v, set := &k.value, k.currentMarkers().value
	for v.closer == missing && !(v.noCloser && v.escape != missing) {
		at, id, verdict := set.Find(w.Bytes(), w.Scanned, true)
		if verdict != scan.Yes {
			v.noCloser = true
			break
		}
		v.recordMarker(id, at)
		w.Scanned = at + 1
	}
	w.Scanned = 0
	w.CallDrop()
	switch {
	case v.closer != missing:
		w.Skip(v.closer)
		return k.leaveCall()
	case v.escape != missing:
		w.Skip(v.escape)
		return blockOver
	}
	return k.waitOrDropRest(w)
}
