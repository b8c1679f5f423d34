package framing

import "sync"

// Tool is a tool of the request.
type Tool struct {
	Name       string
	Parameters []byte // the parameters' JSON schema; may be empty
}

// Tools are a request's tools. A schema is compiled when it is first needed, as
// far as it is needed. Tools may be used by several goroutines.
type Tools struct {
	byName map[string]*tool
}

type tool struct {
	parameters []byte
	once       sync.Once
	shape      *shape
}

// NewTools takes the request's tools. Of two with one name the first counts.
func NewTools(tools []Tool) *Tools {
	t := &Tools{byName: make(map[string]*tool, len(tools))}
	for _, x := range tools {
		if _, ok := t.byName[x.Name]; !ok {
			t.byName[x.Name] = &tool{parameters: x.Parameters}
		}
	}
	return t
}

// find gives the tool of that name, or nil.
func (t *Tools) find(name string) *tool {
	if t == nil {
		return nil
	}
	return t.byName[name]
}

// schema is the shape of the tool's arguments; nil where there is none.
func (t *tool) schema() *shape {
	if t == nil {
		return nil
	}
	t.once.Do(func() { t.shape = compile(t.parameters) })
	return t.shape
}
