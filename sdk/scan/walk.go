package scan

// Step is what a Walk has come to.
type Step uint8

const (
	WalkMore     Step = iota // the end of the bytes
	ObjectBegins             // "{" was read
	KeyBegins                // a key's quotation mark is next
	KeyEnds                  // a key was read
	ValueBegins              // a value's first byte is next
	ValueEnds                // a value was read
	ObjectEnds               // "}" was read
	WalkEnd                  // all is read
	WalkBad                  // no such JSON has the next byte
)

// Walk reads one JSON object, or an array of objects, as it arrives, and stops at
// each member. Like JSON it reads over raw control characters in strings. The zero
// value is ready for an object.
type Walk struct {
	json  JSON
	outer int16 // the depth at which the objects stand
	token token
}

// token is what of a member is being read.
type token uint8

const (
	noToken token = iota
	memberKey
	memberValue
)

// Start makes x ready for an array of objects, or for an object.
func (x *Walk) Start(array bool) { x.start(array, false) }

// StartLenient is Start for text that is read leniently, see JSON.
func (x *Walk) StartLenient(array bool) { x.start(array, true) }

func (x *Walk) start(array, lenient bool) {
	*x = Walk{json: JSON{Lenient: lenient}}
	if array {
		x.outer = 1
	}
}

// ResumeBehindElement makes x read on in an array, behind an element that was read in
// another way.
func (x *Walk) ResumeBehindElement() {
	x.start(true, x.json.Lenient)
	x.json.state, x.json.depth = afterItem, 1
}

// Next reads on from place i of b. It answers where it stopped, and why.
func (x *Walk) Next(b []byte, i int) (n int, s Step) {
	for x.json.state != complete {
		if x.token != noToken {
			return x.readToken(b, i)
		}
		i += LeadingSpace(b[i:])
		if i == len(b) {
			return i, WalkMore
		}
		if s := x.beforeByte(b[i]); s != WalkMore {
			return i, s
		}
		x.json.readByte(b[i])
		if x.json.state == broken {
			return i, WalkBad
		}
		i++
		switch b[i-1] {
		case '{':
			return i, ObjectBegins
		case '}':
			return i, ObjectEnds
		}
	}
	return i, WalkEnd
}

// beforeByte is what begins with c, which stands between keys and values, or WalkMore.
func (x *Walk) beforeByte(c byte) Step {
	j := &x.json
	switch j.state {
	case firstKey, nextKey:
		if c == '"' || c == '\'' && j.Lenient {
			x.beginToken(memberKey)
			return KeyBegins
		}
	case value, firstItem, nextItem:
		switch {
		case j.depth > x.outer:
			x.beginToken(memberValue)
			return ValueBegins
		case c == x.opener(), c == ']' && (j.state == firstItem || j.Lenient), c == ',' && j.Lenient:
			return WalkMore
		}
		return WalkBad
	case broken:
		return WalkBad
	}
	return WalkMore
}

// opener is the bracket that must come, outside of the objects.
func (x *Walk) opener() byte {
	if x.json.depth == x.outer {
		return '{'
	}
	return '['
}

// beginToken makes the key or the member's value a JSON value of its own.
func (x *Walk) beginToken(t token) {
	x.token = t
	x.json.state, x.json.floor = value, x.json.depth
}

// readToken reads on in a key or a value.
func (x *Walk) readToken(b []byte, i int) (n int, s Step) {
	more, status := x.json.Scan(b[i:])
	switch i += more; status {
	case More:
		return i, WalkMore
	case Bad:
		return i, WalkBad
	}
	x.json.floor = 0
	ended := x.token
	x.token = noToken
	if ended == memberKey {
		x.json.state = colon
		return i, KeyEnds
	}
	x.json.state = afterItem
	return i, ValueEnds
}

// ScanToEnd reads on without a stop, like JSON.Scan and as far: what is no object of
// members is read too, if it is JSON. It may not be called within a key or a value.
func (x *Walk) ScanToEnd(b []byte) (n int, s Status) { return x.json.Scan(b) }

// InKey says whether the next byte is part of a key.
func (x *Walk) InKey() bool { return x.token == memberKey }

// InString is JSON.InString of what is being read, a key or a value.
func (x *Walk) InString() bool { return x.token != noToken && x.json.InString() }

// InPlainString is JSON.InPlainString of the value that is being read.
func (x *Walk) InPlainString() bool { return x.token == memberValue && x.json.InPlainString() }

// Brackets are the brackets that are open at the bad byte.
func (x *Walk) Brackets() Brackets { return x.json.Brackets() }
