package scan

// Status is what a JSON scanner knows after some bytes.
type Status uint8

const (
	More    Status = iota // the value is sound so far and not complete
	Done                  // the value is complete
	Bad                   // no JSON has this byte in this place
	Control               // ScanStrict only: a raw control character in a string
)

// MaxDepth is the deepest nesting that a JSON scanner reads; deeper is Bad.
const MaxDepth = 1024

// Quiet holds the bytes that matter inside a JSON string: a WATCH set for when
// JSON.Quiet is true.
var Quiet = []byte{'"', '\\'}

// JSON reads one JSON value (RFC 8259) as it arrives, for its structure only.
// Raw control characters in strings pass: models write raw line feeds, and the
// host escapes them. The zero value is ready for a value that may have white
// space before it. Copying a JSON clones it.
type JSON struct {
	state   state
	depth   int16
	text    bool   // the bad byte stands in a string
	literal string // what is left of true, false or null
	objects [MaxDepth / 64]uint64
}

type state uint8

const (
	value       state        = iota // a value must come
	firstItem                       // behind "[": a value or "]"
	firstKey                        // behind "{": a key or "}"
	nextKey                         // behind a comma in an object
	colon                           // behind a key
	behind                          // behind a value in an array or object
	inKey                           // in a string that is a key
	inKeyEsc                        // behind a backslash there
	inString                        // in a string that is a value
	inStringEsc                     // behind a backslash there
	hex                             // hex … hex+3: in \uXXXX of a value
	keyHex      = hex + 4           // keyHex … keyHex+3: in \uXXXX of a key
	minus       = keyHex + 4        // behind "-"
	zero        = minus + 1         // behind a leading 0
	digits      = minus + 2         // in the integer part
	point       = minus + 3         // behind "."
	fraction    = minus + 4         // in the fraction
	exponent    = minus + 5         // behind "e"
	expSign     = minus + 6         // behind the exponent's sign
	expDigits   = minus + 7         // in the exponent
	inLiteral   = minus + 8         // in true, false or null
	complete    = minus + 9
	broken      = minus + 10
)

// Reset makes j ready for another value.
func (j *JSON) Reset() { j.state, j.depth = value, 0 }

// InString says whether the next byte is inside a string.
func (j *JSON) InString() bool { return j.state >= inKey && j.state < minus }

// Quiet says whether bytes other than those of the Quiet set leave j as it is:
// inside a string, and not in the middle of an escape.
func (j *JSON) Quiet() bool { return j.state == inString || j.state == inKey }

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

// Scan reads on. More: all of b was read. Done: the value ended with the first n
// bytes of b. Bad: b[n] is impossible. After Done or Bad it says the same again
// with n 0, until Reset.
func (j *JSON) Scan(b []byte) (n int, s Status) { return j.scan(b, false) }

// ScanStrict is Scan, but it stops before a raw control character in a string,
// which Scan reads over: the status is then Control and the character b[n]. The
// caller goes on behind it, or calls it no JSON.
func (j *JSON) ScanStrict(b []byte) (n int, s Status) { return j.scan(b, true) }

func (j *JSON) scan(b []byte, strict bool) (n int, s Status) {
	switch j.state {
	case complete:
		return 0, Done
	case broken:
		return 0, Bad
	}
	for i := 0; i < len(b); i++ {
		if j.Quiet() {
			for i < len(b) && b[i] != '"' && b[i] != '\\' && (b[i] >= ' ' || !strict) {
				i++
			}
			if i == len(b) {
				break
			}
			if b[i] < ' ' {
				return i, Control
			}
		}
		if j.endsNumber() && !inNumber(b[i]) {
			j.end()
			if j.state == complete {
				return i, Done
			}
		}
		text := j.InString()
		j.step(b[i])
		switch j.state {
		case complete:
			return i + 1, Done
		case broken:
			j.text = text
			return i, Bad
		}
	}
	return len(b), More
}

func inNumber(c byte) bool {
	return c >= '0' && c <= '9' || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-'
}

// step takes one byte. Behind a number, end has been called before.
func (j *JSON) step(c byte) {
	s := j.state
	switch {
	case s <= behind:
		j.structure(c)
	case s == inString:
		j.state = within(c, inString, inStringEsc)
		if c == '"' {
			j.end()
		}
	case s == inKey:
		j.state = within(c, inKey, inKeyEsc)
		if c == '"' {
			j.state = colon
		}
	case s == inStringEsc:
		j.state = escape(c, inString, hex)
	case s == inKeyEsc:
		j.state = escape(c, inKey, keyHex)
	case s >= hex && s < minus:
		j.hexDigit(c)
	case s == inLiteral:
		if j.literal[0] != c {
			j.state = broken
			return
		}
		if j.literal = j.literal[1:]; j.literal == "" {
			j.end()
		}
	default:
		j.state = number(s, c)
	}
}

func within(c byte, same, esc state) state {
	if c == '\\' {
		return esc
	}
	return same
}

func escape(c byte, back, hex state) state {
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return back
	case 'u':
		return hex
	}
	return broken
}

func (j *JSON) hexDigit(c byte) {
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

func (j *JSON) structure(c byte) {
	if IsSpace(c) {
		return
	}
	switch j.state {
	case firstItem:
		if c == ']' {
			j.pop()
			return
		}
		j.open(c)
	case value:
		j.open(c)
	case firstKey, nextKey:
		switch {
		case c == '"':
			j.state = inKey
		case c == '}' && j.state == firstKey:
			j.pop()
		default:
			j.state = broken
		}
	case colon:
		j.state = broken
		if c == ':' {
			j.state = value
		}
	case behind:
		j.afterValue(c)
	}
}

func (j *JSON) afterValue(c byte) {
	object := j.inObject()
	switch {
	case c == ',' && object:
		j.state = nextKey
	case c == ',':
		j.state = value
	case c == '}' && object, c == ']' && !object:
		j.pop()
	default:
		j.state = broken
	}
}

// open begins a value with its first byte.
func (j *JSON) open(c byte) {
	switch {
	case c == '{':
		j.push(1, firstKey)
	case c == '[':
		j.push(0, firstItem)
	case c == '"':
		j.state = inString
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
		j.state = broken
	}
}

func (j *JSON) push(object uint64, next state) {
	if j.depth == MaxDepth {
		j.state = broken
		return
	}
	word, bit := j.depth/64, uint(j.depth%64)
	j.objects[word] = j.objects[word]&^(1<<bit) | object<<bit
	j.depth++
	j.state = next
}

func (j *JSON) pop() {
	j.depth--
	j.end()
}

func (j *JSON) inObject() bool {
	d := j.depth - 1
	return j.objects[d/64]>>uint(d%64)&1 == 1
}

// end ends a value.
func (j *JSON) end() {
	j.state = behind
	if j.depth == 0 {
		j.state = complete
	}
}

// number takes one byte that may belong to a number; another one ended it
// before, or is impossible.
func number(s state, c byte) state {
	digit := c >= '0' && c <= '9'
	exp := c == 'e' || c == 'E'
	switch {
	case s == minus && c == '0':
		return zero
	case s == minus && digit, s == digits && digit:
		return digits
	case (s == zero || s == digits) && c == '.':
		return point
	case (s == zero || s == digits || s == fraction) && exp:
		return exponent
	case (s == point || s == fraction) && digit:
		return fraction
	case s == exponent && (c == '+' || c == '-'):
		return expSign
	case (s == exponent || s == expSign || s == expDigits) && digit:
		return expDigits
	}
	return broken
}
