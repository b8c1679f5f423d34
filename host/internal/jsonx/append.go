package jsonx

import (
	"bytes"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// plain marks the bytes that stand for themselves in a JSON string.
var plain = func() (t [256]bool) {
	for c := 0x20; c < len(t); c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// AppendString appends s as a JSON string. Bytes that are no UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	if utf8.ValidString(s) {
		dst = appendEscaped(dst, s)
	} else {
		for _, r := range s {
			dst = appendEscaped(dst, string(r))
		}
	}
	return append(dst, '"')
}

func appendEscaped(dst []byte, s string) []byte {
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if plain[c] {
			continue
		}
		dst = append(dst, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return append(dst, s[from:]...)
}

// AppendRaw appends valid JSON on one line: line breaks can only stand between
// its tokens and are left out. No text at all is null.
func AppendRaw(dst []byte, v Raw) []byte {
	if len(v) == 0 {
		return append(dst, "null"...)
	}
	if bytes.IndexByte(v, '\n') < 0 && bytes.IndexByte(v, '\r') < 0 {
		return append(dst, v...)
	}
	for _, c := range v {
		if c != '\n' && c != '\r' {
			dst = append(dst, c)
		}
	}
	return dst
}

// AppendMember appends `"name":value` with a comma in front unless an object was
// just opened.
func AppendMember(dst []byte, name string, v Raw) []byte {
	return AppendRaw(AppendName(dst, name), v)
}

// AppendName appends `"name":` with a comma in front unless an object was just
// opened.
func AppendName(dst []byte, name string) []byte {
	if n := len(dst); n > 0 && dst[n-1] != '{' {
		dst = append(dst, ',')
	}
	return append(AppendString(dst, name), ':')
}

// AppendMembers appends an object.
func AppendMembers(dst []byte, list []Member) []byte {
	dst = append(dst, '{')
	for _, m := range list {
		dst = AppendMember(dst, m.Name, m.Value)
	}
	return append(dst, '}')
}
