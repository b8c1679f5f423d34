package framing

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/abi"
)

// appendPython appends a Python literal as JSON: strings, numbers, True, False,
// None, lists, tuples and dictionaries with string keys. JSON's own words count
// too, as models mix them in. Number tokens stay as they are.
func appendPython(dst, literal []byte) (_ []byte, ok bool) {
	p := pythonReader{rest: trimSpace(literal), out: dst}
	if !p.value(0) || len(p.rest) > 0 {
		return dst, false
	}
	return p.out, true
}

type pythonReader struct {
	rest []byte
	out  []byte
}

func (p *pythonReader) space() { p.rest = trimLeft(p.rest) }

func (p *pythonReader) take(c byte) bool {
	if len(p.rest) == 0 || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

// value reads one value and the white space behind it.
func (p *pythonReader) value(depth int) bool {
	if len(p.rest) == 0 || depth > maxNesting {
		return false
	}
	var ok bool
	switch c := p.rest[0]; c {
	case '\'', '"':
		ok = p.str()
	case '[':
		ok = p.sequence(']', depth)
	case '(':
		ok = p.sequence(')', depth)
	case '{':
		ok = p.dict(depth)
	default:
		ok = p.word()
	}
	p.space()
	return ok
}

func (p *pythonReader) str() bool {
	quote := p.rest[0]
	for i := 1; i < len(p.rest); i++ {
		switch p.rest[i] {
		case '\\':
			i++
		case quote:
			p.out = appendString(p.out, decoded(p.rest[1:i], abi.ReadPythonBody))
			p.rest = p.rest[i+1:]
			return true
		}
	}
	return false
}

// sequence reads a list or a tuple. (x) is x, as in Python.
func (p *pythonReader) sequence(closer byte, depth int) bool {
	p.rest = p.rest[1:]
	p.space()
	start := len(p.out)
	p.out = append(p.out, '[')
	n, comma := 0, true
	for !p.take(closer) {
		if !comma {
			return false
		}
		if n > 0 {
			p.out = append(p.out, ',')
		}
		if !p.value(depth + 1) {
			return false
		}
		n++
		comma = p.take(',')
		p.space()
	}
	if closer == ')' && n == 1 && !comma {
		copy(p.out[start:], p.out[start+1:])
		p.out = p.out[:len(p.out)-1]
		return true
	}
	p.out = append(p.out, ']')
	return true
}

func (p *pythonReader) dict(depth int) bool {
	p.rest = p.rest[1:]
	p.space()
	p.out = append(p.out, '{')
	for comma, first := true, true; !p.take('}'); first = false {
		if !comma {
			return false
		}
		if !first {
			p.out = append(p.out, ',')
		}
		if !p.member(depth) {
			return false
		}
		comma = p.take(',')
		p.space()
	}
	p.out = append(p.out, '}')
	return true
}

func (p *pythonReader) member(depth int) bool {
	if len(p.rest) == 0 || p.rest[0] != '\'' && p.rest[0] != '"' || !p.str() {
		return false
	}
	p.space()
	if !p.take(':') {
		return false
	}
	p.out = append(p.out, ':')
	p.space()
	return p.value(depth + 1)
}

// word reads a number or a constant.
func (p *pythonReader) word() bool {
	n := bytes.IndexAny(p.rest, ",:[](){}'\" \t\r\n")
	if n < 0 {
		n = len(p.rest)
	}
	word := p.rest[:n]
	p.rest = p.rest[n:]
	switch string(word) {
	case "True", "true":
		p.out = append(p.out, "true"...)
	case "False", "false":
		p.out = append(p.out, "false"...)
	case "None", "null":
		p.out = append(p.out, "null"...)
	default:
		word = bytes.TrimPrefix(word, []byte("+"))
		var ok bool
		p.out, ok = number(p.out, word, typeNumber)
		return ok
	}
	return true
}
