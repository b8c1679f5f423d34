package jinja

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// unescape decodes the inside of a string literal as Python's unicode_escape
// does: an escape that is not known stays as it is.
func unescape(text string) (string, error) {
	if strings.IndexByte(text, '\\') < 0 {
		return text, nil
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, `\`)
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		if rest == "" {
			return "", errors.New(`\ at the end of a string`)
		}
		n, err := writeEscape(&b, rest)
		if err != nil {
			return "", err
		}
		text = rest[n:]
	}
}

var simpleEscapes = map[byte]string{
	'\n': "", '\\': `\`, '\'': "'", '"': `"`, 'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v",
}

// writeEscape writes what the escape behind a backslash stands for, and says how
// long it is.
func writeEscape(b *strings.Builder, rest string) (int, error) {
	c := rest[0]
	if s, ok := simpleEscapes[c]; ok {
		b.WriteString(s)
		return 1, nil
	}
	switch {
	case c == 'x':
		return writeHex(b, rest, 2)
	case c == 'u':
		return writeHex(b, rest, 4)
	case c == 'U':
		return writeHex(b, rest, 8)
	case '0' <= c && c <= '7':
		n := 1
		for n < 3 && n < len(rest) && '0' <= rest[n] && rest[n] <= '7' {
			n++
		}
		code, _ := strconv.ParseUint(rest[:n], 8, 32)
		b.WriteRune(rune(code))
		return n, nil
	}
	_, n := utf8.DecodeRuneInString(rest)
	b.WriteByte('\\')
	b.WriteString(rest[:n])
	return n, nil
}

func writeHex(b *strings.Builder, rest string, n int) (int, error) {
	if len(rest) < n+1 {
		return 0, fmt.Errorf(`\%c needs %d hexadecimal digits`, rest[0], n)
	}
	code, err := strconv.ParseUint(rest[1:n+1], 16, 32)
	if err != nil || code > utf8.MaxRune {
		return 0, fmt.Errorf(`\%s is no character`, rest[:n+1])
	}
	b.WriteRune(rune(code))
	return n + 1, nil
}
