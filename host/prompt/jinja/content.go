package jinja

// LoopsOverContent says whether the template goes through the parts of a message's
// content: for part in message.content, in a loop over messages. Such a template is
// given content as a list of parts, others as a string. Engines that detect the form
// look for the same: vLLM's detection of a template's content format.
func (t *Template) LoopsOverContent() bool {
	var found sourceSearch
	found.search(t.body)
	lists := found.assignedFrom("messages")
	var messages []string
	for _, loop := range found.loops {
		if loop.target.name != "" && readsAny(loop.iterable, lists, "") {
			messages = append(messages, loop.target.name)
		}
	}
	for _, loop := range found.loops {
		if loop.target.name != "" && readsAny(loop.iterable, messages, "content") {
			return true
		}
	}
	return false
}

// sourceSearch collects the loops and assignments of a template, wherever they stand.
type sourceSearch struct {
	loops []*forNode
	sets  []*setNode
}

func (s *sourceSearch) search(body []statement) {
	for _, node := range body {
		switch n := node.(type) {
		case *forNode:
			s.loops = append(s.loops, n)
			s.search(n.body)
			s.search(n.otherwise)
		case *setNode:
			s.sets = append(s.sets, n)
		case *ifNode:
			for i := range n.branches {
				s.search(n.branches[i].body)
			}
			s.search(n.otherwise)
		case *setBlockNode:
			s.search(n.body)
		case *macroNode:
			s.search(n.body)
		case *callNode:
			s.search(n.caller.body)
		case *filterBlockNode:
			s.search(n.body)
		case *scopeNode:
			s.search(n.body)
		}
	}
}

// assignedFrom gives a variable and all that are assigned from it, as they stand or in
// part.
func (s *sourceSearch) assignedFrom(name string) []string {
	names := []string{name}
	known := map[string]bool{name: true}
	for i := 0; i < len(names); i++ {
		for _, set := range s.sets {
			if to := set.target.name; to != "" && set.target.member == "" && !known[to] && reads(set.value, names[i], "") {
				known[to] = true
				names = append(names, to)
			}
		}
	}
	return names
}

func readsAny(e expr, names []string, member string) bool {
	for _, name := range names {
		if reads(e, name, member) {
			return true
		}
	}
	return false
}

// reads says whether an expression is a variable, or a member of it where one is
// named, behind filters, tests and slices.
func reads(e expr, name, member string) bool {
	for {
		switch n := e.(type) {
		case *filterExpr:
			e = n.input
		case *testExpr:
			e = n.input
		case *itemExpr:
			if _, isSlice := n.key.(*sliceExpr); isSlice {
				e = n.owner
				continue
			}
			key, _ := n.key.(constExpr)
			return member != "" && key.value == member && isName(n.owner, name)
		case *attributeExpr:
			return member != "" && n.name == member && isName(n.owner, name)
		default:
			return member == "" && isName(e, name)
		}
	}
}

func isName(e expr, name string) bool {
	n, ok := e.(*nameExpr)
	return ok && n.name == name
}
