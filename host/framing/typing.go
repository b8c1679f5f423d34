package framing

import (
	"github.com/turnkey-parsers/turnkey/abi/manifest"
)

// A typer reads bare values by their schema, as the family's manifest says; see
// manifest.Typing.
type typer struct {
	knobs    manifest.Typing
	keep     bool // leave raw control characters in strings: such text is no JSON
	held     int  // bytes of a value that may wait
	repaired int  // control characters that were escaped
	overlong int  // values that were longer than held
}

func (t *typer) unionString() bool { return t.knobs.Union == manifest.UnionString }

func (t *typer) nullProven() bool { return t.knobs.Null == manifest.NullProven }

func (t *typer) nullWord() nullWord { return nullWord{anyCase: !t.nullProven()} }

// mode says how much of a value's text must be known to type it.
func (t *typer) mode(s *shape) valueMode {
	f := s.facts()
	if s == nil || !t.unionString() && f.types == typeAny {
		if t.nullProven() && f.null != yes {
			return valueString
		}
		return valueMaybe
	}
	if !t.isString(&f) {
		return valueWaits
	}
	if t.admitsNull(&f) {
		return valueMaybe
	}
	return valueString
}

// isString says whether every text but null is read as a string.
func (t *typer) isString(f *facts) bool {
	if t.unionString() {
		return !f.constants && f.hint == yes
	}
	return f.types&^typeNull == typeString
}

// admitsNull says whether the bare word null is read as null.
func (t *typer) admitsNull(f *facts) bool {
	if t.nullProven() {
		return f.null == yes
	}
	return f.types&typeNull != 0 || f.types&typeString == 0
}

// value appends a text as its schema reads it. What does not fit is a string as
// it stands.
func (t *typer) value(dst, text []byte, s *shape) []byte {
	f := s.facts()
	bare := trimSpace(text)
	word := t.nullWord()
	if word.add(bare); word.is() {
		if s == nil && !t.nullProven() || s != nil && t.admitsNull(&f) {
			return append(dst, "null"...)
		}
		return appendString(dst, text)
	}
	if s == nil || t.unionString() && s.stringHint(text) == yes {
		return appendString(dst, text)
	}
	if out, ok := t.typed(dst, bare, f.types); ok {
		return out
	}
	return appendString(dst, text)
}

// typed appends a text as a value of one of the types, if it is one. A string is
// the last resort and the caller's.
func (t *typer) typed(dst, bare []byte, types typeSet) ([]byte, bool) {
	if len(bare) == 0 {
		return t.empty(dst, types)
	}
	if types == typeAny && t.knobs.JSON != manifest.JSONAny {
		return dst, false
	}
	switch c := bare[0]; {
	case c == '{' || c == '[' || c == '"':
		if t.knobs.JSON == manifest.JSONAny || c == '{' && types&typeObject != 0 || c == '[' && types&typeArray != 0 {
			return t.json(dst, bare)
		}
		return dst, false
	case types == typeAny:
		return dst, false
	case types&typeNumber != 0 && (c == '-' || isDigit(c)):
		return number(dst, bare, types)
	case types&typeBoolean != 0:
		return t.boolean(dst, bare)
	}
	return dst, false
}

func (t *typer) empty(dst []byte, types typeSet) ([]byte, bool) {
	if t.knobs.Empty != manifest.EmptyContainer || types&typeString != 0 {
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

// json appends a text, outer white space left out, if it is one JSON value.
func (t *typer) json(dst, text []byte) ([]byte, bool) {
	before := len(dst)
	var s scanner
	out := s.feed(dst, trimSpace(text), !t.keep)
	if !s.done() {
		return out[:before], false
	}
	t.repaired += s.escaped
	return out, true
}

func (t *typer) boolean(dst, bare []byte) ([]byte, bool) {
	var lower [5]byte
	if len(bare) > len(lower) {
		return dst, false
	}
	for i, c := range bare {
		if 'A' <= c && c <= 'Z' && t.knobs.Booleans != manifest.BooleansExact {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	loose := t.knobs.Booleans == manifest.BooleansLoose
	switch word := string(lower[:len(bare)]); {
	case word == "true", loose && (word == "yes" || word == "1"):
		return append(dst, "true"...), true
	case word == "false", loose && (word == "no" || word == "0"):
		return append(dst, "false"...), true
	}
	return dst, false
}
