package pycall

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/builtin/internal/toolname"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// readToken reads the byte at i, or as far as a string goes on. It answers where to go
// on, and false where no list has that byte.
func (r *Reader) readToken(b []byte, i int) (next int, ok bool) {
	switch c := b[i]; r.state {
	case inString, inKeyString:
		return r.readString(b, i), true
	case inEscape, inKeyEscape, inTripleEscape:
		r.state--
		return i + 1, true
	case afterQuote:
		return r.readAfterQuote(c, i)
	case inTriple:
		r.readTriple(c, i)
		return i + 1, true
	case inName:
		return r.readName(b, i)
	case inKey:
		if isIdent(c) {
			return i + 1, true
		}
		r.addPart(key, i)
		r.state = atEquals
		return i, true
	case inWord:
		if isWord(c) {
			return i + 1, true
		}
		ok := isConstant(b[r.word:i])
		r.endValue(literal, i)
		return i, ok
	default:
		if scan.IsSpace(c) {
			return i + 1, true
		}
		if r.state == afterCall && r.form.Lines && !beginsIdent(c) {
			r.state = finished
			return i, true
		}
		if !r.readPunctuation(c, i) {
			return i, false
		}
		return i + 1, true
	}
}

// readPunctuation reads a byte between two tokens that is no white space.
func (r *Reader) readPunctuation(c byte, i int) bool {
	switch r.state {
	case atOpen:
		return r.goToIf(c == '[', atCall)
	case atCall:
		return r.beginIdent(c, i, inName)
	case atArg:
		if c == ')' {
			return r.endCall()
		}
		return r.beginIdent(c, i, inKey)
	case atEquals:
		return r.goToIf(c == '=', atValue)
	case atColon:
		return r.goToIf(c == ':', atValue)
	case atComma:
		if c == ')' && len(r.stack) == 0 {
			return r.endCall()
		}
		return r.readAfterValue(c, i)
	case atItem:
		return r.readItem(c, i)
	case atValue:
		return r.beginValue(c, i)
	case afterCall:
		return r.readAfterCall(c, i)
	}
	return false
}

// goToIf goes on in that state if the byte is the one that must come.
func (r *Reader) goToIf(ok bool, s state) bool {
	if ok {
		r.state = s
	}
	return ok
}

// beginIdent begins an identifier, which is read in that state.
func (r *Reader) beginIdent(c byte, i int, s state) bool {
	r.from = i
	return r.goToIf(beginsIdent(c), s)
}

// endCall ends a call at its parenthesis.
func (r *Reader) endCall() bool {
	r.parts = append(r.parts, part{kind: callEnd})
	r.calls, r.state = len(r.parts), afterCall
	return true
}

// readAfterCall reads what separates calls, or ends the list of them.
func (r *Reader) readAfterCall(c byte, i int) bool {
	switch {
	case r.form.Lines:
		return r.beginIdent(c, i, inName)
	case c == ',':
		r.state = atCall
	case c == ']':
		r.state = finished
	default:
		return false
	}
	return true
}

// readItem reads the first byte of an item, or the closer of what holds the items.
// The keys of a dictionary are strings.
func (r *Reader) readItem(c byte, i int) bool {
	switch {
	case c == r.stack[len(r.stack)-1]:
		r.closeBracket(i)
		return true
	case r.inDictionary() && c != '"' && c != '\'':
		return false
	}
	return r.beginValue(c, i)
}

// beginValue reads a value's first byte, or that of a dictionary's key.
func (r *Reader) beginValue(c byte, i int) bool {
	if len(r.stack) == 0 {
		r.from = i
	}
	switch {
	case c == '"' || c == '\'':
		r.quote = c
		if r.state == atItem && r.inDictionary() {
			r.state = inKeyString
		} else {
			r.state = inString
		}
		return true
	case c == '[':
		return r.openBracket(']')
	case c == '(':
		return r.openBracket(')')
	case c == '{':
		return r.openBracket('}')
	}
	r.word, r.state = i, inWord
	return isWord(c)
}

func (r *Reader) openBracket(closer byte) bool {
	r.stack = append(r.stack, closer)
	r.state = atItem
	return len(r.stack) <= maxDepth
}

