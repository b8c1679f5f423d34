package jinja

import (
	"math/big"
	"strings"
	"unicode"
)

// test is one of Jinja's tests; a holds the arguments behind the input.
type test func(r *rendering, input Value, a *arguments) bool

func (e *testExpr) eval(r *rendering) Value {
	input := e.input.eval(r)
	args := e.args.eval(r)
	r.step()
	r.line = e.line
	if e.run == nil {
		r.failf("no test named '%s'", e.name)
	}
	return e.run(r, input, args) != e.negated
}

// comparing makes a test of a comparison.
func comparing(op string) test {
	return func(r *rendering, v Value, a *arguments) bool {
		if len(a.positional) != 1 {
			r.failf("the test needs one value to compare with")
		}
		return compareValues(r, op, v, a.positional[0])
	}
}

// ofType makes a test of what Python calls the value's type.
func ofType(names ...string) test {
	return func(_ *rendering, v Value, _ *arguments) bool {
		for _, name := range names {
			if typeName(v) == name {
				return true
			}
		}
		return false
	}
}

func ofCase(same func(string) string) test {
	return func(r *rendering, v Value, _ *arguments) bool {
		s := stringOf(r, v)
		r.sized(len(s))
		r.walk(s)
		return strings.ContainsFunc(s, unicode.IsLetter) && same(s) == s
	}
}

var tests map[string]test

func init() {
	tests = map[string]test{
		"boolean": ofType("bool"), "string": ofType("str", "Markup"), "none": ofType("NoneType"), "mapping": ofType("dict"),
		"integer": ofType("int"), "float": ofType("float"), "number": ofType("int", "float", "bool"), "undefined": ofType("Undefined"),
		"escaped": ofType("Markup"),
		"defined": func(_ *rendering, v Value, _ *arguments) bool { _, missing := v.(undefined); return !missing },
		"true":    func(_ *rendering, v Value, _ *arguments) bool { return v == true },
		"false":   func(_ *rendering, v Value, _ *arguments) bool { return v == false },
		"callable": func(_ *rendering, v Value, _ *arguments) bool {
			switch v.(type) {
			case *function, *macro, *loopState, undefined:
				return true
			}
			return false
		},
		"iterable": isIterable, "sequence": isSequence, "sameas": isSame, "divisibleby": isDivisible,
		"even": func(r *rendering, v Value, _ *arguments) bool {
			return equal(r, binaryOperation(r, "%", v, int64(2)), int64(0))
		},
		"odd": func(r *rendering, v Value, _ *arguments) bool {
			return equal(r, binaryOperation(r, "%", v, int64(2)), int64(1))
		},
		"lower": ofCase(lower), "upper": ofCase(upper),
		"filter": func(r *rendering, v Value, _ *arguments) bool { return filters[nameOf(r, v)] != nil },
		"test":   func(r *rendering, v Value, _ *arguments) bool { return tests[nameOf(r, v)] != nil },
		"in":     func(r *rendering, v Value, a *arguments) bool { return comparing("in")(r, v, a) },
		"eq":     comparing("=="), "==": comparing("=="), "equalto": comparing("=="), "ne": comparing("!="), "!=": comparing("!="),
		"lt": comparing("<"), "<": comparing("<"), "lessthan": comparing("<"), "le": comparing("<="), "<=": comparing("<="),
		"gt": comparing(">"), ">": comparing(">"), "greaterthan": comparing(">"), "ge": comparing(">="), ">=": comparing(">="),
	}
}

// nameOf is a value's text, to be looked up.
func nameOf(r *rendering, v Value) string {
	s := stringOf(r, v)
	r.scan(s)
	return s
}

func isIterable(_ *rendering, v Value, _ *arguments) bool {
	switch v.(type) {
	case *iterator, *loopState:
		return true
	}
	return hasLength(v)
}

// isSequence is true for what has a length and can be subscripted: mappings, too.
func isSequence(_ *rendering, v Value, _ *arguments) bool {
	switch v.(type) {
	case *dictView, *loopState:
		return false
	}
	return hasLength(v)
}

func isSame(r *rendering, v Value, a *arguments) bool {
	if len(a.positional) != 1 {
		r.failf("sameas needs a value")
	}
	switch other := a.positional[0]; x := v.(type) {
	case tuple, markup:
		return false
	case *big.Int:
		return equal(r, x, other)
	default:
		if typeName(v) != typeName(other) {
			return false
		}
		r.scanTexts([]Value{v})
		return v == other
	}
}

func isDivisible(r *rendering, v Value, a *arguments) bool {
	if len(a.positional) != 1 {
		r.failf("divisibleby needs a number")
	}
	return equal(r, binaryOperation(r, "%", v, a.positional[0]), int64(0))
}
