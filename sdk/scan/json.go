package scan

// Status is what a JSON scanner knows after some bytes.
type Status uint8

const (
	More    Status = iota // the value is sound so far and not complete
	Done                  // the value is complete
	Bad                   // no JSON has this byte in this place
	Control               // ScanStrict only: a raw control character in a string
)

// MaxDepth is the deepest nesting that is read as JSON, in guests and in the host;
// deeper is Bad. (abi.MaxNesting bounds something else: the containers that a parser
// opens by events.)
const MaxDepth = 1024

// StringWatch holds the bytes that can change what is known inside a JSON string: a
// WATCH set for when JSON.InPlainString is true.
var StringWatch = []byte{'"', '\\'}

// JSON reads one JSON value (RFC 8259) as it arrives, for its structure only.
// Raw control characters in strings pass: models write raw line feeds, and the
// host escapes them. The zero value is ready for a value that may have white
// space before it. Copying a JSON clones it.
type JSON struct {
	// Lenient reads on, as the host does, over a comma too many, Python's True, False and
	// None, and strings in single quotation marks. Reset keeps it.
	Lenient bool

	state       state
	depth       int16
	floor       int16  // the depth at which the value that is read stands: 0, but in a Walk
	badInString bool   // the bad byte stands in a string
	single      bool   // the string that is read stands in single quotation marks
	beforeBad   state  // the state before the bad byte
	literal     string // what is left of true, false or null
	objects     [MaxDepth / 64]uint64
}

type state uint8

const (
	value       state        = iota // a value must come
	firstItem                       // after "[": a value or "]"
	firstKey                        // after "{": a key or "}"
	nextKey                         // after a comma in an object
	nextItem                        // after a comma in an array
	colon                           // after a key
	afterItem                       // after a value in an array or object
	inKey                           // in a string that is a key
	inKeyEsc                        // after a backslash there
	inString                        // in a string that is a value
	inStringEsc                     // after a backslash there
	hex                             // hex … hex+3: in \uXXXX of a value
	keyHex      = hex + 4           // keyHex … keyHex+3: in \uXXXX of a key
	minus       = keyHex + 4        // after "-"
	zero        = minus + 1         // after a leading 0
	digits      = minus + 2         // in the integer part
	point       = minus + 3         // after "."
	fraction    = minus + 4         // in the fraction
	exponent    = minus + 5         // after "e"
	expSign     = minus + 6         // after the exponent's sign
	expDigits   = minus + 7         // in the exponent
	inLiteral   = minus + 8         // in true, false or null
	complete    = minus + 9
	broken      = minus + 10
)

// Reset makes j ready for another value.
func (j *JSON) Reset() { j.state, j.depth, j.floor = value, 0, 0 }

// InString says whether the next byte is inside a string.
func (j *JSON) InString() bool { return j.state.inString() }

func (s state) inString() bool { return s >= inKey && s < minus }

// InPlainString says whether the next byte stands in a string and not in the middle
// of an escape: bytes other than those of StringWatch then leave j as it is.
func (j *JSON) InPlainString() bool { return (j.state == inString || j.state == inKey) && !j.single }

// quote is the mark that ends the string that is read.
func (j *JSON) quote() byte {
	if j.single {
		return '\''
	}
	return '"'
}

// AtEnd says whether the value is complete if nothing follows: a number at the
// top level has no end of its own.
func (j *JSON) AtEnd() bool {
	if j.state == complete {
		return true
	}
	return j.depth == 0 && j.endsNumber()
}

func (j *JSON) endsNumber() bool {
	switch j.state {
	case zero, digits, fraction, expDigits:
		return true
	}
	return false
}

// AtStart says whether nothing of the value has come yet.
func (j *JSON) AtStart() bool { return j.state == value && j.depth == 0 }

// Expect is what may come next in a value.
type Expect uint8

const (
	ExpectOther Expect = iota // within a token, a colon, a comma or a closing bracket
	ExpectValue
	ExpectKey
)

