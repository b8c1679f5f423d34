package typing

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/turnkey-parsers/turnkey/abi"
)

// A Decoder undoes the escapes in names, ids, keys and string values. Its text may
// arrive in pieces: an escape that is cut waits for its rest.
type Decoder struct {
	reading uint8  // abi.Read…; one without escapes passes bytes as they stand
	cut     []byte // the beginning of an escape
}

// Reset makes d ready for another text with this reading (abi.Read…).
func (d *Decoder) Reset(reading uint8) { d.reading, d.cut = reading, d.cut[:0] }

// Waiting says whether the text so far ends in the middle of an escape.
func (d *Decoder) Waiting() bool { return len(d.cut) > 0 }

// Append appends what b stands for. last says that nothing follows; an escape that
// is not whole then stands for itself.
func (d *Decoder) Append(dst, b []byte, last bool) []byte {
	mark := byte('\\')
	switch d.reading {
	case abi.ReadJSONBody, abi.ReadPythonBody:
	case abi.ReadEntities, abi.ReadQuotAmp:
		mark = '&'
	default:
		return append(dst, b...)
	}
	if len(d.cut) > 0 {
		b = append(d.cut, b...)
		d.cut = d.cut[:0]
	}
	for len(b) > 0 {
		i := bytes.IndexByte(b, mark)
		if i < 0 {
			return append(dst, b...)
		}
		dst = append(dst, b[:i]...)
		b = b[i:]
		n := 0
		switch d.reading {
		case abi.ReadJSONBody:
			dst, n = appendJSONEscape(dst, b, last)
		case abi.ReadPythonBody:
			dst, n = appendPythonEscape(dst, b, last)
		default:
			dst, n = appendEntity(dst, b, last, d.reading == abi.ReadQuotAmp)
		}
		if n == 0 {
			d.cut = append(d.cut[:0], b...)
			return dst
		}
		b = b[n:]
	}
	return dst
}

// Decode is the text that the whole of b stands for, with this reading (abi.Read…).
func Decode(b []byte, reading uint8) []byte {
	d := Decoder{reading: reading}
	return d.Append(nil, b, true)
}

// appendJSONEscape appends what the escape at the beginning of b stands for and gives
// its length, 0 if it may go on after b. An escape that JSON has not stands for
// itself.
func appendJSONEscape(dst, b []byte, last bool) ([]byte, int) {
	if len(b) == 1 {
		return appendVerbatim(dst, b, 1, last)
	}
	switch b[1] {
	case '"', '\\', '/':
		return append(dst, b[1]), 2
	case 'b':
		return append(dst, '\b'), 2
	case 'f':
		return append(dst, '\f'), 2
	case 'n':
		return append(dst, '\n'), 2
	case 'r':
		return append(dst, '\r'), 2
	case 't':
		return append(dst, '\t'), 2
	case 'u':
		return appendUnicodeEscape(dst, b, last)
	}
	return append(dst, b[0]), 1
}

// appendUnicodeEscape is for \uXXXX, and for two that make up a pair.
func appendUnicodeEscape(dst, b []byte, last bool) ([]byte, int) {
	r, n := readHexDigits(b, 4)
	if n <= 0 {
		return appendVerbatim(dst, b, 1, last || n < 0)
	}
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(dst, r), n
	}
	rest := b[n:]
	if !last && (len(rest) == 0 || len(rest) == 1 && rest[0] == '\\') {
		return dst, 0
	}
	if len(rest) > 1 && rest[0] == '\\' && rest[1] == 'u' {
		low, m := readHexDigits(rest, 4)
		if m == 0 && !last {
			return dst, 0
		}
		if pair := utf16.DecodeRune(r, low); m > 0 && pair != utf8.RuneError {
			return utf8.AppendRune(dst, pair), n + m
		}
	}
	return utf8.AppendRune(dst, utf8.RuneError), n
}

// readHexDigits reads the digits of an escape such as \uXXXX. n is the escape's
// length, 0 if it may go on after b, -1 if it is none.
func readHexDigits(b []byte, digits int) (r rune, n int) {
	for i := 2; i < 2+digits; i++ {
		if i == len(b) {
			return 0, 0
		}
		v, ok := hexValue(b[i])
		if !ok {
			return 0, -1
		}
		r = r<<4 | v
	}
	return r, 2 + digits
}

// appendVerbatim appends n bytes as they stand, once it is known that they do.
func appendVerbatim(dst, b []byte, n int, known bool) ([]byte, int) {
	if !known {
		return dst, 0
	}
	return append(dst, b[:n]...), n
}

// appendPythonEscape is appendJSONEscape for Python's strings. An unknown escape keeps its
// backslash, as in Python.
func appendPythonEscape(dst, b []byte, last bool) ([]byte, int) {
	if len(b) == 1 {
		return appendVerbatim(dst, b, 1, last)
	}
	switch c := b[1]; c {
	case '\'', '"', '\\':
		return append(dst, c), 2
	case 'a':
		return append(dst, '\a'), 2
	case 'b':
		return append(dst, '\b'), 2
	case 'f':
		return append(dst, '\f'), 2
	case 'n':
		return append(dst, '\n'), 2
	case 'r':
		return append(dst, '\r'), 2
	case 't':
		return append(dst, '\t'), 2
	case 'v':
		return append(dst, '\v'), 2
	case '\n':
		return dst, 2
	case 'u':
		return appendUnicodeEscape(dst, b, last)
	case 'x':
		return appendHexEscape(dst, b, 2, last)
	case 'U':
		return appendHexEscape(dst, b, 8, last)
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return appendOctalEscape(dst, b, last)
	}
	return append(dst, b[0]), 1
}

func appendHexEscape(dst, b []byte, digits int, last bool) ([]byte, int) {
	r, n := readHexDigits(b, digits)
	if n <= 0 {
		return appendVerbatim(dst, b, 1, last || n < 0)
	}
	return utf8.AppendRune(dst, r), n
}

func appendOctalEscape(dst, b []byte, last bool) ([]byte, int) {
	var r rune
	n := 1
	for ; n < 4; n++ {
		if n == len(b) {
			if !last {
				return dst, 0
			}
			break
		}
		if b[n] < '0' || b[n] > '7' {
			break
		}
		r = r<<3 | rune(b[n]-'0')
	}
	return utf8.AppendRune(dst, r), n
}

var entities = []struct {
	name   string
	c      byte
	always bool // ReadQuotAmp decodes it too
}{{"&amp;", '&', true}, {"&quot;", '"', true}, {"&lt;", '<', false}, {"&gt;", '>', false}, {"&apos;", '\'', false}}

// appendEntity is appendJSONEscape for XML's five entities, or for two of them.
func appendEntity(dst, b []byte, last, two bool) ([]byte, int) {
	begins := false
	for _, e := range entities {
		if two && !e.always {
			continue
		}
		if len(b) >= len(e.name) {
			if string(b[:len(e.name)]) == e.name {
				return append(dst, e.c), len(e.name)
			}
		} else if e.name[:len(b)] == string(b) {
			begins = true
		}
	}
	return appendVerbatim(dst, b, 1, last || !begins)
}
