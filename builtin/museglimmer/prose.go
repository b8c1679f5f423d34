package museglimmer

import "github.com/turnkey-parsers/turnkey/sdk/prose"

// grammar is what interrupts the prose of one kind of body, by whether messages to
// tools are calls, and in a guided mode.
type grammar struct{ plain, calls, guided *prose.Grammar }

func (g grammar) of(calls, guided bool) *prose.Grammar {
	switch {
	case guided:
		return g.guided
	case calls:
		return g.calls
	}
	return g.plain
}

var grammars = func() (all [bodies]grammar) {
	framing := []string{eom + start, eot + start, eom, eot, start, message, start[:minCut], message[:minCut], eom[:minCut]}
	hard := framing[:2]
	tags := []string{invoke, parameter}
	for b := range bodies {
		compile := func(more ...string) *prose.Grammar {
			m := prose.Markers{Calls: append(framing[:len(framing):len(framing)], more...), Hard: hard, Tags: tags}
			switch b {
			case opening:
				m.Spaced = []string{to}
				fallthrough
			case thought:
				m.Calls = append(m.Calls, to)
			}
			return prose.Compile(m)
		}
		all[b] = grammar{plain: compile(), calls: compile(invoke, invokeClose), guided: compile(invoke, invokeClose)}
		if b == opening || b == outside {
			all[b].guided = compile(invoke, invokeClose, blockOpen, blockClose, "{", "[")
		}
	}
	return all
}()
