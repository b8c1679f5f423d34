package jsonx

import "github.com/turnkey-parsers/turnkey/sdk/scan"

// A Stream checks one JSON value while its text arrives in pieces of any size, and
// repairs what models get wrong in it. The zero value is ready.
type Stream struct {
	// Repair escapes raw control characters in strings; without it they make the
	// text no JSON.
	Repair bool
	// Lenient reads on where a comma is too many, where a string stands in single
	// quotation marks, and where a word is Python's True, False or None, and writes
	// what JSON has for it; without it they make the text no JSON.
	Lenient bool
	// Repaired is the number of control characters, commas, strings and words that
	// were not left as they came.
	Repaired int

	json   scan.JSON
	status scan.Status
	object bool // the value is an object

	waiting []byte // a comma that may be one too many, or the beginning of a word
	quoted  bool   // in a string in single quotation marks
	escape  bool   // after a backslash there
}

// Append reads on and appends b, repaired, to dst. Once the text is no JSON, what
// follows is appended as it stands.
func (s *Stream) Append(dst, b []byte) []byte {
	if s.Empty() {
		if start := TrimLeft(b); len(start) > 0 {
			s.object = start[0] == '{'
		}
	}
	word := len(s.waiting) > 0 && s.waiting[0] != ','
	if !word {
		dst = s.AppendWaiting(dst)
	}
	for len(b) > 0 && s.status != scan.Bad {
		switch {
		case s.quoted:
			dst, b = s.appendQuoted(dst, b)
		case len(s.waiting) > 0:
			dst, b = s.appendWord(dst, b)
		default:
			dst, b = s.appendJSON(dst, b)
		}
	}
	return s.holdComma(append(dst, b...))
}

// AppendWaiting appends what waits for the next byte, as it came: for a text that has
// ended before its value did.
func (s *Stream) AppendWaiting(dst []byte) []byte {
	dst = append(dst, s.waiting...)
	s.waiting = s.waiting[:0]
	return dst
}

// appendJSON reads what is JSON, and one thing that is repaired.
func (s *Stream) appendJSON(dst, b []byte) (_, rest []byte) {
	n, status := s.json.ScanStrict(b)
	dst, b, s.status = append(dst, b[:n]...), b[n:], status
	switch {
	case status == scan.Control && s.Repair:
		s.status = scan.More
		s.Repaired++
		return AppendControl(dst, b[0]), b[1:]
	case status == scan.Control, status == scan.Done && len(TrimLeft(b)) > 0:
		s.status = scan.Bad
	case status == scan.Done:
		return append(dst, b...), nil
	case status == scan.Bad && s.Lenient:
		return s.repair(dst, b)
	}
	return dst, b
}

// repair reads the byte that no JSON has in its place, if it is one of those that are
// read leniently.
func (s *Stream) repair(dst, b []byte) (_, rest []byte) {
	s.json.TakeBackBad()
	expect, afterOpener, afterComma := s.json.Expects()
	switch c := b[0]; {
	case c == ',' && (afterOpener || afterComma):
		b = b[1:]
	case (c == '}' || c == ']') && afterComma:
		dst = TrimRight(dst)
		dst = dst[:len(dst)-1]
		s.json.TakeBackComma()
	case c == '\'' && expect != scan.ExpectOther:
		s.quoted = true
		dst, b = s.appendRead(dst, `"`), b[1:]
	case (c == 'T' || c == 'F' || c == 'N') && expect == scan.ExpectValue:
		s.waiting, b = append(s.waiting, c), b[1:]
	default:
		return dst, b
	}
	s.status = scan.More
	s.Repaired++
	return dst, b
}

// appendRead appends text that stands in place of what came, and reads it.
func (s *Stream) appendRead(dst []byte, text string) []byte {
	_, s.status = s.json.ScanStrict([]byte(text))
	return append(dst, text...)
}

