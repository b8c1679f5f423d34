package minimax

import (
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// schema is a node of a tool's parameters schema, as far as the shape of a value
// needs it. The zero value says nothing.
type schema struct{ root, node []byte }

// parameterSchema is the schema of that tool's parameters.
func parameterSchema(s *abi.OpenBlock, tool string) schema {
	for _, c := range s.Schemas {
		if int(c.Tool) < len(s.Tools) && s.Tools[c.Tool] == tool {
			return schema{[]byte(c.JSON), []byte(c.JSON)}
		}
	}
	return schema{}
}

// maxVisits bounds how many nodes are visited for one question: schemas come from
// clients, and may refer to themselves.
const maxVisits = 256

// eachAlternative calls f with the node, what it refers to, and the branches of its unions,
// until f answers true.
func (s schema) eachAlternative(f func(node []byte) bool) {
	visits := 0
	var visit func(node []byte) bool
	visit = func(node []byte) (done bool) {
		if visits++; len(node) == 0 || visits > maxVisits {
			return false
		}
		if f(node) {
			return true
		}
		scan.EachMember(node, func(name string, value []byte) {
			switch {
			case done:
			case name == "$ref":
				done = visit(s.resolveRef(string(value)))
			case name == "allOf" || name == "anyOf" || name == "oneOf":
				scan.EachElement(value, func(branch []byte) { done = done || visit(branch) })
			}
		})
		return done
	}
	visit(s.node)
}

// resolveRef finds what a local reference, still in its quotation marks, points at.
func (s schema) resolveRef(ref string) []byte {
	path, ok := strings.CutPrefix(strings.Trim(ref, `"`), "#")
	if !ok {
		return nil
	}
	node := s.root
	for _, part := range strings.Split(strings.TrimPrefix(path, "/"), "/") {
		if part == "" {
			continue
		}
		node = scan.MemberNamed(node, strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~"))
	}
	return node
}

// admits says whether the schema, or a branch of it, names that type.
func (s schema) admits(kind string) (yes bool) {
	s.eachAlternative(func(node []byte) bool {
		t := scan.MemberNamed(node, "type")
		yes = scan.IsStringOf(t, kind)
		scan.EachElement(t, func(v []byte) { yes = yes || scan.IsStringOf(v, kind) })
		return yes
	})
	return yes
}

// isText says whether the schema speaks of nothing but text.
func (s schema) isText() bool {
	for _, kind := range []string{"integer", "number", "boolean", "object", "null"} {
		if s.admits(kind) {
			return false
		}
	}
	return true
}

// memberSchema is the schema of an object's member.
func (s schema) memberSchema(name []byte) schema {
	return s.pickBelow(func(node []byte) []byte {
		if v := scan.MemberNamed(scan.MemberNamed(node, "properties"), string(name)); v != nil {
			return v
		}
		return scan.MemberNamed(node, "additionalProperties")
	})
}

// itemSchema is the schema of an array's elements.
func (s schema) itemSchema() schema {
	return s.pickBelow(func(node []byte) []byte { return scan.MemberNamed(node, "items") })
}

func (s schema) pickBelow(pick func(node []byte) []byte) (found schema) {
	s.eachAlternative(func(node []byte) bool {
		v := pick(node)
		if len(v) == 0 || v[0] != '{' {
			return false
		}
		found = schema{s.root, v}
		return true
	})
	return found
}
