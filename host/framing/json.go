package framing

// maxNesting is the deepest nesting of JSON that is taken for JSON.
const maxNesting = 1000

// A scanner checks JSON as it comes, in pieces of any size.
type scanner struct {
	state  scanState
	word   string // rest of true, false or null
	hex    uint8  // digits of \uXXXX still to come
	key    bool   // the open string is a key
	object bool   // the root is an object
	depth  int
	arrays []uint64 // which of the open levels are arrays
	// escaped counts the control characters in strings that were escaped.
	escaped int
}

type scanState uint8

const (
	scanValue      scanState = iota // a value must begin
	scanFirstValue                  // a value, or the end of an array
	scanFirstKey                    // a key, or the end of an object
	scanKey                         // a key must begin
	scanColon                       // behind a key
	scanAfter                       // behind a value within an array or object
	scanString                      // inside a string
	scanEscape                      // behind a backslash
	scanHex                         // inside \uXXXX
	scanWord                        // inside true, false or null
	scanMinus                       // behind a number's minus
	scanZero                        // behind a leading zero
	scanDigits                      // inside the whole part
	scanDot                         // behind the dot
	scanFraction                    // inside the fraction
	scanExp                         // behind e
	scanExpSign                     // behind the exponent's sign
	scanExpDigits                   // inside the exponent
	scanDone                        // behind the root value
	scanBad                         // no JSON has this byte here
)

func (s *scanner) reset() { *s = scanner{arrays: s.arrays[:0]} }

// feed appends b to dst and steps over it. With repair, raw control characters
// in strings are escaped; without, they make the text no JSON.
func (s *scanner) feed(dst, b []byte, repair bool) []byte {
	from := 0
	for i := 0; i < len(b); i++ {
		c := b[i]
		if s.state == scanString && plainByte[c] {
			continue
		}
		if s.state == scanString && c < ' ' && repair {
			dst = appendControl(append(dst, b[from:i]...), c)
			from = i + 1
			s.escaped++
			continue
		}
		if s.state == scanBad {
			break
		}
		s.step(c)
	}
	return append(dst, b[from:]...)
}

// done says whether the bytes so far are one whole value.
func (s *scanner) done() bool {
	if s.depth > 0 {
		return false
	}
	switch s.state {
	case scanDone, scanZero, scanDigits, scanFraction, scanExpDigits:
		return true
	}
	return false
}

// step takes one byte. A byte that no JSON has there leaves the state scanBad.
func (s *scanner) step(c byte) {
	switch s.state {
	case scanString:
		s.inString(c)
	case scanEscape:
		s.escape(c)
	case scanHex:
		s.hexDigit(c)
	case scanWord:
		if c != s.word[0] {
			s.state = scanBad
		} else if s.word = s.word[1:]; s.word == "" {
			s.valueEnds()
		}
	case scanMinus, scanZero, scanDigits, scanDot, scanFraction, scanExp, scanExpSign, scanExpDigits:
		s.number(c)
	default:
		if !isSpace(c) {
			s.token(c)
		}
	}
}

func (s *scanner) token(c byte) {
	switch s.state {
	case scanFirstValue:
		if c == ']' {
			s.close()
			return
		}
		s.valueBegins(c)
	case scanValue:
		s.valueBegins(c)
	case scanFirstKey, scanKey:
		switch {
		case c == '"':
			s.state, s.key = scanString, true
		case c == '}' && s.state == scanFirstKey:
			s.close()
		default:
			s.state = scanBad
		}
	case scanColon:
		s.state = scanBad
		if c == ':' {
			s.state = scanValue
		}
	case scanAfter:
		s.after(c)
	default:
		s.state = scanBad
	}
}

func (s *scanner) after(c byte) {
	array := s.inArray()
	switch {
	case c == ',' && array:
		s.state = scanValue
	case c == ',':
		s.state = scanKey
	case c == ']' && array, c == '}' && !array:
		s.close()
	default:
		s.state = scanBad
	}
}

