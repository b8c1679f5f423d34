package framing

import "github.com/turnkey-parsers/turnkey/abi"

// A value is one value of a call while its parts come. What is a string whatever
// follows goes out at once; anything else waits for its last part.
type value struct {
	how    uint8 // the reading
	mode   valueMode
	trim   bool
	opened bool    // the string's quote is written
	begun  bool    // something other than outer white space came
	space  []byte  // white space that is outer unless more follows
	dec    decoder // for strings
	null   nullWord
	text   []byte // what waits, or room to decode in
}

type valueMode uint8

const (
	valueWaits  valueMode = iota
	valueString           // goes out as it comes
	valueMaybe            // a string unless it is the bare word null
)

func (v *value) begin(flags uint8, t *typer, s *shape) {
	v.how = flags & abi.ReadMask
	v.trim = flags&abi.FlagTrim != 0
	v.opened, v.begun = false, false
	v.space, v.text = v.space[:0], v.text[:0]
	v.dec = decoder{how: v.how, wait: v.dec.wait[:0]}
	v.null = t.nullWord()
	switch v.how {
	case abi.ReadString, abi.ReadJSONBody, abi.ReadPythonBody, abi.ReadEntities, abi.ReadQuotAmp:
		v.mode = valueString
	case abi.ReadSchema:
		v.mode = t.mode(s)
	default:
		v.mode = valueWaits
	}
}

// add takes a part. Literal bytes are neither decoded nor trimmed.
func (v *value) add(dst, part []byte, literal bool, t *typer) []byte {
	if v.mode == valueString {
		return v.say(dst, part, literal)
	}
	v.text = append(v.text, part...)
	if v.mode == valueMaybe {
		v.null.add(part)
	}
	switch {
	case v.mode == valueMaybe && !v.null.may():
	case len(v.text) > t.held:
		// No longer than this for the sake of its type.
		t.overlong++
		v.how = abi.ReadString
	default:
		return dst
	}
	v.mode = valueString
	return v.say(dst, v.text, literal)
}

// end takes the value as complete.
func (v *value) end(dst []byte, t *typer, s *shape) []byte {
	if v.mode == valueString {
		return append(v.read(v.say(dst, nil, false), nil, true), '"')
	}
	text := v.text
	if v.trim {
		text = trimSpace(text)
	}
	switch v.how {
	case abi.ReadJSON, abi.ReadJSONOrText:
		if out, ok := t.json(dst, text); ok {
			return out
		}
		return appendString(dst, text)
	case abi.ReadPython:
		if out, ok := appendPython(dst, text); ok {
			return out
		}
		return appendString(dst, text)
	}
	return t.value(dst, text, s)
}

// say appends a part of a string.
func (v *value) say(dst, part []byte, literal bool) []byte {
	if !v.opened {
		v.opened = true
		dst = append(dst, '"')
	}
	switch {
	case len(part) == 0:
		return dst
	case literal:
		dst = v.read(dst, v.space, true)
		v.space, v.begun = v.space[:0], true
		return appendEscaped(dst, part)
	case v.trim:
		return v.trimmed(dst, part)
	}
	return v.read(dst, part, false)
}

// trimmed is say without the white space around the value. White space that may
// be the value's end waits.
func (v *value) trimmed(dst, part []byte) []byte {
	if !v.begun {
		part = trimLeft(part)
		v.begun = len(part) > 0
	}
	body := trimRight(part)
	if len(body) > 0 {
		dst = v.read(dst, v.space, false)
		v.space = v.space[:0]
		dst = v.read(dst, body, false)
	}
	v.space = append(v.space, part[len(body):]...)
	return dst
}

// read appends what a part of a string stands for. last says that an escape at
// its end is not whole, but stands for itself.
func (v *value) read(dst, part []byte, last bool) []byte {
	if v.how == abi.ReadSchema || v.how == abi.ReadString {
		return appendEscaped(dst, part)
	}
	v.text = v.dec.add(v.text[:0], part, last)
	return appendEscaped(dst, v.text)
}

// A nullWord tells, as a text comes, whether it is the bare word null, with white
// space around it or none.
type nullWord struct {
	anyCase bool
	at      int // letters so far; nullEnded and nullNot besides
}

const (
	nullWhole = 4
	nullEnded = 5
	nullNot   = -1
)

func (n *nullWord) add(b []byte) {
	for _, c := range b {
		if n.at == nullNot {
			return
		}
		n.step(c)
	}
}

func (n *nullWord) step(c byte) {
	if n.anyCase && 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	switch {
	case isSpace(c) && n.at == 0, isSpace(c) && n.at == nullEnded:
	case isSpace(c) && n.at == nullWhole:
		n.at = nullEnded
	case n.at < nullWhole && c == "null"[n.at]:
		n.at++
	default:
		n.at = nullNot
	}
}

// may says whether the text is the word or can still become it.
func (n *nullWord) may() bool { return n.at != nullNot }

// is says whether the text is the word.
func (n *nullWord) is() bool { return n.at == nullWhole || n.at == nullEnded }
