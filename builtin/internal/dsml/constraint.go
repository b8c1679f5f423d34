package dsml

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/structag"
)

// Constraint builds the constraint for guided native calls, see
// sdk.Module.Constraint: a block in the layout of the model's encoder. Arguments
// are parameters; where closers are chosen they are a JSON body, since the style
// of structural tags has no space in its tags.
func (g *Grammar) Constraint(s *abi.OpenBlock) []byte { return g.constraint.Build(s) }

func newConstraint(c Config, t *tags) *structag.Section {
	section := &structag.Section{
		Trigger: t.block, Lead: separator, Open: t.block + "\n", Close: t.blockClose,
		Begin: t.invoke + `$">`, End: t.invokeClose + "\n",
		EndThink:  endThink,
		Banned:    []string{think, endThink},
		BannedAll: []string{t.block[:len("<｜DSML｜")]},
	}
	if !c.Chosen {
		section.Middle, section.Style = "\n", "deepseek_xml"
	}
	return section
}
