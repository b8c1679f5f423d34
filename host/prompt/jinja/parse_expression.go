package jinja

import (
	"fmt"
	"strconv"
	"strings"
)

// expressionParser reads expressions, in the order of precedence of the reference.
type expressionParser struct {
	cursor
	// soft says that an unknown filter or test is an error only where it is
	// reached: in branches of a condition. Elsewhere it is kept in unknown.
	soft    bool
	unknown []*SyntaxError
}

// tupleOrExpression reads an expression, or several with commas between: a
// tuple.
func (p *expressionParser) tupleOrExpression(withCondition bool) expr {
	if withCondition {
		return p.tupleOf(p.expression, "")
	}
	return p.tupleOf(p.orExpression, "")
}

func (p *expressionParser) tupleOf(read func() expr, end string) expr {
	var items []expr
	isTuple := false
	for {
		if t := p.peek(); t.kind == tokenVariableEnd || t.kind == tokenBlockEnd || p.isOperator(")") || end != "" && p.isName(end) {
			break
		}
		items = append(items, read())
		if !p.skipOperator(",") {
			break
		}
		isTuple = true
	}
	switch {
	case isTuple:
		return &tupleExpr{items}
	case len(items) == 0:
		p.failf("an expression expected, not %s", p.peek().describe())
	}
	return items[0]
}

func (p *expressionParser) expression() expr {
	defer p.enter()()
	unknown := len(p.unknown)
	e := p.orExpression()
	for p.isName("if") {
		p.countOperator()
		line := p.next().line
		test := p.orExpression()
		var otherwise expr
		if p.skipName("else") {
			otherwise = p.expression()
		}
		p.unknown = p.unknown[:unknown] // it may not be reached
		e = &conditionExpr{line, test, e, otherwise}
	}
	return e
}

func (p *expressionParser) orExpression() expr {
	left := p.andExpression()
	for p.skipName("or") {
		p.countOperator()
		left = &logicExpr{left, p.andExpression(), true}
	}
	return left
}

func (p *expressionParser) andExpression() expr {
	left := p.notExpression()
	for p.skipName("and") {
		p.countOperator()
		left = &logicExpr{left, p.notExpression(), false}
	}
	return left
}

func (p *expressionParser) notExpression() expr {
	if p.isName("not") {
		defer p.enter()()
		p.next()
		return &notExpr{p.notExpression()}
	}
	return p.comparison()
}

func (p *expressionParser) comparison() expr {
	first := p.sum()
	var rest []comparand
	for {
		t := p.peek()
		op := ""
		switch {
		case p.isOperator("==", "!=", "<", "<=", ">", ">="), p.isName("in"):
			op = p.next().text
		case p.isName("not") && p.tokens[p.at+1].kind == tokenName && p.tokens[p.at+1].text == "in":
			p.at += 2
			op = "not in"
		default:
			if len(rest) == 0 {
				return first
			}
			return &compareExpr{first, rest}
		}
		rest = append(rest, comparand{t.line, op, p.sum()})
	}
}

func (p *expressionParser) binary(read func() expr, ops ...string) expr {
	left := read()
	for p.isOperator(ops...) {
		p.countOperator()
		t := p.next()
		left = &binaryExpr{t.line, t.text, left, read()}
	}
	return left
}

func (p *expressionParser) sum() expr { return p.binary(p.concatenation, "+", "-") }

func (p *expressionParser) concatenation() expr {
	items := []expr{p.product()}
	for p.skipOperator("~") {
		items = append(items, p.product())
	}
	if len(items) == 1 {
		return items[0]
	}
	return &concatExpr{items}
}

func (p *expressionParser) product() expr { return p.binary(p.power, "*", "/", "//", "%") }

func (p *expressionParser) power() expr {
	return p.binary(func() expr { return p.unary(true) }, "**")
}

func (p *expressionParser) unary(withFilter bool) expr {
	defer p.enter()()
	var e expr
	if p.isOperator("-", "+") {
		t := p.next()
		e = &unaryExpr{t.line, t.text, p.unary(false)}
	} else {
		e = p.primary()
	}
	e = p.postfix(e)
	if withFilter {
		e = p.filterExpression(e)
	}
	return e
}

var constants = map[string]Value{"true": true, "True": true, "false": false, "False": false, "none": nil, "None": nil}

func (p *expressionParser) primary() expr {
	t := p.next()
	switch t.kind {
	case tokenName:
		if v, ok := constants[t.text]; ok {
			return constExpr{v}
		}
		return &nameExpr{t.line, t.text}
	case tokenString:
		s := t.text
		for p.peek().kind == tokenString {
			s += p.next().text
		}
		return constExpr{s}
	case tokenInteger:
		return constExpr{p.integer(t.text)}
	case tokenFloat:
		f, _ := strconv.ParseFloat(strings.ReplaceAll(t.text, "_", ""), 64)
		return constExpr{f}
	case tokenOperator:
		switch t.text {
		case "(":
			return p.parenthesised()
		case "[":
			return p.listLiteral()
		case "{":
			return p.dictLiteral()
		}
	}
	p.at--
	p.failf("unexpected %s", p.peek().describe())
	return nil
}

func (p *expressionParser) parenthesised() expr {
	if p.skipOperator(")") {
		return &tupleExpr{}
	}
	e := p.tupleOf(p.expression, "")
	p.expectOperator(")")
	return e
}

