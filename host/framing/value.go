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
func (v *value) add(dst, part []byte, literal bool) []byte {
	if v.mode == valueString {
		return v.say(dst, part, literal)
	}
	v.text = append(v.text, part...)
	if v.mode == valueMaybe {
		if v.null.add(part); !v.null.may() {
			v.mode = valueString
			return v.say(dst, v.text, literal)
		}
	}
	return dst
}

// end takes the value as complete.
func (v *value) end(dst []byte, t *typer, s *shape) []byte {
	if v.mode == valueString {
		dst = v.say(dst, nil, true)
		if len(v.dec.wait) > 0 {
			dst = appendEscaped(dst, v.dec.add(v.text[:0], nil, true))
		}
		return append(dst, '"')
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
	if v.trim {
		if literal && len(part) == 0 {
			return dst
		}
		if part = v.inner(part, literal); len(part) == 0 {
			return dst
		}
		// White space that turned out to be inner goes first.
		dst = appendEscaped(dst, v.space)
		v.space = v.space[:0]
		if !literal {
			body := trimRight(part)
			v.space = append(v.space, part[len(body):]...)
			part = body
		}
	}
	if literal || v.how == abi.ReadSchema || v.how == abi.ReadString {
		return appendEscaped(dst, part)
	}
	v.text = v.dec.add(v.text[:0], part, false)
	return appendEscaped(dst, v.text)
}

// inner is a part without the white space in front of the value. White space
// that may be the value's end waits.
func (v *value) inner(part []byte, literal bool) []byte {
	if literal {
		v.begun = true
		return part
	}
	if !v.begun {
		part = trimLeft(part)
	}
	if len(part) == 0 {
		return nil
	}
	v.begun = true
	if len(trimRight(part)) == 0 {
		v.space = append(v.space, part...)
		return nil
	}
	return part
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