// Expects says what may come next, and whether it comes directly after an opening
// bracket or a comma, where one more comma would be too many.
func (j *JSON) Expects() (e Expect, afterOpener, afterComma bool) {
	switch j.state {
	case value:
		return ExpectValue, false, false
	case firstItem:
		return ExpectValue, true, false
	case nextItem:
		return ExpectValue, false, true
	case firstKey:
		return ExpectKey, true, false
	case nextKey:
		return ExpectKey, false, true
	}
	return ExpectOther, false, false
}

// TakeBackBad takes back the bad byte that Scan stopped at: for a reader that puts
// something else in its place.
func (j *JSON) TakeBackBad() {
	if j.state == broken {
		j.state = j.beforeBad
	}
}

// TakeBackComma takes back the comma that was read last: for text with one too many
// before a closing bracket.
func (j *JSON) TakeBackComma() {
	if j.state == nextItem || j.state == nextKey {
		j.state = afterItem
	}
}

// Scan reads on. More: all of b was read. Done: the value ended with the first n
// bytes of b. Bad: b[n] is impossible. After Done or Bad it says the same again
// with n 0, until Reset.
func (j *JSON) Scan(b []byte) (n int, s Status) { return j.scan(b, false) }

// ScanStrict is Scan, but it stops before a raw control character in a string,
// which Scan reads over: the status is then Control and the character b[n]. The
// caller goes on after it, or calls it no JSON.
func (j *JSON) ScanStrict(b []byte) (n int, s Status) { return j.scan(b, true) }

func (j *JSON) scan(b []byte, strict bool) (n int, s Status) {
	switch j.state {
	case complete:
		return 0, Done
	case broken:
		return 0, Bad
	}
	for i := 0; i < len(b); i++ {
		before := j.state
		switch {
		case before == inString || before == inKey:
			for quote := j.quote(); i < len(b) && b[i] != quote && b[i] != '\\' && (b[i] >= ' ' || !strict); {
				i++
			}
			if i == len(b) {
				return i, More
			}
			if b[i] < ' ' {
				return i, Control
			}
		case before >= zero && j.endsNumber() && !isNumberByte(b[i]):
			j.endValue()
			if j.state == complete {
				return i, Done
			}
		}
		j.beforeBad = j.state
		j.readByte(b[i])
		switch j.state {
		case complete:
			return i + 1, Done
		case broken:
			j.badInString = before.inString()
			return i, Bad
		}
	}
	return len(b), More
}

func isNumberByte(c byte) bool {
	return c >= '0' && c <= '9' || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-'
}

// readByte takes one byte. After a number, endValue has been called before.
func (j *JSON) readByte(c byte) {
	s := j.state
	switch {
	case s <= afterItem:
		j.readBetweenTokens(c)
	case s == inString:
		j.state = afterStringByte(c, inString, inStringEsc)
		if c == j.quote() {
			j.endValue()
		}
	case s == inKey:
		j.state = afterStringByte(c, inKey, inKeyEsc)
		if c == j.quote() {
			j.state = colon
		}
	case j.single && (s == inStringEsc || s == inKeyEsc): // Python's escapes
		j.state--
	case s == inStringEsc:
		j.state = afterEscapeByte(c, inString, hex)
	case s == inKeyEsc:
		j.state = afterEscapeByte(c, inKey, keyHex)
	case s >= hex && s < minus:
		j.readHexDigit(c)
	case s == inLiteral:
		if j.literal[0] != c {
			j.state = broken
			return
		}
		if j.literal = j.literal[1:]; j.literal == "" {
			j.endValue()
		}
	default:
		j.state = afterNumberByte(s, c)
	}
}

func afterStringByte(c byte, same, esc state) state {
	if c == '\\' {
		return esc
	}
	return same
}

func afterEscapeByte(c byte, back, hex state) state {
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return back
	case 'u':
		return hex
	}
	return broken
}

