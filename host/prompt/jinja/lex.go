package jinja

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tokenData tokenKind = iota
	tokenVariableBegin
	tokenVariableEnd
	tokenBlockBegin
	tokenBlockEnd
	tokenName
	tokenString
	tokenInteger
	tokenFloat
	tokenOperator
	tokenEnd
)

type token struct {
	kind tokenKind
	text string // of a string: decoded
	line int
}

// lexer cuts a template into tokens, white space control applied.
type lexer struct {
	rest   string
	line   int
	tokens []token
	// lineStart says that what was read last ended a line: a tag that follows
	// stands at a line's start.
	lineStart bool
}

func lex(source string) ([]token, error) {
	source = strings.ReplaceAll(source, "\r\n", "\n")
	source = strings.ReplaceAll(source, "\r", "\n")
	l := &lexer{rest: strings.TrimSuffix(source, "\n"), line: 1, lineStart: true}
	for l.rest != "" {
		if err := l.root(); err != nil {
			return nil, err
		}
	}
	l.add(tokenEnd, "")
	return l.tokens, nil
}

func (l *lexer) add(kind tokenKind, text string) {
	l.tokens = append(l.tokens, token{kind, text, l.line})
}

// advance consumes n bytes.
func (l *lexer) advance(n int) string {
	text := l.rest[:n]
	l.rest = l.rest[n:]
	l.line += strings.Count(text, "\n")
	if n > 0 {
		l.lineStart = text[n-1] == '\n'
	}
	return text
}

func (l *lexer) fail(format string, args ...any) error {
	return &SyntaxError{Line: l.line, Message: fmt.Sprintf(format, args...)}
}

// root reads text up to the next tag, and the tag.
func (l *lexer) root() error {
	at, opener := nextOpener(l.rest)
	if at < 0 {
		l.add(tokenData, l.advance(len(l.rest)))
		return nil
	}
	sign := byte(0)
	if rest := l.rest[at+2:]; rest != "" && (rest[0] == '-' || rest[0] == '+') {
		sign = rest[0]
	}
	kept := strippedBefore(l.rest[:at], sign, opener != "{{", l.lineStart)
	if kept != "" {
		l.add(tokenData, kept)
	}
	l.advance(at)
	if after, inner, ok := rawBlock(l.rest, opener); ok {
		l.advance(inner)
		return l.raw(after)
	}
	l.advance(2)
	if sign != 0 {
		l.advance(1)
	}
	switch opener {
	case "{#":
		return l.comment()
	case "{%":
		l.add(tokenBlockBegin, opener)
		return l.tag("%}", tokenBlockEnd)
	}
	l.add(tokenVariableBegin, opener)
	return l.tag("}}", tokenVariableEnd)
}

func nextOpener(text string) (at int, opener string) {
	for from := 0; ; {
		i := strings.IndexByte(text[from:], '{')
		if i < 0 || from+i+1 >= len(text) {
			return -1, ""
		}
		from += i
		switch text[from+1] {
		case '{', '%', '#':
			return from, text[from : from+2]
		}
		from++
	}
}

// strippedBefore takes off the white space before a tag that its sign, or
// lstrip_blocks, takes.
func strippedBefore(text string, sign byte, block, lineStart bool) string {
	if sign == '-' {
		return strings.TrimRightFunc(text, isSpace)
	}
	if sign == '+' || !block {
		return text
	}
	from := strings.LastIndexByte(text, '\n') + 1
	if from == 0 && !lineStart || strings.TrimLeftFunc(text[from:], isSpace) != "" {
		return text
	}
	return text[:from]
}

func (l *lexer) comment() error {
	end := strings.Index(l.rest, "#}")
	if end < 0 {
		return l.fail("a comment is not closed")
	}
	sign := byte(0)
	if end > 0 {
		sign = l.rest[end-1]
	}
	l.advance(end + 2)
	l.trimAfter(sign, true)
	return nil
}

// trimAfter takes the white space behind a tag.
func (l *lexer) trimAfter(sign byte, block bool) {
	switch {
	case sign == '-':
		l.advance(len(l.rest) - len(strings.TrimLeftFunc(l.rest, isSpace)))
	case block && sign != '+' && strings.HasPrefix(l.rest, "\n"):
		l.advance(1)
	}
}

// rawBlock says whether a raw tag begins here: how long it is, and what sign its
// end has.
func rawBlock(text, opener string) (sign byte, length int, ok bool) {
	if opener != "{%" {
		return 0, 0, false
	}
	return tagOf(text, "raw")
}

// tagOf reads a tag of one name and nothing else at the beginning of text.
func tagOf(text, name string) (sign byte, length int, ok bool) {
	rest := text[2:]
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		rest = rest[1:]
	}
	rest = strings.TrimLeftFunc(rest, isSpace)
	rest, ok = strings.CutPrefix(rest, name)
	if !ok {
		return 0, 0, false
	}
	rest = strings.TrimLeftFunc(rest, isSpace)
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		sign, rest = rest[0], rest[1:]
	}
	rest, ok = strings.CutPrefix(rest, "%}")
	return sign, len(text) - len(rest), ok
}

