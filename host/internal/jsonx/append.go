package jsonx

import (
	"bytes"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// plainBytes marks the bytes that stand for themselves in a JSON string.
var plainBytes = func() (t [256]bool) {
	for c := 0x20; c < len(t); c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// AppendString appends s as a JSON string. Bytes that are no UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	if utf8.ValidString(s) {
		dst = appendValidEscaped(dst, s)
	} else {
		dst = appendRunesEscaped(dst, s)
	}
	return append(dst, '"')
}

// AppendText appends text as a JSON string, as AppendString does.
func AppendText(dst, text []byte) []byte {
	return append(AppendEscaped(append(dst, '"'), text), '"')
}

// AppendEscaped appends text as it stands inside a JSON string, for strings that
// are written in pieces. Bytes that are no UTF-8 become U+FFFD.
func AppendEscaped(dst, text []byte) []byte {
	if !utf8.Valid(text) {
		return appendRunesEscaped(dst, string(text))
	}
	return appendValidEscaped(dst, text)
}

func appendRunesEscaped(dst []byte, s string) []byte {
	for _, r := range s {
		dst = appendValidEscaped(dst, string(r))
	}
	return dst
}

func appendValidEscaped[Text string | []byte](dst []byte, s Text) []byte {
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if plainBytes[c] {
			continue
		}
		dst = append(dst, s[from:i]...)
		from = i + 1
		if c < ' ' {
			dst = AppendControl(dst, c)
		} else {
			dst = append(dst, '\\', c)
		}
	}
	return append(dst, s[from:]...)
}

// AppendControl appends the escape of a control character.
func AppendControl(dst []byte, c byte) []byte {
	switch c {
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
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
