package jsonx

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// The walkers below take text that Valid accepts and do not check it again. On
// other text they stop early; they never read beyond it.

// Object walks the members of an object.
type Object struct {
	rest []byte
}

// ObjectOf starts a walk of v, which has no members unless it is an object.
func ObjectOf(v Raw) Object {
	if !IsObject(v) {
		return Object{}
	}
	return Object{v[1:]}
}

// Left is how much of the object's text the walk has not come to, in bytes.
func (o *Object) Left() int { return len(o.rest) }

// Next gives the next member. The name and the value are slices of the object's
// text, but for a name with escapes.
func (o *Object) Next() (name []byte, value Raw, ok bool) {
	key, rest := cutValue(skipSeparators(o.rest))
	if !IsString(key) {
		o.rest = nil
		return nil, nil, false
	}
	value, o.rest = cutValue(skipSeparators(rest))
	if value == nil {
		return nil, nil, false
	}
	return decodeString(key), value, true
}

// Get gives the value of the last member of this name, or nil.
func Get(v Raw, name string) Raw {
	var found Raw
	for o := ObjectOf(v); ; {
		n, value, ok := o.Next()
		if !ok {
			return found
		}
		if string(n) == name {
			found = value
		}
	}
}

// Members lists the members of an object; the values are slices of v.
func Members(v Raw) []Member {
	var list []Member
	for o := ObjectOf(v); ; {
		name, value, ok := o.Next()
		if !ok {
			return list
		}
		list = append(list, Member{string(name), value})
	}
}

// Array walks the elements of an array.
type Array struct {
	rest []byte
}

// ArrayOf starts a walk of v, which has no elements unless it is an array.
func ArrayOf(v Raw) Array {
	if !IsArray(v) {
		return Array{}
	}
	return Array{v[1:]}
}

// Left is how much of the array's text the walk has not come to, in bytes.
func (a *Array) Left() int { return len(a.rest) }

// Next gives the next element.
func (a *Array) Next() (value Raw, ok bool) {
	value, a.rest = cutValue(skipSeparators(a.rest))
	return value, value != nil
}

// String decodes a string.
func String(v Raw) (s string, ok bool) {
	if !IsString(v) || len(v) < 2 {
		return "", false
	}
	return string(decodeString(v)), true
}

// Int reads an integer that is written as one: no fraction, no exponent.
func Int(v Raw) (n int64, ok bool) {
	if len(v) == 0 || len(v) > 20 {
		return 0, false
	}
	n, err := strconv.ParseInt(string(v), 10, 64)
	return n, err == nil
}

// Bool reads true or false.
func Bool(v Raw) (b, ok bool) {
	switch string(v) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return false, false
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// skipSeparators leaves out white space and what separates values.
func skipSeparators(b []byte) []byte {
	for len(b) > 0 && (isSpace(b[0]) || b[0] == ',' || b[0] == ':') {
		b = b[1:]
	}
	return b
}

// cutValue splits b after its first value. The value is nil where none begins.
func cutValue(b []byte) (value Raw, rest []byte) {
	if len(b) == 0 {
		return nil, nil
	}
	end := 0
	switch b[0] {
	case '"':
		end = stringEnd(b)
	case '{', '[':
		end = nestedEnd(b)
	case '}', ']':
		return nil, nil
	default:
		for end < len(b) && !isSpace(b[end]) && b[end] != ',' && b[end] != ']' && b[end] != '}' {
			end++
		}
	}
	return b[:end:end], b[end:]
}

// stringEnd is the length of the string that b begins with.
func stringEnd(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return len(b)
}

// nestedEnd is the length of the object or array that b begins with.
func nestedEnd(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			i += stringEnd(b[i:]) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(b)
}

// decodeString decodes a string; it is a slice of v where nothing is escaped.
func decodeString(v Raw) []byte {
	if len(v) < 2 {
		return nil
	}
	body := v[1 : len(v)-1]
	i := bytes.IndexByte(body, '\\')
	if i < 0 {
		return body
	}
	out := append(make([]byte, 0, len(body)), body[:i]...)
	for i < len(body) {
		c := body[i]
		if c != '\\' || i+1 == len(body) {
			out = append(out, c)
			i++
			continue
		}
		if body[i+1] == 'u' {
			r, n := decodeEscape(body[i:])
			out = utf8.AppendRune(out, r)
			i += n
			continue
		}
		out = append(out, escapeMeanings[body[i+1]])
		i += 2
	}
	return out
}

var escapeMeanings = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// decodeEscape decodes a \u escape, and the one after it if both make a pair. A
// lone surrogate is U+FFFD.
func decodeEscape(b []byte) (r rune, n int) {
	hi, ok := readHex4(b)
	if !ok {
		return utf8.RuneError, min(len(b), 2)
	}
	if hi < 0xd800 || hi > 0xdfff {
		return hi, 6
	}
	if lo, ok := readHex4(b[6:]); ok && hi < 0xdc00 && lo >= 0xdc00 && lo <= 0xdfff {
		return (hi-0xd800)<<10 | (lo - 0xdc00) + 0x10000, 12
	}
	return utf8.RuneError, 6
}

func readHex4(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 32)
	return rune(n), err == nil
}
