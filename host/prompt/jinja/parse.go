package jinja

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// maxNesting is how deep expressions and statements may nest in a template's
// source. Published templates stay below thirty.
const maxNesting = 150

// maxOperators is how many operators, filters, members and calls one tag may
// have: each can nest the one before. Published templates stay below a hundred.
const maxOperators = 2000

type parser struct {
	tokens    []token
	at        int
	depth     int
	operators int // of the tag that is read
	// soft says that an unknown filter or test is an error only where it is
	// reached: in branches of a condition. Elsewhere it is kept in unknown.
	soft    bool
	unknown []*SyntaxError
	// loops is how many for blocks of the same function are open: break and
	// continue stand in one.
	loops int
}

// parseFailure is thrown by the parser and caught in Compile.
type parseFailure struct{ err *SyntaxError }

func (p *parser) failf(format string, args ...any) {
	panic(parseFailure{&SyntaxError{Line: p.peek().line, Message: fmt.Sprintf(format, args...)}})
}

func (p *parser) peek() *token { return &p.tokens[p.at] }

func (p *parser) next() *token {
	t := &p.tokens[p.at]
	if t.kind != tokenEnd {
		p.at++
	}
	return t
}

func (p *parser) isName(names ...string) bool {
	t := p.peek()
	return t.kind == tokenName && slices.Contains(names, t.text)
}

func (p *parser) isOperator(ops ...string) bool {
	t := p.peek()
	return t.kind == tokenOperator && slices.Contains(ops, t.text)
}

func (p *parser) skipName(name string) bool {
	if p.isName(name) {
		p.at++
		return true
	}
	return false
}

func (p *parser) skipOperator(op string) bool {
	if p.isOperator(op) {
		p.at++
		return true
	}
	return false
}

func (p *parser) expectOperator(op string) {
	if !p.skipOperator(op) {
		p.failf("%q expected, not %s", op, p.peek().describe())
	}
}

func (p *parser) expectName(name string) {
	if !p.skipName(name) {
		p.failf("%q expected, not %s", name, p.peek().describe())
	}
}

func (p *parser) anyName() string {
	t := p.next()
	if t.kind != tokenName {
		p.at--
		p.failf("a name expected, not %s", t.describe())
	}
	return t.text
}

