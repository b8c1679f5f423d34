package parser

import "github.com/turnkey-parsers/turnkey/abi/manifest"

// Family is a module's parsers for one grammar. By convention a parser NAME of
// kind unified has siblings NAME_tools, NAME_reasoning and NAME_batch. A parser
// that the family lacks is nil.
type Family struct {
	Name                             string
	Unified, Tools, Reasoning, Batch Engine
}

// FamilyOf finds, among the parsers of one module, the siblings of the parser
// named. A parser that has no siblings is a family of its own.
func FamilyOf(named Engine, module []Engine) Family {
	f := Family{Name: named.Parser().BaseName()}
	for _, e := range module {
		if e.Parser().BaseName() != f.Name {
			continue
		}
		switch e.Parser().Kind {
		case manifest.Unified:
			f.Unified = e
		case manifest.Tools:
			f.Tools = e
		case manifest.Reasoning:
			f.Reasoning = e
		case manifest.Batch:
			f.Batch = e
		}
	}
	return f
}