// appendQuoted reads a string in single quotation marks, as Python does.
func (s *Stream) appendQuoted(dst, b []byte) (_, rest []byte) {
	for i, c := range b {
		switch {
		case s.escape:
			s.escape = false
			dst = s.appendEscape(dst, c)
		case c == '\\':
			s.escape = true
		case c == '\'':
			s.quoted = false
			return s.appendRead(dst, `"`), b[i+1:]
		case c == '"':
			dst = s.appendRead(dst, `\"`)
		case c < ' ':
			dst = AppendControl(dst, c)
		default:
			dst = s.appendRead(dst, string(b[i:i+1]))
		}
		if s.status == scan.Bad {
			return dst, b[i+1:]
		}
	}
	return dst, nil
}

// appendEscape appends what a backslash and c stand for in a Python string.
func (s *Stream) appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '\'':
		return s.appendRead(dst, `'`)
	case 'x':
		return s.appendRead(dst, `\u00`)
	case '"', '\\', 'b', 'f', 'n', 'r', 't', 'u':
		return s.appendRead(dst, `\`+string(rune(c)))
	}
	dst = append(dst, `\\`...)
	if c < ' ' {
		return AppendControl(dst, c)
	}
	return append(dst, c)
}

// words are Python's, and what JSON has for them.
var words = [...]struct{ python, json string }{{"True", "true"}, {"False", "false"}, {"None", "null"}}

// appendWord reads on in a word that may be one of Python's.
func (s *Stream) appendWord(dst, b []byte) (_, rest []byte) {
	s.waiting = append(s.waiting, b[0])
	for _, w := range words {
		switch {
		case string(s.waiting) == w.python:
			s.waiting = s.waiting[:0]
			return s.appendRead(dst, w.json), b[1:]
		case len(s.waiting) < len(w.python) && string(s.waiting) == w.python[:len(s.waiting)]:
			return dst, b[1:]
		}
	}
	s.status = scan.Bad
	return s.AppendWaiting(dst), b[1:]
}

// holdComma keeps a comma at the end of dst, and the white space after it, until the
// next byte tells whether it is one too many.
func (s *Stream) holdComma(dst []byte) []byte {
	if !s.Lenient || s.status != scan.More || len(s.waiting) > 0 {
		return dst
	}
	if _, _, afterComma := s.json.Expects(); !afterComma {
		return dst
	}
	n := len(TrimRight(dst)) - 1
	s.waiting = append(s.waiting, dst[n:]...)
	return dst[:n]
}

// Empty says whether nothing but white space has come.
func (s *Stream) Empty() bool { return s.json.AtStart() && s.status != scan.Bad }

// Ended says whether the value has ended and nothing but white space followed.
func (s *Stream) Ended() bool { return s.status == scan.Done }

// Whole says whether the text so far is one JSON value: it has ended, or it is a
// number, which has no end of its own.
func (s *Stream) Whole() bool {
	return s.status == scan.Done || s.status == scan.More && s.json.AtEnd()
}

// Broken says whether the text is no JSON, whatever follows.
func (s *Stream) Broken() bool { return s.status == scan.Bad }

// IsObject says whether the value is an object, as far as it came.
func (s *Stream) IsObject() bool { return s.object }

// Repaired gives b, outer white space left out, if it is one JSON value once raw
// control characters in its strings are escaped.
func Repaired(b []byte) (v Raw, ok bool) {
	s := Stream{Repair: true}
	v = s.Append(nil, TrimSpace(b))
	return v, s.Whole()
}

// TrimSpace leaves out JSON's white space on both sides.
func TrimSpace(b []byte) []byte { return TrimRight(TrimLeft(b)) }

// TrimLeft leaves out the white space that b begins with.
func TrimLeft(b []byte) []byte { return b[scan.LeadingSpace(b):] }

// TrimRight leaves out the white space that b ends with.
func TrimRight(b []byte) []byte { return b[:scan.TrimmedLen(b)] }