func (p *parser) expectEnd(kind tokenKind) {
	if p.peek().kind != kind {
		p.failf("the end of the tag expected, not %s", p.peek().describe())
	}
	p.next()
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
func (p *parser) enter() func() {
	p.depth++
	if p.depth > maxNesting {
		p.failf("nested more than %d deep", maxNesting)
	}
	return func() { p.depth-- }
}

// operator counts one, so that no expression nests too deeply to be evaluated.
func (p *parser) operator() {
	p.operators++
	if p.operators > maxOperators {
		p.failf("more than %d operators in one tag", maxOperators)
	}
}

// statements reads up to a block tag whose name is one of ends, and consumes
// that name.
func (p *parser) statements(ends ...string) ([]statement, string) {
	defer p.enter()()
	var body []statement
	for {
		p.operators = 0
		switch t := p.peek(); t.kind {
		case tokenEnd:
			if len(ends) > 0 {
				p.failf("the template ends, and a block is open that %q closes", ends[len(ends)-1])
			}
			return body, ""
		case tokenData:
			body = append(body, textNode(p.next().text))
		case tokenVariableBegin:
			p.next()
			line := p.peek().line
			e := p.tupleOrExpression(true)
			p.expectEnd(tokenVariableEnd)
			body = append(body, &outputNode{line, e})
		default:
			p.next()
			if p.isName(ends...) {
				return body, p.next().text
			}
			if s := p.statement(); s != nil {
				body = append(body, s)
			}
		}
	}
}

func (p *parser) statement() statement {
	line := p.peek().line
	name := p.anyName()
	switch name {
	case "if":
		return p.ifStatement(line)
	case "for":
		return p.forStatement(line)
	case "set":
		return p.setStatement(line)
	case "macro":
		return p.macroStatement(line)
	case "call":
		return p.callStatement(line)
	case "filter":
		return p.filterStatement(line)
	case "with":
		return p.withStatement(line)
	case "generation", "block":
		return p.plainBlock(name)
	case "print":
		e := p.tupleOrExpression(true)
		p.expectEnd(tokenBlockEnd)
		return &outputNode{line, e}
	case "break", "continue":
		if p.loops == 0 {
			p.failf("%s outside a loop", name)
		}
		p.expectEnd(tokenBlockEnd)
		return &jumpNode{name == "break"}
	}
	p.at--
	p.failf("unknown tag %q", name)
	return nil
}

// plainBlock reads a block that renders what it holds and no more.
func (p *parser) plainBlock(name string) statement {
	if name == "block" {
		p.anyName()
		p.skipName("scoped")
		p.skipName("required")
	}
	p.expectEnd(tokenBlockEnd)
	body, _ := p.inner(func() ([]statement, string) { return p.statements("end" + name) })
	if name == "block" && p.peek().kind == tokenName {
		p.next()
	}
	p.expectEnd(tokenBlockEnd)
	return &scopeNode{body: body}
}

// inner reads with a frame of its own, in which unknown filters are errors again.
func (p *parser) inner(read func() ([]statement, string)) ([]statement, string) {
	soft := p.soft
	p.soft = false
	defer func() { p.soft = soft }()
	return read()
}

func (p *parser) ifStatement(line int) statement {
	node := &ifNode{}
	soft := p.soft
	p.soft = true
	defer func() { p.soft = soft }()
	for end := "elif"; end == "elif"; {
		branch := ifBranch{line: line, test: p.tupleOrExpression(false)}
		p.expectEnd(tokenBlockEnd)
		branch.body, end = p.statements("elif", "else", "endif")
		node.branches = append(node.branches, branch)
		if end == "else" {
			p.expectEnd(tokenBlockEnd)
			node.otherwise, end = p.statements("endif")
		}
	}
	p.expectEnd(tokenBlockEnd)
	return node
}

func (p *parser) forStatement(line int) statement {
	node := &forNode{line: line}
	node.target = p.target("in")
	p.expectName("in")
	node.iterable = p.tupleOf(p.orExpression, "recursive")
	if p.skipName("if") {
		node.filter = p.expression()
	}
	node.recursive = p.skipName("recursive")
	p.expectEnd(tokenBlockEnd)
	var end string
	p.loops++
	node.body, end = p.inner(func() ([]statement, string) { return p.statements("else", "endfor") })
	p.loops--
	if end == "else" {
		p.expectEnd(tokenBlockEnd)
		node.otherwise, _ = p.inner(func() ([]statement, string) { return p.statements("endfor") })
	}
	p.expectEnd(tokenBlockEnd)
	return node
}

func (p *parser) setStatement(line int) statement {
	target := p.assignTarget()
	if p.skipOperator("=") {
		e := p.tupleOrExpression(true)
		p.expectEnd(tokenBlockEnd)
		return &setNode{line, target, e}
	}
	node := &setBlockNode{line: line, target: target, filter: p.filters(nil)}
	p.expectEnd(tokenBlockEnd)
	node.body, _ = p.inner(func() ([]statement, string) { return p.statements("endset") })
	p.expectEnd(tokenBlockEnd)
	return node
}

func (p *parser) macroStatement(line int) statement {
	node := &macroNode{line: line, name: p.anyName()}
	p.signature(node)
	p.expectEnd(tokenBlockEnd)
	p.function(node, "endmacro")
	return node
}

// function reads the body of a macro or of a call block.
func (p *parser) function(node *macroNode, end string) {
	from, loops := p.at, p.loops
	p.loops = 0
	node.body, _ = p.inner(func() ([]statement, string) { return p.statements(end) })
	p.loops = loops
	for _, t := range p.tokens[from:p.at] {
		if t.kind == tokenName {
			node.takesMore = node.takesMore || t.text == "varargs"
			node.takesNamed = node.takesNamed || t.text == "kwargs"
			node.takesCaller = node.takesCaller || t.text == "caller"
		}
	}
	p.expectEnd(tokenBlockEnd)
}

func (p *parser) signature(node *macroNode) {
	p.expectOperator("(")
	for !p.skipOperator(")") {
		if len(node.params) > 0 {
			p.expectOperator(",")
			if p.skipOperator(")") {
				return
			}
		}
		param := parameter{name: p.anyName()}
		if p.skipOperator("=") {
			param.value = p.expression()
		} else if n := len(node.params); n > 0 && node.params[n-1].value != nil {
			p.failf("parameter %q without a default follows one with a default", param.name)
		}
		node.params = append(node.params, param)
	}
}

func (p *parser) callStatement(line int) statement {
	node := &callNode{line: line, caller: &macroNode{line: line, name: "caller"}}
	if p.isOperator("(") {
		p.signature(node.caller)
	}
	call, ok := p.expression().(*callExpr)
	if !ok {
		p.failf("a call expected")
	}
	node.call = call
	p.expectEnd(tokenBlockEnd)
	p.function(node.caller, "endcall")
	return node
}

func (p *parser) filterStatement(line int) statement {
	p.at-- // the filter's name stands where a | would
	p.tokens[p.at] = token{tokenOperator, "|", line}
	node := &filterBlockNode{line: line, filter: p.filters(nil)}
	p.expectEnd(tokenBlockEnd)
	node.body, _ = p.inner(func() ([]statement, string) { return p.statements("endfilter") })
	p.expectEnd(tokenBlockEnd)
	return node
}

func (p *parser) withStatement(line int) statement {
	node := &scopeNode{}
	for p.peek().kind != tokenBlockEnd {
		if len(node.targets) > 0 {
			p.expectOperator(",")
		}
		node.targets = append(node.targets, p.target("="))
		p.expectOperator("=")
		node.values = append(node.values, p.expression())
	}
	p.expectEnd(tokenBlockEnd)
	node.line = line
	node.body, _ = p.inner(func() ([]statement, string) { return p.statements("endwith") })
	p.expectEnd(tokenBlockEnd)
	return node
}

// assignTarget reads what set assigns to: names, or a member of a namespace.
func (p *parser) assignTarget() target {
	if p.peek().kind == tokenName && p.tokens[p.at+1].kind == tokenOperator && p.tokens[p.at+1].text == "." {
		name := p.anyName()
		p.next()
		return target{name: name, member: p.anyName()}
	}
	return p.target("=")
}

// target reads a name, or several with commas between.
func (p *parser) target(end string) target {
	var list []target
	single := true
	for {
		if p.isOperator(")") || p.isOperator(end) || p.isName(end) {
			break
		}
		if p.skipOperator("(") {
			list = append(list, p.target(")"))
			p.expectOperator(")")
		} else {
			list = append(list, target{name: p.targetName()})
		}
		if !p.skipOperator(",") {
			break
		}
		single = false
	}
	switch {
	case len(list) == 0:
		p.failf("a name expected, not %s", p.peek().describe())
	case single:
		return list[0]
	}
	return target{list: list}
}

func (p *parser) targetName() string {
	name := p.anyName()
	if slices.Contains([]string{"true", "false", "none", "True", "False", "None"}, name) {
		p.failf("can't assign to %q", name)
	}
	return name
}

// tupleOrExpression reads an expression, or several with commas between: a
// tuple.
func (p *parser) tupleOrExpression(withCondition bool) expr {
	if withCondition {
		return p.tupleOf(p.expression, "")
	}
	return p.tupleOf(p.orExpression, "")
}

func (p *parser) tupleOf(read func() expr, end string) expr {
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

func (p *parser) expression() expr {
	defer p.enter()()
	unknown := len(p.unknown)
	e := p.orExpression()
	for p.isName("if") {
		p.operator()
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

func (p *parser) orExpression() expr {
	left := p.andExpression()
	for p.skipName("or") {
		p.operator()
		left = &logicExpr{left, p.andExpression(), true}
	}
	return left
}

func (p *parser) andExpression() expr {
	left := p.notExpression()
	for p.skipName("and") {
		p.operator()
		left = &logicExpr{left, p.notExpression(), false}
	}
	return left
}

func (p *parser) notExpression() expr {
	if p.isName("not") {
		defer p.enter()()
		p.next()
		return &notExpr{p.notExpression()}
	}
	return p.comparison()
}

func (p *parser) comparison() expr {
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

func (p *parser) binary(read func() expr, ops ...string) expr {
	left := read()
	for p.isOperator(ops...) {
		p.operator()
		t := p.next()
		left = &binaryExpr{t.line, t.text, left, read()}
	}
	return left
}

func (p *parser) sum() expr { return p.binary(p.concatenation, "+", "-") }

func (p *parser) concatenation() expr {
	items := []expr{p.product()}
	for p.skipOperator("~") {
		items = append(items, p.product())
	}
	if len(items) == 1 {
		return items[0]
	}
	return &concatExpr{items}
}

func (p *parser) product() expr { return p.binary(p.power, "*", "/", "//", "%") }

func (p *parser) power() expr {
	return p.binary(func() expr { return p.unary(true) }, "**")
}

func (p *parser) unary(withFilter bool) expr {
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

func (p *parser) primary() expr {
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

func (p *parser) integer(text string) Value {
	i, ok := new(big.Int).SetString(strings.ReplaceAll(text, "_", ""), 0)
	if ok && (len(text) < 2 || text[0] != '0' || text[1] > '9') {
		return whole(i)
	}
	if i, ok = new(big.Int).SetString(strings.ReplaceAll(text, "_", ""), 10); !ok {
		p.failf("%q is no number", text)
	}
	return whole(i)
}

func (p *parser) parenthesised() expr {
	if p.skipOperator(")") {
		return &tupleExpr{}
	}
	e := p.tupleOf(p.expression, "")
	p.expectOperator(")")
	return e
}

func (p *parser) listLiteral() expr {
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

func (p *parser) dictLiteral() expr {
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

func (p *parser) postfix(e expr) expr {
	for {
		p.operator()
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

func (p *parser) member(e expr) expr {
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

func (p *parser) subscript(e expr) expr {
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

func (p *parser) subscripted() expr {
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

func (p *parser) call(callee expr) *callExpr {
	e := &callExpr{line: p.peek().line, callee: callee}
	p.arguments(&e.args)
	return e
}

// arguments reads a list of arguments in parentheses.
func (p *parser) arguments(a *argumentExprs) {
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
func (p *parser) filterExpression(e expr) expr {
	for {
		p.operator()
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
func (p *parser) filters(e expr) expr {
	for p.isOperator("|") {
		p.operator()
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

func (p *parser) dottedName() string {
	name := p.anyName()
	for p.skipOperator(".") {
		name += "." + p.anyName()
	}
	return name
}

func (p *parser) test(e expr) expr {
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
func (p *parser) known(is bool, what, name string) {
	if !is && !p.soft {
		p.unknown = append(p.unknown, &SyntaxError{Line: p.peek().line, Message: fmt.Sprintf("no %s named %q", what, name)})
	}
}
