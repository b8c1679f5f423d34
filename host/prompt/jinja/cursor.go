package jinja

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// cursor goes through the tokens of a template.
type cursor struct {
	tokens    []token
	at        int
	depth     int
	operators int // of the tag that is read
}

// maxNesting is how deep expressions and statements may nest in a template's
// source. Published templates stay below thirty.
const maxNesting = 150

// maxOperators is how many operators, filters, members and calls one tag may
// have: each can nest the one before. Published templates stay below a hundred.
const maxOperators = 2000

// parseFailure is thrown by the parser and caught in Compile.
type parseFailure struct{ err *SyntaxError }

func (c *cursor) failf(format string, args ...any) {
	panic(parseFailure{&SyntaxError{Line: c.peek().line, Message: fmt.Sprintf(format, args...)}})
}

func (c *cursor) peek() *token { return &c.tokens[c.at] }

func (c *cursor) next() *token {
	t := &c.tokens[c.at]
	if t.kind != tokenEnd {
		c.at++
	}
	return t
}

func (c *cursor) isName(names ...string) bool {
	t := c.peek()
	return t.kind == tokenName && slices.Contains(names, t.text)
}

func (c *cursor) isOperator(ops ...string) bool {
	t := c.peek()
	return t.kind == tokenOperator && slices.Contains(ops, t.text)
}

func (c *cursor) skipName(name string) bool {
	if c.isName(name) {
		c.at++
		return true
	}
	return false
}

func (c *cursor) skipOperator(op string) bool {
	if c.isOperator(op) {
		c.at++
		return true
	}
	return false
}

func (c *cursor) expectOperator(op string) {
	if !c.skipOperator(op) {
		c.failf("%q expected, not %s", op, c.peek().describe())
	}
}

func (c *cursor) expectName(name string) {
	if !c.skipName(name) {
		c.failf("%q expected, not %s", name, c.peek().describe())
	}
}

func (c *cursor) anyName() string {
	t := c.next()
	if t.kind != tokenName {
		c.at--
		c.failf("a name expected, not %s", t.describe())
	}
	return t.text
}

func (c *cursor) expectEnd(kind tokenKind) {
	if c.peek().kind != kind {
		c.failf("the end of the tag expected, not %s", c.peek().describe())
	}
	c.next()
}

func (t *token) describe() string {
	switch t.kind {
	case tokenEnd:
		return "the end of the template"
	case tokenVariableEnd, tokenBlockEnd:
		return "the end of the tag"
	case tokenData:
		return "text"
	}
	return strconv.Quote(t.text)
}

// enter counts nesting; leave it with a deferred call of what it gives.
func (c *cursor) enter() func() {
	c.depth++
	if c.depth > maxNesting {
		c.failf("nested more than %d deep", maxNesting)
	}
	return func() { c.depth-- }
}

// countOperator counts one, so that no expression nests too deeply to be evaluated.
func (c *cursor) countOperator() {
	c.operators++
	if c.operators > maxOperators {
		c.failf("more than %d operators in one tag", maxOperators)
	}
}

func (c *cursor) dottedName() string {
	name := c.anyName()
	for c.skipOperator(".") {
		name += "." + c.anyName()
	}
	return name
}

func (c *cursor) integer(text string) Value {
	if len(text) > maxDigits {
		c.failf("a number of too many digits")
	}
	i, ok := new(big.Int).SetString(strings.ReplaceAll(text, "_", ""), 0)
	if ok && (len(text) < 2 || text[0] != '0' || text[1] > '9') {
		return whole(i)
	}
	if i, ok = new(big.Int).SetString(strings.ReplaceAll(text, "_", ""), 10); !ok {
		c.failf("%q is no number", text)
	}
	return whole(i)
}
