// Package jsonwalk walks through the members of a JSON object, or of each object
// of an array, as they arrive.
package jsonwalk

import "github.com/turnkey-parsers/turnkey/sdk/scan"

// Step is what a Walk has come to.
type Step uint8

const (
	More         Step = iota // the end of the bytes
	ObjectBegins             // "{" was read
	KeyBegins                // a key's quotation mark is next
	KeyEnds                  // a key was read
	ValueBegins              // a value's first byte is next
	ValueEnds                // a value was read
	ObjectEnds               // "}" was read
	End                      // all is read
	Bad                      // no such JSON has the next byte
)

// Walk is one walk. It reads on over raw control characters in strings, as
// scan.JSON does.
type Walk struct {
	array bool
	at    place
	json  scan.JSON // the key or value that is being read
}

// place is what comes next.
type place uint8

const (
	atBody     place = iota // "{", or "[" of an array
	atFirst                 // an array's first object or its "]"
	atObject                // an array's next object
	atFirstKey              // or "}"
	atKey                   // a key
	inKey
	atColon
	atValue
	inValue
	atComma // or "}"
	atNext  // in an array: "," or "]"
	atEnd
)

// Start makes x ready for an array of objects, or for an object.
func (x *Walk) Start(array bool) { *x = Walk{array: array} }

// Next reads on from place i of b. It answers where it stopped, and why.
func (x *Walk) Next(b []byte, i int) (n int, s Step) {
	for x.at != atEnd {
		if x.at == inKey || x.at == inValue {
			return x.scan(b, i)
		}
		i += scan.Space(b[i:])
		if i == len(b) {
			return i, More
		}
		c := b[i]
		switch {
		case x.at == atValue:
			x.json.Reset()
			x.at = inValue
			return i, ValueBegins
		case c == '"' && (x.at == atFirstKey || x.at == atKey):
			x.json.Reset()
			x.at = inKey
			return i, KeyBegins
		}
		next, ok := x.punctuation(c)
		if !ok {
			return i, Bad
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
	return i, End
}

// scan reads on in a key or a value.
func (x *Walk) scan(b []byte, i int) (n int, s Step) {
	more, status := x.json.Scan(b[i:])
	switch i += more; {
	case status == scan.More:
		return i, More
	case status == scan.Bad:
		return i, Bad
	case x.at == inKey:
		x.at = atColon
		return i, KeyEnds
	}
	x.at = atComma
	return i, ValueEnds
}

// punctuation is what follows a byte between keys and values.
func (x *Walk) punctuation(c byte) (next place, ok bool) {
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
func (x *Walk) InKey() bool { return x.at == inKey }

// Quiet says whether only the bytes of scan.Quiet matter to the value that is
// being read.
func (x *Walk) Quiet() bool { return x.at == inValue && x.json.Quiet() }

// Brackets are the brackets that are open at the bad byte.
func (x *Walk) Brackets() scan.Brackets {
	var k scan.Brackets
	if x.at == inKey || x.at == inValue {
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
