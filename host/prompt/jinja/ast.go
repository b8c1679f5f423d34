package jinja

// expr is an expression.
type expr interface {
	eval(r *rendering) Value
}

type (
	constExpr struct{ value Value }
	nameExpr  struct {
		line int
		name string
	}
	listExpr  struct{ items []expr }
	tupleExpr struct{ items []expr }
	dictExpr  struct {
		line         int
		keys, values []expr
	}
	attributeExpr struct {
		line  int
		owner expr
		name  string
	}
	itemExpr struct {
		line       int
		owner, key expr
	}
	// sliceExpr stands in an itemExpr only: start, stop and step, each may lack.
	sliceExpr struct{ parts [3]expr }
	callExpr  struct {
		line   int
		callee expr
		args   argumentExprs
	}
	unaryExpr struct {
		line    int
		op      string
		operand expr
	}
	binaryExpr struct {
		line        int
		op          string
		left, right expr
	}
	concatExpr  struct{ items []expr }
	compareExpr struct {
		first expr
		rest  []comparand
	}
	comparand struct {
		line  int
		op    string
		value expr
	}
	logicExpr struct {
		left, right expr
		isOr        bool
	}
	notExpr       struct{ operand expr }
	conditionExpr struct {
		line                  int
		test, then, otherwise expr
	}
	filterExpr struct {
		line  int
		name  string
		input expr // nil: what the block holds
		args  argumentExprs
		run   filter
	}
	testExpr struct {
		line    int
		name    string
		input   expr
		args    argumentExprs
		negated bool
		run     test
	}
)

// argumentExprs are the arguments of a call, a filter or a test.
type argumentExprs struct {
	positional          []expr
	names               []string
	named               []expr
	spread, spreadNamed expr
}

// jump says how a block was left.
type jump uint8

const (
	jumpNone jump = iota
	jumpBreak
	jumpContinue
)

// statement is text or a tag.
type statement interface {
	exec(r *rendering) jump
}

type (
	textNode   string
	outputNode struct {
		line  int
		value expr
	}
	ifBranch struct {
		line int
		test expr
		body []statement
	}
	ifNode struct {
		branches  []ifBranch
		otherwise []statement
	}
	forNode struct {
		line             int
		target           target
		iterable, filter expr
		recursive        bool
		body, otherwise  []statement
	}
	setNode struct {
		line   int
		target target
		value  expr
	}
	setBlockNode struct {
		line   int
		target target
		filter expr
		body   []statement
	}
	macroNode struct {
		line                               int
		name                               string
		params                             []parameter
		body                               []statement
		takesMore, takesNamed, takesCaller bool
	}
	callNode struct {
		line   int
		call   *callExpr
		caller *macroNode
	}
	filterBlockNode struct {
		line   int
		filter expr
		body   []statement
	}
	// scopeNode is a with block, or a block that only has a scope of its own.
	scopeNode struct {
		line    int
		targets []target
		values  []expr
		body    []statement
	}
	jumpNode struct{ isBreak bool }
)

type parameter struct {
	name  string
	value expr // the default; nil: none
}

// target is what a value is assigned to: a name, a member of a namespace, or a
// itemsOf of targets.
type target struct {
	name, member string
	list         []target
}