func (p *expressionParser) listLiteral() expr {
	e := &listExpr{}
	for !p.skipOperator("]") {
		if len(e.items) > 0 {
			p.expectOperator(",")
			if p.skipOperator("]") {
				break
			}
		}
		e.items = append(e.items, p.expression())
	}
	return e
}

func (p *expressionParser) dictLiteral() expr {
	e := &dictExpr{line: p.peek().line}
	for !p.skipOperator("}") {
		if len(e.keys) > 0 {
			p.expectOperator(",")
			if p.skipOperator("}") {
				break
			}
		}
		e.keys = append(e.keys, p.expression())
		p.expectOperator(":")
		e.values = append(e.values, p.expression())
	}
	return e
}

func (p *expressionParser) postfix(e expr) expr {
	for {
		switch {
		case p.isOperator("."):
			e = p.member(e)
		case p.isOperator("["):
			e = p.subscript(e)
		case p.isOperator("("):
			e = p.call(e)
		default:
			return e
		}
	}
}

func (p *expressionParser) member(e expr) expr {
	p.countOperator()
	line := p.next().line
	switch t := p.next(); t.kind {
	case tokenName:
		return &attributeExpr{line, e, t.text}
	case tokenInteger:
		return &itemExpr{line, e, constExpr{p.integer(t.text)}}
	}
	p.at--
	p.failf("a name or a number expected, not %s", p.peek().describe())
	return nil
}

func (p *expressionParser) subscript(e expr) expr {
	p.countOperator()
	line := p.next().line
	var items []expr
	isTuple := false
	for !p.isOperator("]") {
		items = append(items, p.subscripted())
		if !p.skipOperator(",") {
			break
		}
		isTuple = true
	}
	p.expectOperator("]")
	switch {
	case len(items) == 0:
		p.failf("a subscript expected")
	case isTuple:
		return &itemExpr{line, e, &tupleExpr{items}}
	}
	return &itemExpr{line, e, items[0]}
}

func (p *expressionParser) subscripted() expr {
	var parts [3]expr
	n, isSlice := 0, false
	for {
		switch {
		case p.isOperator(":"):
			p.next()
			isSlice = true
			if n++; n > 2 {
				p.failf("too many colons in a slice")
			}
			continue
		case p.isOperator("]", ","):
			if !isSlice {
				return parts[0]
			}
			return &sliceExpr{parts}
		}
		if parts[n] != nil {
			p.failf("unexpected %s", p.peek().describe())
		}
		parts[n] = p.expression()
	}
}

func (p *expressionParser) call(callee expr) *callExpr {
	p.countOperator()
	e := &callExpr{line: p.peek().line, callee: callee}
	p.arguments(&e.args)
	return e
}

// arguments reads a list of arguments in parentheses.
func (p *expressionParser) arguments(a *argumentExprs) {
	p.expectOperator("(")
	for first := true; !p.skipOperator(")"); first = false {
		if !first {
			p.expectOperator(",")
			if p.skipOperator(")") {
				return
			}
		}
		switch {
		case p.skipOperator("*"):
			a.spread = p.expression()
		case p.skipOperator("**"):
			a.spreadNamed = p.expression()
		case p.peek().kind == tokenName && p.tokens[p.at+1].kind == tokenOperator && p.tokens[p.at+1].text == "=":
			name := p.anyName()
			p.next()
			a.names = append(a.names, name)
			a.named = append(a.named, p.expression())
		default:
			if len(a.names) > 0 || a.spread != nil || a.spreadNamed != nil {
				p.failf("a positional argument follows a named one")
			}
			a.positional = append(a.positional, p.expression())
		}
	}
}

// filterExpression reads filters, tests and calls behind an expression.
func (p *expressionParser) filterExpression(e expr) expr {
	for {
		switch {
		case p.isOperator("|"):
			e = p.filters(e)
		case p.isName("is"):
			e = p.test(e)
		case p.isOperator("("):
			e = p.call(e)
		default:
			return e
		}
	}
}

// filters reads a chain of filters; e is nil where a block is filtered.
func (p *expressionParser) filters(e expr) expr {
	for p.isOperator("|") {
		p.countOperator()
		line := p.next().line
		name := p.dottedName()
		f := &filterExpr{line: line, name: name, input: e, run: filters[name]}
		p.known(f.run != nil, "filter", name)
		if p.isOperator("(") {
			p.arguments(&f.args)
		}
		e = f
	}
	return e
}

func (p *expressionParser) test(e expr) expr {
	p.countOperator()
	line := p.next().line
	negated := p.skipName("not")
	node := &testExpr{line: line, input: e, name: p.dottedName(), negated: negated}
	node.run = tests[node.name]
	p.known(node.run != nil, "test", node.name)
	switch t := p.peek(); {
	case p.isOperator("("):
		p.arguments(&node.args)
	case p.isName("is"):
		p.failf("tests can't be chained with is")
	case t.kind == tokenString, t.kind == tokenInteger, t.kind == tokenFloat, p.isOperator("[", "{"),
		t.kind == tokenName && !p.isName("else", "or", "and", "if", "in", "not", "recursive"):
		node.args.positional = []expr{p.postfix(p.primary())}
	}
	return node
}

// known notes a filter or a test that there is not.
func (p *expressionParser) known(is bool, what, name string) {
	if !is && !p.soft {
		p.unknown = append(p.unknown, &SyntaxError{Line: p.peek().line, Message: fmt.Sprintf("no %s named %q", what, name)})
	}
}