func (j *JSON) readHexDigit(c byte) {
	if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') {
		j.state = broken
		return
	}
	switch j.state {
	case hex + 3:
		j.state = inString
	case keyHex + 3:
		j.state = inKey
	default:
		j.state++
	}
}

func (j *JSON) readBetweenTokens(c byte) {
	if IsSpace(c) {
		return
	}
	switch j.state {
	case firstItem, nextItem:
		switch {
		case c == ']' && (j.state == firstItem || j.Lenient):
			j.closeContainer()
		case c != ',' || !j.Lenient:
			j.beginValue(c)
		}
	case value:
		j.beginValue(c)
	case firstKey, nextKey:
		switch {
		case c == '"', c == '\'' && j.Lenient:
			j.state, j.single = inKey, c == '\''
		case c == '}' && (j.state == firstKey || j.Lenient):
			j.closeContainer()
		case c != ',' || !j.Lenient:
			j.state = broken
		}
	case colon:
		j.state = broken
		if c == ':' {
			j.state = value
		}
	case afterItem:
		j.readAfterValue(c)
	}
}

func (j *JSON) readAfterValue(c byte) {
	object := j.inObject()
	switch {
	case c == ',' && object:
		j.state = nextKey
	case c == ',':
		j.state = nextItem
	case c == '}' && object, c == ']' && !object:
		j.closeContainer()
	default:
		j.state = broken
	}
}

// beginValue begins a value with its first byte.
func (j *JSON) beginValue(c byte) {
	switch {
	case c == '{':
		j.openContainer(1, firstKey)
	case c == '[':
		j.openContainer(0, firstItem)
	case c == '"', c == '\'' && j.Lenient:
		j.state, j.single = inString, c == '\''
	case c == '-':
		j.state = minus
	case c == '0':
		j.state = zero
	case c >= '1' && c <= '9':
		j.state = digits
	case c == 't':
		j.state, j.literal = inLiteral, "rue"
	case c == 'f':
		j.state, j.literal = inLiteral, "alse"
	case c == 'n':
		j.state, j.literal = inLiteral, "ull"
	default:
		j.state, j.literal = broken, ""
		if word := pythonWord(c); word != "" && j.Lenient {
			j.state, j.literal = inLiteral, word
		}
	}
}

// pythonWord is what of a constant of Python's follows its first byte.
func pythonWord(c byte) string {
	switch c {
	case 'T':
		return "rue"
	case 'F':
		return "alse"
	case 'N':
		return "one"
	}
	return ""
}

func (j *JSON) openContainer(object uint64, next state) {
	if j.depth == MaxDepth {
		j.state = broken
		return
	}
	word, bit := j.depth/64, uint(j.depth%64)
	j.objects[word] = j.objects[word]&^(1<<bit) | object<<bit
	j.depth++
	j.state = next
}

func (j *JSON) closeContainer() {
	j.depth--
	j.endValue()
}

func (j *JSON) inObject() bool {
	d := j.depth - 1
	return j.objects[d/64]>>uint(d%64)&1 == 1
}

// endValue ends a value.
func (j *JSON) endValue() {
	j.state = afterItem
	if j.depth == j.floor {
		j.state = complete
	}
}

// afterNumberByte is the state after a byte within a number. A byte that ends the
// number has been dealt with before; any other is impossible.
func afterNumberByte(s state, c byte) state {
	switch {
	case c >= '0' && c <= '9':
		return afterDigit(s, c)
	case c == '.':
		if s == zero || s == digits {
			return point
		}
	case c == 'e' || c == 'E':
		if s == zero || s == digits || s == fraction {
			return exponent
		}
	case s == exponent && (c == '+' || c == '-'):
		return expSign
	}
	return broken
}

// afterDigit is the state after the digit c within a number.
func afterDigit(s state, c byte) state {
	switch s {
	case minus:
		if c == '0' {
			return zero
		}
		return digits
	case digits:
		return digits
	case point, fraction:
		return fraction
	case exponent, expSign, expDigits:
		return expDigits
	}
	return broken // a leading zero
}
