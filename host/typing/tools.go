package typing

import "sync"

// Tool is a tool of the request.
type Tool struct {
	Name       string
	Parameters []byte // the parameters' JSON schema; may be empty
}

// Tools are a request's tools. A schema is compiled when it is first needed, as
// far as it is needed. Tools may be used by several goroutines; nil holds none.
type Tools struct {
	byName map[string]*lazySchema
}

type lazySchema struct {
	parameters []byte
	once       sync.Once
	schema     *Schema
}

// NewTools takes the request's tools. Of two with one name the first counts.
func NewTools(tools []Tool) *Tools {
	t := &Tools{byName: make(map[string]*lazySchema, len(tools))}
	for _, x := range tools {
		if _, ok := t.byName[x.Name]; !ok {
			t.byName[x.Name] = &lazySchema{parameters: x.Parameters}
		}
	}
	return t
}

// Offers says whether the request offers a tool of that name.
func (t *Tools) Offers(name string) bool { return t.lookup(name) != nil }

// Schema is the schema of a tool's arguments; nil where there is none.
func (t *Tools) Schema(name string) *Schema {
	s := t.lookup(name)
	if s == nil {
		return nil
	}
	s.once.Do(func() { s.schema = Compile(s.parameters) })
	return s.schema
}

func (t *Tools) lookup(name string) *lazySchema {
	if t == nil {
		return nil
	}
	return t.byName[name]
}
