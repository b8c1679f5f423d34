package framing

import (
	"sync"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
)

// Bounds of what a schema may cost. Schemas come from clients.
const (
	maxSchema  = 1 << 20 // bytes
	maxVisits  = 4000    // nodes, branches and constants looked at for one question
	maxRefs    = 16      // references followed in a row
	maxBranch  = 64      // depth of anyOf, oneOf and allOf
	maxMembers = 4096    // members whose shape is remembered
)

// document is a parameters schema.
type document struct {
	mu      sync.Mutex
	root    jsonx.Raw
	nodes   map[*byte]map[string]jsonx.Raw // members of the objects looked at
	targets map[string]jsonx.Raw           // of references; nil: none
}

// compile gives the shape of the parameters, nil if they are no usable schema.
func compile(parameters []byte) *shape {
	if len(parameters) == 0 || len(parameters) > maxSchema {
		return nil
	}
	root, ok := asJSON(parameters, true)
	if !ok || !jsonx.IsObject(root) {
		return nil
	}
	d := &document{root: root, nodes: map[*byte]map[string]jsonx.Raw{}, targets: map[string]jsonx.Raw{}}
	return &shape{doc: d, node: root}
}

// members gives the members of a schema that is an object.
func (d *document) members(v jsonx.Raw) map[string]jsonx.Raw {
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

// A shape is what is known of a value from its schema: one node of the schema,
// or several of which all, or at least one, hold. A nil shape is that of a value
// that no schema speaks of.
type shape struct {
	doc   *document
	node  jsonx.Raw
	parts []*shape
	any   bool // one of the parts holds; else all do

	known  bool
	answer facts
	below  map[string]*shape // by member
	items  map[int]*shape    // by element; -1: any
}

func (s *shape) leaf(node jsonx.Raw) *shape { return &shape{doc: s.doc, node: node} }

// join makes one shape of several.
func (s *shape) join(parts []*shape, any bool) *shape {
	switch len(parts) {
	case 0:
		return nil
	case 1:
		return parts[0]
	}
	return &shape{doc: s.doc, parts: parts, any: any}
}

// member is the shape of an object's member.
func (s *shape) member(name string) *shape {
	if s == nil {
		return nil
	}
	s.doc.mu.Lock()
	defer s.doc.mu.Unlock()
	if found, ok := s.below[name]; ok {
		return found
	}
	found := s.find(func(m map[string]jsonx.Raw) jsonx.Raw {
		if p, ok := s.doc.members(m["properties"])[name]; ok {
			return p
		}
		if len(m["patternProperties"]) > 0 {
			return nil
		}
		return m["additionalProperties"]
	}, &walk{})
	if s.below == nil {
		s.below = map[string]*shape{}
	}
	if len(s.below) < maxMembers {
		s.below[name] = found
	}
	return found
}

// element is the shape of an array's element.
func (s *shape) element(at int) *shape {
	if s == nil {
		return nil
	}
	s.doc.mu.Lock()
	defer s.doc.mu.Unlock()
	if found, ok := s.items[at]; ok {
		return found
	}
	found := s.find(func(m map[string]jsonx.Raw) jsonx.Raw {
		for _, list := range []jsonx.Raw{m["prefixItems"], m["items"]} {
			n := 0
			for a := jsonx.ArrayOf(list); n <= at; n++ {
				v, ok := a.Next()
				if !ok {
					break
				}
				if n == at {
					return v
				}
			}
		}
		return m["items"]
	}, &walk{})
	if s.items == nil {
		s.items = map[int]*shape{}
	}
	if len(s.items) < maxMembers {
		s.items[at] = found
	}
	return found
}

// find looks for what pick takes from a schema's members, also behind
// references and in the branches of unions.
func (s *shape) find(pick func(map[string]jsonx.Raw) jsonx.Raw, w *walk) *shape {
	if !w.enter() {
		return nil
	}
	defer w.leave()
	var found []*shape
	add := func(p *shape) {
		if p != nil {
			found = append(found, p)
		}
	}
	if s.node == nil {
		for _, p := range s.parts {
			add(p.find(pick, w))
		}
		return s.join(found, s.any)
	}
	m := s.doc.members(s.node)
	if v := pick(m); jsonx.IsObject(v) {
		add(s.leaf(v))
	}
	if ref, ok := m["$ref"]; ok {
		if target := s.doc.resolve(ref); target != nil && w.follow() {
			add(s.leaf(target).find(pick, w))
			w.refs--
		}
	}
	for _, union := range []struct {
		word string
		any  bool
	}{{"allOf", false}, {"anyOf", true}, {"oneOf", true}} {
		var branches []*shape
		for a := jsonx.ArrayOf(m[union.word]); ; {
			v, ok := a.Next()
			if !ok || !w.spend() {
				break
			}
			if p := s.leaf(v).find(pick, w); p != nil {
				branches = append(branches, p)
			}
		}
		add(s.join(branches, union.any))
	}
	return s.join(found, false)
}

// walk bounds one question to a schema.
type walk struct{ visits, depth, refs int }

func (w *walk) enter() bool {
	if !w.spend() || w.depth == maxBranch {
		return false
	}
	w.depth++
	return true
}

func (w *walk) spend() bool {
	w.visits++
	return w.visits <= maxVisits
}

func (w *walk) leave() { w.depth-- }

func (w *walk) follow() bool {
	if w.refs == maxRefs {
		return false
	}
	w.refs++
	return true
}
