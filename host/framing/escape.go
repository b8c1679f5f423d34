package framing

import "unicode/utf8"

const hexDigits = "0123456789abcdef"

// plainByte marks the bytes that stand for themselves in a JSON string.
var plainByte = func() (t [256]bool) {
	for c := ' '; c < 256; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// appendEscaped appends text as it stands inside a JSON string. Bytes that are no
// UTF-8 become U+FFFD.
func appendEscaped(dst, text []byte) []byte {
	if !utf8.Valid(text) {
		return appendEscapedRunes(dst, text)
	}
	from := 0
	for i, c := range text {
		if plainByte[c] {
			continue
		}
		dst = append(dst, text[from:i]...)
		from = i + 1
		if c < ' ' {
			dst = appendControl(dst, c)
		} else {
			dst = append(dst, '\\', c)
		}
	}
	return append(dst, text[from:]...)
}

func appendEscapedRunes(dst, text []byte) []byte {
	var b [utf8.UTFMax]byte
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		dst = appendEscaped(dst, utf8.AppendRune(b[:0], r))
		text = text[n:]
	}
	return dst
}

// appendControl appends the escape of a control character.
func appendControl(dst []byte, c byte) []byte {
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

// appendString appends text as a JSON string.
func appendString(dst, text []byte) []byte {
	return append(appendEscaped(append(dst, '"'), text), '"')
}
