package framing

import (
	"bytes"
	"strings"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
)

// typeSet is a set of JSON types.
type typeSet uint8

const (
	typeString typeSet = 1 << iota
	typeInteger
	typeFraction // numbers that are not whole
	typeBoolean
	typeNull
	typeObject
	typeArray

	typeNumber = typeInteger | typeFraction
	// typeAny is a schema that says nothing usable of the type.
	typeAny typeSet = 1<<7 - 1
)

// tri is an answer that may be missing.
type tri uint8

const (
	absent  tri = iota // nothing was said
	unknown            // something was said that can't be made out
	no
	yes
)

// both is the answer of two parts that must both hold.
func both(a, b tri) tri {
	switch {
	case a == absent:
		return b
	case b == absent:
		return a
	case a == no || b == no:
		return no
	case a == yes && b == yes:
		return yes
	}
	return unknown
}

// known is both, where a part that can't be made out does not count.
func known(a, b tri) tri {
	if a == unknown {
		a = absent
	}
	if b == unknown {
		b = absent
	}
	return both(a, b)
}

// facts are what a shape says of every text.
type facts struct {
	types     typeSet
	hint      tri  // whether a string is asked for
	constants bool // the hint hangs on constants that the text may equal
	null      tri  // whether null is proven to be admitted
}

// facts answers for a value of this shape.
func (s *shape) facts() facts {
	if s == nil {
		return facts{types: typeAny}
	}
	s.doc.mu.Lock()
	defer s.doc.mu.Unlock()
	if !s.known {
		s.answer = (&judge{doc: s.doc}).shape(s)
		s.known = true
	}
	return s.answer
}

// stringHint says whether a string is asked for, now that the text is known.
func (s *shape) stringHint(text []byte) tri {
	f := s.facts()
	if !f.constants {
		return f.hint
	}
	s.doc.mu.Lock()
	defer s.doc.mu.Unlock()
	return (&judge{doc: s.doc, text: text}).shape(s).hint
}

// A judge makes out the facts of one shape.
type judge struct {
	doc  *document
	walk walk
	text []byte // the value's text; nil: any
}

// lost are the facts of what can't be made out: a reference that leads nowhere,
// or in circles, or a schema that is too large.
var lost = facts{types: typeAny, hint: unknown, null: unknown}

func (j *judge) shape(s *shape) facts {
	if s.node != nil {
		return j.node(s.node)
	}
	if !j.walk.enter() {
		return lost
	}
	defer j.walk.leave()
	list := make([]facts, len(s.parts))
	for i, p := range s.parts {
		list[i] = j.shape(p)
	}
	if s.any {
		return anyOf(list)
	}
	return allOf(list)
}

// node judges one schema. Its keywords must all hold.
func (j *judge) node(node jsonx.Raw) facts {
	if !j.walk.enter() {
		return lost
	}
	defer j.walk.leave()
	m := j.doc.members(node)
	f := facts{types: typeAny}
	f.and(j.ofType(m))
	if v, ok := m["const"]; ok {
		f.and(j.ofConst(v))
	}
	if v, ok := m["enum"]; ok {
		f.and(j.ofEnum(v))
	}
	if v, ok := m["$ref"]; ok {
		f.and(j.ofRef(v))
	}
	if m["$dynamicRef"] != nil || m["$recursiveRef"] != nil {
		f.and(lost)
	}
	if v, ok := m["anyOf"]; ok {
		f.and(anyOf(j.branches(v)))
	}
	if v, ok := m["oneOf"]; ok {
		f.and(oneOf(j.branches(v)))
	}
	if v, ok := m["allOf"]; ok {
		f.and(allOf(j.branches(v)))
	}
	if f.types == 0 {
		// Parts that contradict each other leave the text.
		f.types = typeString
	}
	return f
}

func (f *facts) and(g facts) {
	f.types &= g.types
	f.hint = known(f.hint, g.hint)
	f.null = both(f.null, g.null)
	f.constants = f.constants || g.constants
}

func (j *judge) branches(list jsonx.Raw) []facts {
	var all []facts
	for a := jsonx.ArrayOf(list); ; {
		v, ok := a.Next()
		if !ok {
			return all
		}
		if !j.walk.spend() {
			return append(all, lost)
		}
		all = append(all, j.node(v))
	}
}

