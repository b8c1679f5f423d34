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
// each member. Like JSON it reads over raw control characters in strings.
type Walk struct {
	array bool
	at    place
	json  JSON // the key or value that is being read
}

// place is what comes next.
type place uint8

const (
	atBody     place = iota // "{", or "[" of an array
	atFirst                 // an array's first object or its "]"
	atObject                // an array's next object
	atFirstKey              // or "}"
	atKey                   // a key
	inMemberKey
	atColon
	atValue
	inMemberValue
	atComma // or "}"
	atNext  // in an array: "," or "]"
	atEnd
)

// Start makes x ready for an array of objects, or for an object.
func (x *Walk) Start(array bool) { *x = Walk{array: array} }

// Next reads on from place i of b. It answers where it stopped, and why.
func (x *Walk) Next(b []byte, i int) (n int, s Step) {
	for x.at != atEnd {
		if x.at == inMemberKey || x.at == inMemberValue {
			return x.readToken(b, i)
		}
		i += LeadingSpace(b[i:])
		if i == len(b) {
			return i, WalkMore
		}
		c := b[i]
		switch {
		case x.at == atValue:
			x.json.Reset()
			x.at = inMemberValue
			return i, ValueBegins
		case c == '"' && (x.at == atFirstKey || x.at == atKey):
			x.json.Reset()
			x.at = inMemberKey
			return i, KeyBegins
		}
		next, ok := x.afterPunctuation(c)
		if !ok {
			return i, WalkBad
		}
		x.at = next
		i++
		switch {
		case c == '{':
			return i, ObjectBegins
		case c == '}':
			return i, ObjectEnds
		}
	}
	return i, WalkEnd
}

// readToken reads on in a key or a value.
func (x *Walk) readToken(b []byte, i int) (n int, s Step) {
	more, status := x.json.Scan(b[i:])
	switch i += more; {
	case status == More:
		return i, WalkMore
	case status == Bad:
		return i, WalkBad
	case x.at == inMemberKey:
		x.at = atColon
		return i, KeyEnds
	}
	x.at = atComma
	return i, ValueEnds
}

// afterPunctuation is what follows a byte between keys and values.
func (x *Walk) afterPunctuation(c byte) (next place, ok bool) {
	switch {
	case c == '[' && x.at == atBody && x.array:
		return atFirst, true
	case c == '{' && (x.at == atBody && !x.array || x.at == atFirst || x.at == atObject):
		return atFirstKey, true
	case c == ':' && x.at == atColon:
		return atValue, true
	case c == ',' && x.at == atComma:
		return atKey, true
	case c == '}' && (x.at == atFirstKey || x.at == atComma):
		if x.array {
			return atNext, true
		}
		return atEnd, true
	case c == ',' && x.at == atNext:
		return atObject, true
	case c == ']' && (x.at == atFirst || x.at == atNext):
		return atEnd, true
	}
	return 0, false
}

// InKey says whether the next byte is part of a key.
func (x *Walk) InKey() bool { return x.at == inMemberKey }

// InPlainString is JSON.InPlainString of the value that is being read.
func (x *Walk) InPlainString() bool { return x.at == inMemberValue && x.json.InPlainString() }

// Brackets are the brackets that are open at the bad byte.
func (x *Walk) Brackets() Brackets {
	var k Brackets
	if x.at == inMemberKey || x.at == inMemberValue {
		k = x.json.Brackets()
	}
	if x.array && x.at > atBody {
		k.Depth++
	}
	if x.at >= atFirstKey && x.at <= atComma {
		k.Depth++
	}
	return k
}
