package typing

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
)

// A Typer reads bare values by their schema and by the rules of the parser's family.
// It is used by one goroutine at a time.
type Typer struct {
	Rules manifest.Typing
	// KeepControl leaves raw control characters in JSON strings as they are: text
	// with one is then no JSON.
	NoRepair bool
	// MaxHeld bounds the text of a value that waits to be typed, in bytes. A longer
	// value is a string.
	MaxHeld int

	Repaired int // of jsonx.Stream, so far
	Overlong int // values that were longer than MaxHeld, so far
}

func (t *Typer) prefersStrings() bool { return t.Rules.Union == manifest.UnionString }

func (t *Typer) nullNeedsProof() bool { return t.Rules.Null == manifest.NullProven }

// newNullWord is for a value of which the facts are known. Python's None counts where
// the schema itself speaks of null.
func (t *Typer) newNullWord(f *facts) nullWord {
	return nullWord{
		anyCase: !t.nullNeedsProof(),
		python:  f.admitsNull == yes || f.types != typeAny && f.types&typeNull != 0,
	}
}

// modeFor says how much of a value's text must be known to type it.
func (t *Typer) modeFor(s *Schema, f *facts) valueMode {
	if s == nil || !t.prefersStrings() && f.types == typeAny {
		if t.nullNeedsProof() && f.admitsNull != yes {
			return streamString
		}
		return stringUnlessNull
	}
	if !t.alwaysString(f) {
		return waitForEnd
	}
	if t.admitsNull(f) {
		return stringUnlessNull
	}
	return streamString
}

// alwaysString says whether every text but null is read as a string.
func (t *Typer) alwaysString(f *facts) bool {
	if t.prefersStrings() {
		return !f.dependsOnText && f.wantsString == yes
	}
	return f.types&^typeNull == typeString
}

// admitsNull says whether the bare word null is read as null.
func (t *Typer) admitsNull(f *facts) bool {
	if t.nullNeedsProof() {
		return f.admitsNull == yes
	}
	return f.types&typeNull != 0 || f.types&typeString == 0
}

// appendValue appends a whole text as its schema reads it. What does not fit is a
// string as it stands.
func (t *Typer) appendValue(dst, text []byte, s *Schema) []byte {
	f := s.facts()
	bare := jsonx.TrimSpace(text)
	word := t.newNullWord(&f)
	if word.observe(bare); word.isNull() {
		if s == nil && !t.nullNeedsProof() || s != nil && t.admitsNull(&f) {
			return append(dst, "null"...)
		}
		return jsonx.AppendText(dst, text)
	}
	if s == nil || t.prefersStrings() && s.wantsString(text) == yes {
		return jsonx.AppendText(dst, text)
	}
	if out, ok := t.appendTyped(dst, bare, f.types); ok {
		return out
	}
	return jsonx.AppendText(dst, text)
}

// appendTyped appends a text as a value of one of the types, if it is one. A string is
// the last resort and the caller's.
func (t *Typer) appendTyped(dst, bare []byte, types typeSet) ([]byte, bool) {
	if len(bare) == 0 {
		return t.appendEmpty(dst, types)
	}
	if types == typeAny && t.Rules.JSON != manifest.JSONAny {
		return dst, false
	}
	switch c := bare[0]; {
	case c == '{' || c == '[' || c == '"':
		declared := c == '{' && types&typeObject != 0 || c == '[' && types&typeArray != 0
		switch {
		case declared && types != typeAny:
			return t.appendContainer(dst, bare)
		case declared, t.Rules.JSON == manifest.JSONAny:
			return t.appendJSON(dst, bare, false)
		}
		return dst, false
	case c == '(' && types != typeAny && types&typeArray != 0:
		return appendPython(dst, bare)
	case types == typeAny:
		return dst, false
	case types&typeNumber != 0 && (c == '-' || isDigit(c)):
		return appendNumber(dst, bare, types)
	case types&typeBoolean != 0:
		return t.appendBoolean(dst, bare)
	}
	return dst, false
}

func (t *Typer) appendEmpty(dst []byte, types typeSet) ([]byte, bool) {
	if t.Rules.Empty != manifest.EmptyContainer || types&typeString != 0 {
		return dst, false
	}
	switch {
	case types&typeArray != 0:
		return append(dst, "[]"...), true
	case types&typeObject != 0:
		return append(dst, "{}"...), true
	}
	return dst, false
}

// appendContainer appends a text that the schema calls an object or an array: JSON, or
// what Python has for it.
func (t *Typer) appendContainer(dst, bare []byte) ([]byte, bool) {
	if out, ok := t.appendJSON(dst, bare, true); ok {
		return out, true
	}
	if out, ok := t.appendEscapedJSON(dst, bare); ok {
		return out, true
	}
	return appendPython(dst, bare)
}

// appendEscapedJSON appends JSON that is escaped as within a string, once too often.
func (t *Typer) appendEscapedJSON(dst, bare []byte) ([]byte, bool) {
	if t.NoRepair || bytes.IndexByte(bare, '\\') < 0 {
		return dst, false
	}
	text, ok := jsonx.String(jsonx.Raw(`"` + string(bare) + `"`))
	if !ok {
		return dst, false
	}
	out, ok := t.appendJSON(dst, []byte(text), false)
	if ok {
		t.Repaired++
	}
	return out, ok
}

// appendJSON appends a text, outer white space left out, if it is one JSON value, or
// reads as one leniently.
func (t *Typer) appendJSON(dst, text []byte, lenient bool) ([]byte, bool) {
	before := len(dst)
	s := jsonx.Stream{Repair: !t.NoRepair, Lenient: lenient && !t.NoRepair}
	out := s.Append(dst, jsonx.TrimSpace(text))
	if !s.Whole() {
		return out[:before], false
	}
	t.Repaired += s.Repaired
	return out, true
}

func (t *Typer) appendBoolean(dst, bare []byte) ([]byte, bool) {
	var lower [5]byte
	if len(bare) > len(lower) {
		return dst, false
	}
	for i, c := range bare {
		if 'A' <= c && c <= 'Z' && t.Rules.Booleans != manifest.BooleansExact {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	switch string(bare) { // Python's, in any family
	case "True":
		return append(dst, "true"...), true
	case "False":
		return append(dst, "false"...), true
	}
	loose := t.Rules.Booleans == manifest.BooleansLoose
	switch word := string(lower[:len(bare)]); {
	case word == "true", loose && (word == "yes" || word == "1"):
		return append(dst, "true"...), true
	case word == "false", loose && (word == "no" || word == "0"):
		return append(dst, "false"...), true
	}
	return dst, false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func hexValue(c byte) (v rune, ok bool) {
	switch {
	case isDigit(c):
		return rune(c - '0'), true
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10, true
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10, true
	}
	return 0, false
}
