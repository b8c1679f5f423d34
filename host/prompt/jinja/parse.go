package jinja

import "slices"

// statementParser reads text and tags.
type statementParser struct {
	expressionParser
	// loops is how many for blocks of the same function are open: break and
	// continue stand in one.
	loops int
}

// statements reads up to a block tag whose name is one of ends, and consumes
// that name.
func (p *statementParser) statements(ends ...string) ([]statement, string) {
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

func (p *statementParser) statement() statement {
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
func (p *statementParser) plainBlock(name string) statement {
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
func (p *statementParser) inner(read func() ([]statement, string)) ([]statement, string) {
	soft := p.soft
	p.soft = false
	defer func() { p.soft = soft }()
	return read()
}

func (p *statementParser) ifStatement(line int) statement {
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

func (p *statementParser) forStatement(line int) statement {
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

func (p *statementParser) setStatement(line int) statement {
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

func (p *statementParser) macroStatement(line int) statement {
	node := &macroNode{line: line, name: p.anyName()}
	p.signature(node)
	p.expectEnd(tokenBlockEnd)
	p.function(node, "endmacro")
	return node
}

// function reads the body of a macro or of a call block.
func (p *statementParser) function(node *macroNode, end string) {
	from, loops := p.at, p.loops
	p.loops = 0
	node.body, _ = p.inner(func() ([]statement, string) { return p.statements(end) })
	p.loops = loops
	for i, t := range p.tokens[from:p.at] {
		member := i > 0 && p.tokens[from+i-1].kind == tokenOperator && p.tokens[from+i-1].text == "."
		if t.kind == tokenName && !member {
			node.takesMore = node.takesMore || t.text == "varargs"
			node.takesNamed = node.takesNamed || t.text == "kwargs"
			node.takesCaller = node.takesCaller || t.text == "caller"
		}
	}
	p.expectEnd(tokenBlockEnd)
}

func (p *statementParser) signature(node *macroNode) {
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

func (p *statementParser) callStatement(line int) statement {
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

func (p *statementParser) filterStatement(line int) statement {
	p.at-- // the filter's name stands where a | would
	p.tokens[p.at] = token{tokenOperator, "|", line}
	node := &filterBlockNode{line: line, filter: p.filters(nil)}
	p.expectEnd(tokenBlockEnd)
	node.body, _ = p.inner(func() ([]statement, string) { return p.statements("endfilter") })
	p.expectEnd(tokenBlockEnd)
	return node
}

func (p *statementParser) withStatement(line int) statement {
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
func (p *statementParser) assignTarget() target {
	if p.peek().kind == tokenName && p.tokens[p.at+1].kind == tokenOperator && p.tokens[p.at+1].text == "." {
		name := p.anyName()
		p.next()
		return target{name: name, member: p.anyName()}
	}
	return p.target("=")
}

// target reads a name, or several with commas between.
func (p *statementParser) target(end string) target {
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

func (p *statementParser) targetName() string {
	name := p.anyName()
	if slices.Contains([]string{"true", "false", "none", "True", "False", "None"}, name) {
		p.failf("can't assign to %q", name)
	}
	return name
}
