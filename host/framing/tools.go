package framing

// Tool is a tool of the request.
type Tool struct {
	Name       string
	Parameters []byte // the parameters' JSON schema; may be empty
}

// Tools are a request's tools. Their schemas are compiled when they are first
// needed. It may be used by several goroutines.
type Tools struct {
	byName map[string]*tool
}

type tool struct {
	name       string
	parameters []byte
}

// NewTools takes the request's tools. Of two with one name the first counts.
func NewTools(tools []Tool) *Tools {
	t := &Tools{byName: make(map[string]*tool, len(tools))}
	for _, x := range tools {
		if _, ok := t.byName[x.Name]; !ok {
			t.byName[x.Name] = &tool{name: x.Name, parameters: x.Parameters}
		}
	}
	return t
}

func (t *Tools) find(name string) *tool {
	if t == nil {
		return nil
	}
	return t.byName[name]
}
