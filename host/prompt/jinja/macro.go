package jinja

import "slices"

// macro is a macro, or the body of a call block, with the scope in which it was
// requireDefined.
type macro struct {
	*macroNode
	scope *scope
}

func (n *macroNode) exec(r *rendering) jump {
	r.scope.set(n.name, &macro{n, r.scope})
	return jumpNone
}

func (n *callNode) exec(r *rendering) jump {
	callee := n.call.callee.eval(r)
	args := n.call.args.eval(r)
	caller := &macro{n.caller, r.scope}
	r.line = n.line
	m, ok := callee.(*macro)
	if !ok {
		requireDefined(r, callee)
		r.failf("call needs a macro, not '%s'", typeName(callee))
	}
	r.emit(stringOf(r, m.call(r, args, caller)))
	return jumpNone
}

// callValue renders the macro's body. caller is what a call block holds, or nil.
func (m *macro) call(r *rendering, a *arguments, caller *macro) Value {
	r.enter()
	defer r.leave()
	beforeScope, beforeOut := r.scope, r.out
	r.scope, r.out = &scope{parent: m.scope}, &output{}
	m.bind(r, a, caller)
	r.run(m.body)
	text := r.out.text.String()
	r.scope, r.out = beforeScope, beforeOut
	return text
}

// bind gives the parameters their values.
func (m *macro) bind(r *rendering, a *arguments, caller *macro) {
	r.spend(len(m.params) + len(m.params)*len(a.names)/8)
	for i, p := range m.params {
		switch v, ok := a.keyword(i, p.name); {
		case ok:
			r.scope.set(p.name, v)
		case p.value != nil:
			r.scope.set(p.name, p.value.eval(r))
		default:
			r.scope.set(p.name, undefined{"parameter '" + p.name + "' was not provided"})
		}
	}
	m.bindRest(r, a, caller)
	if m.takesCaller && !m.has("caller") {
		r.scope.set("caller", undefined{"No caller defined"})
		if caller != nil {
			r.scope.set("caller", caller)
		}
	} else if caller != nil && !m.takesNamed && !m.has("caller") {
		r.failf("macro '%s' was invoked with two values for the special caller argument", m.name)
	}
}

// bindRest keeps the arguments that no parameter takes, or refuses them.
func (m *macro) bindRest(r *rendering, a *arguments, caller *macro) {
	var rest []Value
	if len(a.positional) > len(m.params) {
		rest = a.positional[len(m.params):]
	}
	if m.takesMore {
		r.scope.set("varargs", tuple(rest))
	} else if len(rest) > 0 {
		r.failf("macro '%s' takes not more than %d argument(s)", m.name, len(m.params))
	}
	named := &Dict{}
	for i, name := range a.names {
		if at := slices.IndexFunc(m.params, func(p parameter) bool { return p.name == name }); at < 0 {
			named.set(name, a.named[i])
		} else if at < len(a.positional) {
			r.failf("macro '%s' got multiple values for argument '%s'", m.name, name)
		}
	}
	switch {
	case m.takesNamed:
		if caller != nil && !m.takesCaller {
			named.set("caller", caller)
		}
		r.scope.set("kwargs", named)
	case len(named.keys) == 1 && named.keys[0] == "caller" && m.takesCaller:
		r.scope.set("caller", named.values[0])
	case len(named.keys) > 0:
		r.failf("macro '%s' takes no keyword argument '%s'", m.name, stringOf(r, named.keys[0]))
	}
}

func (m *macro) has(name string) bool {
	return slices.ContainsFunc(m.params, func(p parameter) bool { return p.name == name })
}

// parameterNames is what a template sees as the macro's arguments.
func (m *macro) parameterNames() tuple {
	names := make(tuple, len(m.params))
	for i, p := range m.params {
		names[i] = p.name
	}
	return names
}