func (j *judge) ofRef(ref jsonx.Raw) facts {
	target := j.doc.resolve(ref)
	if target == nil || !j.walk.follow() {
		return lost
	}
	defer func() { j.walk.refs-- }()
	return j.node(target)
}

func allOf(list []facts) facts {
	f := facts{types: typeAny}
	for _, g := range list {
		f.and(g)
	}
	return f
}

// anyOf joins branches of which one must hold.
func anyOf(list []facts) facts {
	if len(list) == 0 {
		return lost
	}
	f := facts{hint: no, null: no}
	for _, g := range list {
		f.types |= g.types
		f.hint = either(f.hint, g.hint)
		f.null = either(f.null, g.null)
		f.constants = f.constants || g.constants
	}
	return f
}

func either(a, b tri) tri {
	switch {
	case a == yes || b == yes:
		return yes
	case a == no && b == no:
		return no
	}
	return unknown
}

// oneOf is anyOf, but null is admitted only where exactly one branch admits it.
func oneOf(list []facts) facts {
	f := anyOf(list)
	admit, open := 0, false
	for _, g := range list {
		switch g.null {
		case yes:
			admit++
		case no:
		default:
			open = true
		}
	}
	switch {
	case admit > 1:
		f.null = no
	case open:
		f.null = unknown
	}
	return f
}

// ofType reads type and nullable.
func (j *judge) ofType(m map[string]jsonx.Raw) facts {
	v, ok := m["type"]
	if !ok {
		return facts{types: typeAny}
	}
	var types typeSet
	if jsonx.IsArray(v) {
		for a := jsonx.ArrayOf(v); ; {
			name, ok := a.Next()
			if !ok {
				break
			}
			if !j.walk.spend() {
				return lost
			}
			types |= typeNamed(name)
		}
	} else {
		types = typeNamed(v)
	}
	if types == 0 {
		return facts{types: typeAny, hint: no, null: unknown}
	}
	if nullable, _ := jsonx.Bool(m["nullable"]); nullable {
		types |= typeNull
	}
	return facts{types: types, hint: is(types&typeString != 0), null: is(types&typeNull != 0)}
}

func is(b bool) tri {
	if b {
		return yes
	}
	return no
}

// typeNamed reads a type's name. Besides JSON Schema's own it knows those that
// tool definitions have taken over from databases and programming languages.
func typeNamed(v jsonx.Raw) typeSet {
	name, _ := jsonx.String(v)
	name = strings.ToLower(strings.TrimSpace(name))
	switch name {
	case "string", "str", "text", "varchar", "char", "enum":
		return typeString
	case "integer":
		return typeInteger
	case "number":
		return typeNumber
	case "boolean", "bool", "binary":
		return typeBoolean
	case "null":
		return typeNull
	case "object":
		return typeObject
	case "array":
		return typeArray
	}
	for _, p := range []struct {
		prefix string
		types  typeSet
	}{{"int", typeInteger}, {"uint", typeInteger}, {"long", typeInteger}, {"short", typeInteger}, {"unsigned", typeInteger},
		{"num", typeNumber}, {"float", typeNumber}, {"dict", typeObject}, {"arr", typeArray}, {"list", typeArray}} {
		if strings.HasPrefix(name, p.prefix) {
			return p.types
		}
	}
	return 0
}

// typeOf is the type of a constant.
func typeOf(v jsonx.Raw) typeSet {
	switch {
	case len(v) == 0:
		return 0
	case jsonx.IsString(v):
		return typeString
	case jsonx.IsObject(v):
		return typeObject
	case jsonx.IsArray(v):
		return typeArray
	case jsonx.IsNull(v):
		return typeNull
	case v[0] == 't' || v[0] == 'f':
		return typeBoolean
	}
	if _, ok := whole(nil, v); ok {
		return typeInteger
	}
	return typeFraction
}

func (j *judge) ofConst(v jsonx.Raw) facts {
	f := facts{types: typeOf(v), hint: no, null: is(typeOf(v) == typeNull)}
	if s, ok := jsonx.String(v); ok {
		f.constants = true
		f.hint = is(bytes.Equal([]byte(s), j.text))
	}
	return f
}

func (j *judge) ofEnum(v jsonx.Raw) facts {
	var types typeSet
	for a := jsonx.ArrayOf(v); ; {
		c, ok := a.Next()
		if !ok {
			break
		}
		if !j.walk.spend() {
			return lost
		}
		types |= typeOf(c)
	}
	return facts{types: types, null: is(types&typeNull != 0)}
}
