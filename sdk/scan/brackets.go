package scan

// Brackets follows a value that proved to be no JSON to where it probably ends:
// where all its brackets are closed, or at an empty line. Strings are left out, and so
// are strings in single quotation marks where a key or a value may begin.
type Brackets struct {
	// Depth is how many brackets are open.
	Depth int

	quote     byte // the mark that ends the string; 0 outside strings
	escaped   bool // after a backslash there
	blankLine bool // the line so far is blank
	last      byte // the last byte outside strings that is no white space
}

// Brackets is where the value stands that proved Bad, at the bad byte.
func (j *JSON) Brackets() Brackets {
	k := Brackets{Depth: int(j.depth), last: ','}
	if j.badInString {
		k.quote = j.quote()
	}
	return k
}

// Scan reads on. If it is done, the value has ended with the first n bytes of b;
// else n is len(b). It ends in front of the line feed that makes a line empty.
func (k *Brackets) Scan(b []byte) (n int, done bool) {
	for i, c := range b {
		switch {
		case k.escaped:
			k.escaped = false
		case k.quote != 0:
			k.escaped = c == '\\'
			if c == k.quote {
				k.quote = 0
			}
		case c == '\n' && k.blankLine:
			return i, true
		case c == '\n':
			k.blankLine = true
		case !IsSpace(c):
			k.blankLine = false
			if k.readBracket(c) {
				return i + 1, true
			}
			k.last = c
		}
	}
	return len(b), false
}

// readBracket reads a byte outside strings. It answers whether that closed all.
func (k *Brackets) readBracket(c byte) (closed bool) {
	switch c {
	case '"':
		k.quote = c
	case '\'':
		if k.last == '{' || k.last == '[' || k.last == ',' || k.last == ':' {
			k.quote = c
		}
	case '{', '[':
		k.Depth++
	case '}', ']':
		k.Depth--
		return k.Depth <= 0
	}
	return false
}
