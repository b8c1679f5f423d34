package typing

import (
	"sync"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
)

// Bounds of what a schema may cost. Schemas come from clients.
const (
	maxSchemaBytes = 1 << 20
	maxVisits      = 4000 // nodes, branches and constants looked at for one question
	maxRefChain    = 16   // references followed in a row
	maxBranchDepth = 64   // nesting of anyOf, oneOf and allOf
	maxRemembered  = 4096 // members, and elements, whose schema is remembered
)

// document is the whole schema of a tool's parameters, in which references lead
// from one node to another. Its mutex guards the Schemas made from it too.
type document struct {
	mu      sync.Mutex
	root    jsonx.Raw
	nodes   map[*byte]map[string]jsonx.Raw // members of the objects looked at
	targets map[string]jsonx.Raw           // of references; nil: none
}

// Compile reads the JSON schema of a tool's parameters. It is nil if they are
// none, or too large. Nothing is looked at before it is asked for. parameters are
// not kept.
func Compile(parameters []byte) *Schema {
	if len(parameters) == 0 || len(parameters) > maxSchemaBytes {
		return nil
	}
	root, ok := jsonx.Repaired(parameters)
	if !ok || !jsonx.IsObject(root) {
		return nil
	}
	d := &document{root: root, nodes: map[*byte]map[string]jsonx.Raw{}, targets: map[string]jsonx.Raw{}}
	return &Schema{doc: d, node: root}
}

// membersOf gives the members of a schema that is an object.
func (d *document) membersOf(v jsonx.Raw) map[string]jsonx.Raw {
	if !jsonx.IsObject(v) {
		return nil
	}
	if m, ok := d.nodes[&v[0]]; ok {
		return m
	}
	m := map[string]jsonx.Raw{}
	for o := jsonx.ObjectOf(v); ; {
		name, value, ok := o.Next()
		if !ok {
			break
		}
		m[string(name)] = value
	}
	d.nodes[&v[0]] = m
	return m
}

// A Schema is what is known of a value: one node of a document, or several of which
// all, or at least one, hold. A nil Schema is that of a value that no schema speaks
// of. It may be used by several goroutines.
type Schema struct {
	doc      *document
	node     jsonx.Raw
	parts    []*Schema
	anyHolds bool // one of the parts holds; else all do

	// What was asked for before.
	factsKnown bool
	knownFacts facts
	members    map[string]*Schema
	elements   map[int]*Schema // by index
}

func (s *Schema) ofNode(node jsonx.Raw) *Schema { return &Schema{doc: s.doc, node: node} }

// join makes one Schema of several.
func (s *Schema) join(parts []*Schema, anyHolds bool) *Schema {
	switch len(parts) {
	case 0:
		return nil
	case 1:
		return parts[0]
	}
	return &Schema{doc: s.doc, parts: parts, anyHolds: anyHolds}
}

// Member is the schema of an object's member.
func (s *Schema) Member(name string) *Schema {
	if s == nil {
		return nil
	}
	s.doc.mu.Lock()
	defer s.doc.mu.Unlock()
	if found, ok := s.members[name]; ok {
		return found
	}
	found := s.collect(func(m map[string]jsonx.Raw) jsonx.Raw {
		if p, ok := s.doc.membersOf(m["properties"])[name]; ok {
			return p
		}
		if len(m["patternProperties"]) > 0 {
			return nil
		}
		return m["additionalProperties"]
	}, &budget{})
	if s.members == nil {
		s.members = map[string]*Schema{}
	}
	if len(s.members) < maxRemembered {
		s.members[name] = found
	}
	return found
}

// Element is the schema of an array's element.
func (s *Schema) Element(index int) *Schema {
	if s == nil {
		return nil
	}
	s.doc.mu.Lock()
	defer s.doc.mu.Unlock()
	if found, ok := s.elements[index]; ok {
		return found
	}
	found := s.collect(func(m map[string]jsonx.Raw) jsonx.Raw {
		for _, list := range []jsonx.Raw{m["prefixItems"], m["items"]} {
			n := 0
			for a := jsonx.ArrayOf(list); n <= index; n++ {
				v, ok := a.Next()
				if !ok {
					break
				}
				if n == index {
					return v
				}
			}
		}
		return m["items"]
	}, &budget{})
	if s.elements == nil {
		s.elements = map[int]*Schema{}
	}
	if len(s.elements) < maxRemembered {
		s.elements[index] = found
	}
	return found
}

// collect gathers the schemas that pick takes from a node's members, also through
// references and in the branches of unions.
func (s *Schema) collect(pick func(map[string]jsonx.Raw) jsonx.Raw, w *budget) *Schema {
	if !w.descend() {
		return nil
	}
	defer w.ascend()
	var found []*Schema
	add := func(p *Schema) {
		if p != nil {
			found = append(found, p)
		}
	}
	if s.node == nil {
		for _, p := range s.parts {
			add(p.collect(pick, w))
		}
		return s.join(found, s.anyHolds)
	}
	m := s.doc.membersOf(s.node)
	if v := pick(m); jsonx.IsObject(v) {
		add(s.ofNode(v))
	}
	if ref, ok := m["$ref"]; ok {
		if target := s.doc.resolve(ref); target != nil && w.followRef() {
			add(s.ofNode(target).collect(pick, w))
			w.refs--
		}
	}
	for _, union := range []struct {
		word string
		any  bool
	}{{"allOf", false}, {"anyOf", true}, {"oneOf", true}} {
		var branches []*Schema
		for a := jsonx.ArrayOf(m[union.word]); ; {
			v, ok := a.Next()
			if !ok || !w.spend() {
				break
			}
			if p := s.ofNode(v).collect(pick, w); p != nil {
				branches = append(branches, p)
			}
		}
		add(s.join(branches, union.any))
	}
	return s.join(found, false)
}

// budget bounds what one question to a schema may cost.
type budget struct{ visits, depth, refs int }

func (w *budget) descend() bool {
	if !w.spend() || w.depth == maxBranchDepth {
		return false
	}
	w.depth++
	return true
}

func (w *budget) spend() bool {
	w.visits++
	return w.visits <= maxVisits
}

func (w *budget) ascend() { w.depth-- }

func (w *budget) followRef() bool {
	if w.refs == maxRefChain {
		return false
	}
	w.refs++
	return true
}
