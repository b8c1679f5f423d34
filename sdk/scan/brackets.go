package scan

// Brackets follows a value that proved to be no JSON to where it probably ends:
// where all its brackets are closed, or at an empty line. Strings are left out.
type Brackets struct {
	// Depth is how many brackets are open.
	Depth int

	inString  bool // in a string
	escaped   bool // after a backslash there
	blankLine bool // the line so far is blank
}

// Brackets is where the value stands that proved Bad, at the bad byte.
func (j *JSON) Brackets() Brackets { return Brackets{Depth: int(j.depth), inString: j.badInString} }

// Scan reads on. If it is done, the value has ended with the first n bytes of b;
// else n is len(b). It ends in front of the line feed that makes a line empty.
func (k *Brackets) Scan(b []byte) (n int, done bool) {
	for i, c := range b {
		switch {
		case k.escaped:
			k.escaped = false
		case k.inString:
			k.escaped = c == '\\'
			k.inString = c != '"'
		case c == '\n' && k.blankLine:
			return i, true
		case c == '\n':
			k.blankLine = true
		case !IsSpace(c):
			k.blankLine = false
			if k.readBracket(c) {
				return i + 1, true
			}
		}
	}
	return len(b), false
}

// readBracket reads a byte outside strings. It answers whether that closed all.
func (k *Brackets) readBracket(c byte) (closed bool) {
	switch c {
	case '"':
		k.inString = true
	case '{', '[':
		k.Depth++
	case '}', ']':
		k.Depth--
		return k.Depth <= 0
	}
	return false
}