func (s *scanner) valueBegins(c byte) {
	switch {
	case c == '"':
		s.state, s.key = scanString, false
	case c == '{':
		s.object = s.object || s.depth == 0
		s.open(false)
	case c == '[':
		s.open(true)
	case c == '-':
		s.state = scanMinus
	case c == '0':
		s.state = scanZero
	case isDigit(c):
		s.state = scanDigits
	case c == 't':
		s.state, s.word = scanWord, "rue"
	case c == 'f':
		s.state, s.word = scanWord, "alse"
	case c == 'n':
		s.state, s.word = scanWord, "ull"
	default:
		s.state = scanBad
	}
}

func (s *scanner) open(array bool) {
	if s.depth == maxNesting {
		s.state = scanBad
		return
	}
	word, bit := s.depth/64, uint64(1)<<(s.depth%64)
	if word == len(s.arrays) {
		s.arrays = append(s.arrays, 0)
	}
	s.arrays[word] &^= bit
	s.state = scanFirstKey
	if array {
		s.arrays[word] |= bit
		s.state = scanFirstValue
	}
	s.depth++
}

func (s *scanner) close() {
	s.depth--
	s.valueEnds()
}

func (s *scanner) valueEnds() {
	s.state = scanAfter
	if s.depth == 0 {
		s.state = scanDone
	}
}

func (s *scanner) inArray() bool {
	d := s.depth - 1
	return s.arrays[d/64]&(1<<(d%64)) != 0
}

func (s *scanner) inString(c byte) {
	switch {
	case c == '\\':
		s.state = scanEscape
	case c < ' ':
		s.state = scanBad
	case c != '"':
	case s.key:
		s.state = scanColon
	default:
		s.valueEnds()
	}
}

func (s *scanner) escape(c byte) {
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.state = scanString
	case 'u':
		s.state, s.hex = scanHex, 4
	default:
		s.state = scanBad
	}
}

func (s *scanner) hexDigit(c byte) {
	if _, ok := hexValue(c); !ok {
		s.state = scanBad
		return
	}
	if s.hex--; s.hex == 0 {
		s.state = scanString
	}
}

func (s *scanner) number(c byte) {
	digit := isDigit(c)
	switch s.state {
	case scanMinus:
		switch {
		case c == '0':
			s.state = scanZero
		case digit:
			s.state = scanDigits
		default:
			s.state = scanBad
		}
	case scanDot:
		s.digitOr(digit, scanFraction)
	case scanExp:
		if c == '+' || c == '-' {
			s.state = scanExpSign
			return
		}
		s.digitOr(digit, scanExpDigits)
	case scanExpSign:
		s.digitOr(digit, scanExpDigits)
	default:
		s.numberGoesOn(c, digit)
	}
}

func (s *scanner) digitOr(digit bool, next scanState) {
	s.state = scanBad
	if digit {
		s.state = next
	}
}

// numberGoesOn is for the states in which a number may end.
func (s *scanner) numberGoesOn(c byte, digit bool) {
	whole := s.state == scanZero || s.state == scanDigits
	switch {
	case digit && s.state != scanZero:
	case c == '.' && whole:
		s.state = scanDot
	case (c == 'e' || c == 'E') && s.state != scanExpDigits:
		s.state = scanExp
	default:
		s.valueEnds()
		s.step(c)
	}
}

// asJSON gives b, outer white space left out, if it is one JSON value. With
// repair, raw control characters in its strings are escaped.
func asJSON(b []byte, repair bool) (value []byte, ok bool) {
	b = trimSpace(b)
	var s scanner
	out := s.feed(nil, b, repair)
	if !s.done() {
		return nil, false
	}
	return out, true
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

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

func trimSpace(b []byte) []byte { return trimRight(trimLeft(b)) }

func trimLeft(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	return b
}

func trimRight(b []byte) []byte {
	for len(b) > 0 && isSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}