// raw reads up to endraw; what stands between is text.
func (l *lexer) raw(sign byte) error {
	if sign == '-' {
		l.trimAfter(sign, true)
	}
	for from := 0; ; {
		i := strings.Index(l.rest[from:], "{%")
		if i < 0 {
			return l.fail("a raw block is not closed")
		}
		from += i
		after, length, ok := tagOf(l.rest[from:], "endraw")
		if !ok {
			from += 2
			continue
		}
		before := byte(0)
		if c := l.rest[from+2]; c == '-' || c == '+' {
			before = c
		}
		if kept := strippedBefore(l.rest[:from], before, true, l.lineStart); kept != "" {
			l.add(tokenData, kept)
		}
		l.advance(from + length)
		l.trimAfter(after, true)
		return nil
	}
}

// tag reads the tokens of an expression up to its closer.
func (l *lexer) tag(closer string, end tokenKind) error {
	var open []byte // brackets
	for {
		l.advance(len(l.rest) - len(strings.TrimLeftFunc(l.rest, isSpace)))
		if l.rest == "" {
			return l.fail("a tag is not closed: %s is missing", closer)
		}
		if len(open) == 0 {
			if sign, n := closes(l.rest, closer); n > 0 {
				l.add(end, closer)
				l.advance(n)
				l.trimAfter(sign, end == tokenBlockEnd)
				return nil
			}
		}
		if err := l.expressionToken(&open); err != nil {
			return err
		}
	}
}

// closes says whether text begins with a tag's end, and how long that is.
func closes(text, closer string) (sign byte, length int) {
	if strings.HasPrefix(text, closer) {
		return 0, len(closer)
	}
	if (text[0] == '-' || text[0] == '+' && closer == "%}") && strings.HasPrefix(text[1:], closer) {
		return text[0], len(closer) + 1
	}
	return 0, 0
}

func (l *lexer) expressionToken(open *[]byte) error {
	c := l.rest[0]
	switch {
	case c == '"' || c == '\'':
		return l.stringToken(c)
	case '0' <= c && c <= '9':
		l.number()
		return nil
	}
	if n := nameLength(l.rest); n > 0 {
		l.add(tokenName, l.rest[:n])
		l.advance(n)
		return nil
	}
	return l.operator(open)
}

func nameLength(text string) int {
	for i, r := range text {
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !(i > 0 && unicode.Is(unicode.Mn, r)) {
			return i
		}
	}
	return len(text)
}

func (l *lexer) stringToken(quote byte) error {
	for i := 1; i < len(l.rest); i++ {
		switch l.rest[i] {
		case '\\':
			i++
		case quote:
			text, err := unescape(l.rest[1:i])
			if err != nil {
				return l.fail("%v", err)
			}
			l.add(tokenString, text)
			l.advance(i + 1)
			return nil
		}
	}
	return l.fail("a string is not closed")
}

// number reads an integer or a float. Underscores may stand between digits.
func (l *lexer) number() {
	text := l.rest
	if len(text) > 2 && text[0] == '0' && strings.IndexByte("bBoOxX", text[1]) >= 0 {
		if n := digits(text[2:], "0123456789abcdefABCDEF"); n > 0 {
			l.add(tokenInteger, text[:2+n])
			l.advance(2 + n)
			return
		}
	}
	const decimal = "0123456789"
	n := digits(text, decimal)
	kind := tokenInteger
	if n+1 < len(text) && text[n] == '.' && isDigit(text[n+1]) {
		n += 1 + digits(text[n+1:], decimal)
		kind = tokenFloat
	}
	if n < len(text) && (text[n] == 'e' || text[n] == 'E') {
		exponent := n + 1
		if exponent < len(text) && (text[exponent] == '+' || text[exponent] == '-') {
			exponent++
		}
		if m := digits(text[exponent:], decimal); m > 0 {
			n, kind = exponent+m, tokenFloat
		}
	}
	l.add(kind, text[:n])
	l.advance(n)
}

// digits is how many bytes of text are digits, with single underscores between.
func digits(text, set string) int {
	n := 0
	for n < len(text) {
		if text[n] == '_' && n > 0 && n+1 < len(text) && strings.IndexByte(set, text[n+1]) >= 0 {
			n++
		}
		if strings.IndexByte(set, text[n]) < 0 {
			break
		}
		n++
	}
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

var operators = []string{
	"//", "**", "==", "!=", ">=", "<=",
	"+", "-", "/", "*", "%", "~", "[", "]", "(", ")", "{", "}", ">", "<", "=", ".", ":", "|", ",", ";",
}

var closerOf = map[byte]byte{'(': ')', '[': ']', '{': '}'}

func (l *lexer) operator(open *[]byte) error {
	for _, op := range operators {
		if !strings.HasPrefix(l.rest, op) {
			continue
		}
		switch op {
		case "(", "[", "{":
			*open = append(*open, closerOf[op[0]])
		case ")", "]", "}":
			n := len(*open)
			if n == 0 || (*open)[n-1] != op[0] {
				return l.fail("unexpected %q", op)
			}
			*open = (*open)[:n-1]
		}
		l.add(tokenOperator, op)
		l.advance(len(op))
		return nil
	}
	r, _ := utf8.DecodeRuneInString(l.rest)
	return l.fail("unexpected character %q", r)
}

// isSpace is Python's notion of white space.
func isSpace(r rune) bool {
	return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f
}
