package typing

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// A value is one value of a call while its parts arrive. What is a string whatever
// follows is written at once; anything else waits for its last part.
type value struct {
	reading uint8 // abi.Read…
	mode    valueMode
	trim    bool
	opened  bool    // the string's quotation mark is written
	started bool    // something other than leading white space came
	space   []byte  // white space that is trailing unless more follows
	decoder Decoder // for strings
	null    nullWord
	text    []byte // what waits; once the value streams, room to decode in
}

type valueMode uint8

const (
	waitForEnd       valueMode = iota
	streamString               // a string, whatever the text is
	stringUnlessNull           // a string unless the text is the bare word null
)

func (v *value) reset(flags uint8, t *Typer, s *Schema) {
	v.reading = flags & abi.ReadMask
	v.trim = flags&abi.FlagTrim != 0
	v.opened, v.started = false, false
	v.space, v.text = v.space[:0], v.text[:0]
	v.decoder.Reset(v.reading)
	v.null = nullWord{}
	switch v.reading {
	case abi.ReadString, abi.ReadJSONBody, abi.ReadPythonBody, abi.ReadEntities, abi.ReadQuotAmp:
		v.mode = streamString
	case abi.ReadSchema:
		f := s.facts()
		v.mode, v.null = t.modeFor(s, &f), t.newNullWord(&f)
	default:
		v.mode = waitForEnd
	}
}

// appendPart takes a part of the text and appends the JSON that is certain by now.
// Literal bytes are neither decoded nor trimmed.
func (v *value) appendPart(dst, part []byte, literal bool, t *Typer) []byte {
	if v.mode == streamString {
		return v.appendStringPart(dst, part, literal)
	}
	v.text = append(v.text, part...)
	if v.mode == stringUnlessNull {
		v.null.observe(part)
	}
	switch {
	case v.mode == stringUnlessNull && !v.null.canBeNull():
	case len(v.text) > t.MaxHeld:
		t.Overlong++
		v.reading = abi.ReadString
	default:
		return dst
	}
	v.mode = streamString
	return v.appendStringPart(dst, v.text, literal)
}

// appendEnd completes the value.
func (v *value) appendEnd(dst []byte, t *Typer, s *Schema) []byte {
	if v.mode == streamString {
		return append(v.appendDecoded(v.appendStringPart(dst, nil, false), nil, true), '"')
	}
	text := v.text
	if v.trim {
		text = jsonx.TrimSpace(text)
	}
	switch v.reading {
	case abi.ReadJSON, abi.ReadJSONOrText:
		if out, ok := t.appendJSON(dst, text, v.reading == abi.ReadJSON); ok {
			return out
		}
		if f := s.facts(); f.types != typeAny {
			if out, ok := t.appendTyped(dst, jsonx.TrimSpace(text), f.types); ok {
				return out
			}
		}
		return jsonx.AppendText(dst, text)
	case abi.ReadPython:
		if out, ok := appendPython(dst, text); ok {
			return out
		}
		return jsonx.AppendText(dst, text)
	}
	return t.appendValue(dst, text, s)
}

func (v *value) appendStringPart(dst, part []byte, literal bool) []byte {
	if !v.opened {
		v.opened = true
		dst = append(dst, '"')
	}
	switch {
	case len(part) == 0:
		return dst
	case literal:
		dst = v.appendDecoded(dst, v.space, true)
		v.space, v.started = v.space[:0], true
		return jsonx.AppendEscaped(dst, part)
	case v.trim:
		return v.appendTrimmed(dst, part)
	}
	return v.appendDecoded(dst, part, false)
}

// appendTrimmed leaves out the white space around the value. White space that may
// be the value's end waits.
func (v *value) appendTrimmed(dst, part []byte) []byte {
	if !v.started {
		part = jsonx.TrimLeft(part)
		v.started = len(part) > 0
	}
	body := jsonx.TrimRight(part)
	if len(body) > 0 {
		dst = v.appendDecoded(dst, v.space, false)
		v.space = v.space[:0]
		dst = v.appendDecoded(dst, body, false)
	}
	v.space = append(v.space, part[len(body):]...)
	return dst
}

// appendDecoded appends what a part of a string stands for. last says that nothing
// follows: an escape that is cut there stands for itself.
func (v *value) appendDecoded(dst, part []byte, last bool) []byte {
	if v.reading == abi.ReadSchema || v.reading == abi.ReadString {
		return jsonx.AppendEscaped(dst, part)
	}
	v.text = v.decoder.Append(v.text[:0], part, last)
	return jsonx.AppendEscaped(dst, v.text)
}

// A nullWord tells, as a text arrives, whether it is the bare word null, with white
// space around it or none.
type nullWord struct {
	anyCase bool // of its letters
	python  bool // None counts too
	word    [nullWhole]byte
	letters int // of the word, so far; nullEnded and notNull besides
}

const (
	nullWhole = len("null")
	nullEnded = nullWhole + 1 // white space follows the word
	notNull   = -1
)

func (n *nullWord) observe(b []byte) {
	for _, c := range b {
		if n.letters == notNull {
			return
		}
		n.observeByte(c)
	}
}

func (n *nullWord) observeByte(c byte) {
	switch {
	case scan.IsSpace(c) && n.letters == 0, scan.IsSpace(c) && n.letters == nullEnded:
		return
	case scan.IsSpace(c) && n.letters == nullWhole:
		n.letters = nullEnded
		return
	case n.letters >= nullWhole:
		n.letters = notNull
		return
	}
	n.word[n.letters] = c
	n.letters++
	if !n.begins("null", n.anyCase) && !(n.python && n.begins("None", false)) {
		n.letters = notNull
	}
}

// begins says whether the letters so far are those of a word.
func (n *nullWord) begins(word string, anyCase bool) bool {
	for i, c := range n.word[:n.letters] {
		if anyCase && 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != word[i] {
			return false
		}
	}
	return true
}

// canBeNull says whether the text is the word or can still become it.
func (n *nullWord) canBeNull() bool { return n.letters != notNull }

// isNull says whether the text is the word.
func (n *nullWord) isNull() bool { return n.letters == nullWhole || n.letters == nullEnded }
