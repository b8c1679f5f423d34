package typing

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// appendPython appends a Python literal as JSON: strings, numbers, True, False,
// None, lists, tuples and dictionaries with string keys. JSON's own words count
// too, as models mix them in. Number tokens stay as they are.
func appendPython(dst, literal []byte) (_ []byte, ok bool) {
	p := pythonReader{rest: jsonx.TrimSpace(literal), out: dst}
	if !p.readValue(0) || len(p.rest) > 0 {
		return dst, false
	}
	return p.out, true
}

type pythonReader struct {
	rest []byte
	out  []byte
}

func (p *pythonReader) skipSpace() { p.rest = jsonx.TrimLeft(p.rest) }

func (p *pythonReader) takeByte(c byte) bool {
	if len(p.rest) == 0 || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

// readValue reads one value and the white space after it.
func (p *pythonReader) readValue(depth int) bool {
	if len(p.rest) == 0 || depth > scan.MaxDepth {
		return false
	}
	var ok bool
	switch c := p.rest[0]; c {
	case '\'', '"':
		ok = p.readString()
	case '[':
		ok = p.readSequence(']', depth)
	case '(':
		ok = p.readSequence(')', depth)
	case '{':
		ok = p.readDict(depth)
	default:
		ok = p.readWord()
	}
	p.skipSpace()
	return ok
}

func (p *pythonReader) readString() bool {
	quote := p.rest[0]
	for i := 1; i < len(p.rest); i++ {
		switch p.rest[i] {
		case '\\':
			i++
		case quote:
			p.out = jsonx.AppendText(p.out, Decode(p.rest[1:i], abi.ReadPythonBody))
			p.rest = p.rest[i+1:]
			return true
		}
	}
	return false
}

// readSequence reads a list or a tuple. (x) is x, as in Python.
func (p *pythonReader) readSequence(closer byte, depth int) bool {
	p.rest = p.rest[1:]
	p.skipSpace()
	start := len(p.out)
	p.out = append(p.out, '[')
	n, comma := 0, true
	for !p.takeByte(closer) {
		if !comma {
			return false
		}
		if n > 0 {
			p.out = append(p.out, ',')
		}
		if !p.readValue(depth + 1) {
			return false
		}
		n++
		comma = p.takeByte(',')
		p.skipSpace()
	}
	if closer == ')' && n == 1 && !comma {
		copy(p.out[start:], p.out[start+1:])
		p.out = p.out[:len(p.out)-1]
		return true
	}
	p.out = append(p.out, ']')
	return true
}

func (p *pythonReader) readDict(depth int) bool {
	p.rest = p.rest[1:]
	p.skipSpace()
	p.out = append(p.out, '{')
	for comma, first := true, true; !p.takeByte('}'); first = false {
		if !comma {
			return false
		}
		if !first {
			p.out = append(p.out, ',')
		}
		if !p.readMember(depth) {
			return false
		}
		comma = p.takeByte(',')
		p.skipSpace()
	}
	p.out = append(p.out, '}')
	return true
}

func (p *pythonReader) readMember(depth int) bool {
	if len(p.rest) == 0 || p.rest[0] != '\'' && p.rest[0] != '"' || !p.readString() {
		return false
	}
	p.skipSpace()
	if !p.takeByte(':') {
		return false
	}
	p.out = append(p.out, ':')
	p.skipSpace()
	return p.readValue(depth + 1)
}

// readWord reads a number or a constant.
func (p *pythonReader) readWord() bool {
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
		p.out, ok = appendNumber(p.out, word, typeNumber)
		return ok
	}
	return true
}
