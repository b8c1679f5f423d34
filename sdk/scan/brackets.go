package scan

// Brackets follows a value that proved to be no JSON to where it probably ends:
// where all its brackets are closed, or at an empty line. Strings are left out.
type Brackets struct {
	// Depth is how many brackets are open.
	Depth int

	text bool // in a string
	esc  bool // behind a backslash there
	line bool // the line so far is blank
}

// Brackets is where the value stands that proved Bad, at the bad byte.
func (j *JSON) Brackets() Brackets { return Brackets{Depth: int(j.depth), text: j.text} }

// Scan reads on. If it is done, the value has ended with the first n bytes of b;
// else n is len(b). It ends in front of the line feed that makes a line empty.
func (k *Brackets) Scan(b []byte) (n int, done bool) {
	for i, c := range b {
		switch {
		case k.esc:
			k.esc = false
		case k.text:
			k.esc = c == '\\'
			k.text = c != '"'
		case c == '\n' && k.line:
			return i, true
		case c == '\n':
			k.line = true
		case !IsSpace(c):
			k.line = false
			if k.bracket(c) {
				return i + 1, true
			}
		}
	}
	return len(b), false
}

// bracket reads a byte outside strings. It answers whether that closed all.
func (k *Brackets) bracket(c byte) (closed bool) {
	switch c {
	case '"':
		k.text = true
	case '{', '[':
		k.Depth++
	case '}', ']':
		k.Depth--
		return k.Depth <= 0
	}
	return false
}