// closeBracket closes the innermost list, tuple or dictionary, whose closer is at i.
func (r *Reader) closeBracket(i int) {
	r.stack = r.stack[:len(r.stack)-1]
	r.endValue(literal, i+1)
}

func (r *Reader) inDictionary() bool { return r.stack[len(r.stack)-1] == '}' }

// readAfterValue reads the byte behind a value.
func (r *Reader) readAfterValue(c byte, i int) bool {
	switch depth := len(r.stack); {
	case depth == 0 && c == ',':
		r.state = atArg
	case depth > 0 && c == ',':
		r.state = atItem
	case depth > 0 && c == r.stack[depth-1]:
		r.closeBracket(i)
	default:
		return false
	}
	return true
}

// endValue ends a value in front of place to. An argument's value is a part.
func (r *Reader) endValue(k kind, to int) {
	if len(r.stack) == 0 {
		r.addPart(k, to)
	}
	r.state = atComma
}

// addPart adds the token that ends in front of place to.
func (r *Reader) addPart(k kind, to int) {
	r.parts = append(r.parts, part{k, r.from, to - r.from})
}

// readString reads on in a string.
func (r *Reader) readString(b []byte, i int) int {
	for i < len(b) && b[i] != r.quote && b[i] != '\\' {
		i++
	}
	switch {
	case i == len(b):
		return i
	case b[i] == '\\':
		r.state++
	case r.state == inKeyString:
		r.state = atColon
	case len(r.stack) > 0:
		r.state = atComma
	default:
		r.ends, r.state = i, afterQuote
	}
	return i + 1
}

// readAfterQuote reads what follows a mark in an argument's string: it ended the string,
// was the second of three that begin one, or is data.
func (r *Reader) readAfterQuote(c byte, i int) (next int, ok bool) {
	switch {
	case c == r.quote && i == r.ends+1 && i == r.from+2:
		r.from, r.ends, r.state = i+1, 0, inTriple
		return i + 1, true
	case scan.IsSpace(c):
		return i + 1, true
	case c == ',' || c == ')':
		r.from++
		r.endValue(text, r.ends)
		return i, true
	}
	r.state = inString
	return i, isIdent(c) || c != r.quote && (c == '"' || c == '\'' || c == '`') || c == '!' || c == '?' || c == ';'
}

// readTriple reads a byte of a string between three marks each.
func (r *Reader) readTriple(c byte, i int) {
	switch {
	case c == '\\':
		r.state, r.ends = inTripleEscape, 0
	case c != r.quote:
		r.ends = 0
	case r.ends < 2:
		r.ends++
	default:
		r.endValue(text, i-2)
	}
}

// readName reads on in a call's name, up to its parenthesis.
func (r *Reader) readName(b []byte, i int) (next int, ok bool) {
	switch c := b[i]; {
	case c == '(' && r.form.Only && !toolname.Offers(r.form.Tools, b[r.from:i]):
		return i, false
	case c == '(':
		r.addPart(name, i)
		r.state = atArg
	case !isIdent(c) && !(r.form.Dotted && (c == '.' || c == '-')) && !toolname.MayOffer(r.form.Tools, b[r.from:i+1]):
		return i, false
	}
	return i + 1, true
}

// beginsIdent says whether an identifier may begin with c. Bytes of letters beyond
// ASCII count.
func beginsIdent(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func isIdent(c byte) bool { return beginsIdent(c) || c >= '0' && c <= '9' }

// isWord says whether c may stand in a number or a constant.
func isWord(c byte) bool { return isIdent(c) && c < 0x80 || c == '+' || c == '-' || c == '.' }

// isConstant says whether word is a number or a constant.
func isConstant(word []byte) bool {
	switch string(word) {
	case "True", "False", "None", "true", "false", "null":
		return true
	}
	word = bytes.TrimPrefix(word, []byte("+"))
	if len(word) == 0 || word[0] != '-' && (word[0] < '0' || word[0] > '9') {
		return false
	}
	var number scan.JSON
	n, status := number.Scan(word)
	return status == scan.More && n == len(word) && number.AtEnd()
}
