package typing

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

// tristate is an answer that a schema may leave open.
type tristate uint8

const (
	absent  tristate = iota // no keyword bears on the question
	unknown                 // one does, but it can't be resolved
	no
	yes
)

// andStates is the answer of two keywords that must both hold.
func andStates(a, b tristate) tristate {
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

// andKnownStates is andStates with unknown taken for absent: one keyword that can't
// be resolved must not hide what another one proves.
func andKnownStates(a, b tristate) tristate {
	if a == unknown {
		a = absent
	}
	if b == unknown {
		b = absent
	}
	return andStates(a, b)
}

// facts are what a schema says of a value before its text is known.
type facts struct {
	types         typeSet
	wantsString   tristate // whether a string is asked for
	dependsOnText bool     // wantsString hangs on constants that the text may equal
	admitsNull    tristate // whether null is proven to be admitted
}

// facts are the schema's, remembered once they were asked for.
func (s *Schema) facts() facts {
	if s == nil {
		return facts{types: typeAny}
	}
	s.doc.mu.Lock()
	defer s.doc.mu.Unlock()
	if !s.factsKnown {
		s.knownFacts = (&evaluator{doc: s.doc}).factsOf(s)
		s.factsKnown = true
	}
	return s.knownFacts
}

// IsString says whether the value can only be a string.
func (s *Schema) IsString() bool { return s.facts().types == typeString }

// wantsString says whether a string is asked for once the text is known.
func (s *Schema) wantsString(text []byte) tristate {
	f := s.facts()
	if !f.dependsOnText {
		return f.wantsString
	}
	s.doc.mu.Lock()
	defer s.doc.mu.Unlock()
	return (&evaluator{doc: s.doc, text: text}).factsOf(s).wantsString
}

// An evaluator works out the facts of one schema within one budget.
type evaluator struct {
	doc    *document
	budget budget
	text   []byte // the value's text; nil: any
}

// unresolvable are the facts of a schema that can't be read: a reference that leads nowhere,
// or in circles, or a schema that is too large.
var unresolvable = facts{types: typeAny, wantsString: unknown, admitsNull: unknown}

// factsOf joins the facts of the nodes that make up s.
func (ev *evaluator) factsOf(s *Schema) facts {
	if s.node != nil {
		return ev.factsOfNode(s.node)
	}
	if !ev.budget.descend() {
		return unresolvable
	}
	defer ev.budget.ascend()
	list := make([]facts, len(s.parts))
	for i, p := range s.parts {
		list[i] = ev.factsOf(p)
	}
	if s.anyHolds {
		return factsOfAny(list)
	}
	return factsOfAll(list)
}

// factsOfNode reads one schema object. Its keywords must all hold.
func (ev *evaluator) factsOfNode(node jsonx.Raw) facts {
	if !ev.budget.descend() {
		return unresolvable
	}
	defer ev.budget.ascend()
	m := ev.doc.membersOf(node)
	f := facts{types: typeAny}
	f.intersect(ev.factsOfType(m))
	if v, ok := m["const"]; ok {
		f.intersect(ev.factsOfConst(v))
	}
	if v, ok := m["enum"]; ok {
		f.intersect(ev.factsOfEnum(v))
	}
	if v, ok := m["$ref"]; ok {
		f.intersect(ev.factsOfRef(v))
	}
	if m["$dynamicRef"] != nil || m["$recursiveRef"] != nil {
		f.intersect(unresolvable)
	}
	if v, ok := m["anyOf"]; ok {
		f.intersect(factsOfAny(ev.factsOfBranches(v)))
	}
	if v, ok := m["oneOf"]; ok {
		f.intersect(factsOfOne(ev.factsOfBranches(v)))
	}
	if v, ok := m["allOf"]; ok {
		f.intersect(factsOfAll(ev.factsOfBranches(v)))
	}
	if f.types == 0 {
		// Parts that contradict each other leave the text.
		f.types = typeString
	}
	return f
}

func (f *facts) intersect(g facts) {
	f.types &= g.types
	f.wantsString = andKnownStates(f.wantsString, g.wantsString)
	f.admitsNull = andStates(f.admitsNull, g.admitsNull)
	f.dependsOnText = f.dependsOnText || g.dependsOnText
}

func (ev *evaluator) factsOfBranches(list jsonx.Raw) []facts {
	var all []facts
	for a := jsonx.ArrayOf(list); ; {
		v, ok := a.Next()
		if !ok {
			return all
		}
		if !ev.budget.spend() {
			return append(all, unresolvable)
		}
		all = append(all, ev.factsOfNode(v))
	}
}

func (ev *evaluator) factsOfRef(ref jsonx.Raw) facts {
	target := ev.doc.resolve(ref)
	if target == nil || !ev.budget.followRef() {
		return unresolvable
	}
	defer func() { ev.budget.refs-- }()
	return ev.factsOfNode(target)
}

func factsOfAll(list []facts) facts {
	f := facts{types: typeAny}
	for _, g := range list {
		f.intersect(g)
	}
	return f
}

// factsOfAny joins branches of which one must hold.
func factsOfAny(list []facts) facts {
	if len(list) == 0 {
		return unresolvable
	}
	f := facts{wantsString: no, admitsNull: no}
	for _, g := range list {
		f.types |= g.types
		f.wantsString = orStates(f.wantsString, g.wantsString)
		f.admitsNull = orStates(f.admitsNull, g.admitsNull)
		f.dependsOnText = f.dependsOnText || g.dependsOnText
	}
	return f
}

func orStates(a, b tristate) tristate {
	switch {
	case a == yes || b == yes:
		return yes
	case a == no && b == no:
		return no
	}
	return unknown
}

// factsOfOne is factsOfAny, but null is admitted only where exactly one branch admits it.
func factsOfOne(list []facts) facts {
	f := factsOfAny(list)
	admit, open := 0, false
	for _, g := range list {
		switch g.admitsNull {
		case yes:
			admit++
		case no:
		default:
			open = true
		}
	}
	switch {
	case admit > 1:
		f.admitsNull = no
	case open:
		f.admitsNull = unknown
	}
	return f
}

// factsOfType reads type and nullable.
func (ev *evaluator) factsOfType(m map[string]jsonx.Raw) facts {
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
			if !ev.budget.spend() {
				return unresolvable
			}
			types |= typeNamed(name)
		}
	} else {
		types = typeNamed(v)
	}
	if types == 0 {
		return facts{types: typeAny, wantsString: no, admitsNull: unknown}
	}
	if nullable, _ := jsonx.Bool(m["nullable"]); nullable {
		types |= typeNull
	}
	return facts{types: types, wantsString: stateOf(types&typeString != 0), admitsNull: stateOf(types&typeNull != 0)}
}

func stateOf(b bool) tristate {
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
	if _, ok := appendWhole(nil, v); ok {
		return typeInteger
	}
	return typeFraction
}

func (ev *evaluator) factsOfConst(v jsonx.Raw) facts {
	f := facts{types: typeOf(v), wantsString: no, admitsNull: stateOf(typeOf(v) == typeNull)}
	if s, ok := jsonx.String(v); ok {
		f.dependsOnText = true
		f.wantsString = stateOf(bytes.Equal([]byte(s), ev.text))
	}
	return f
}

func (ev *evaluator) factsOfEnum(v jsonx.Raw) facts {
	var types typeSet
	for a := jsonx.ArrayOf(v); ; {
		c, ok := a.Next()
		if !ok {
			break
		}
		if !ev.budget.spend() {
			return unresolvable
		}
		types |= typeOf(c)
	}
	return facts{types: types, admitsNull: stateOf(types&typeNull != 0)}
}
