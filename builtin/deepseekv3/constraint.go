package deepseekv3

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/structag"
)

// dialect is the option that says which of the grammars a model was trained on.
const dialect = "dialect"

var (
	markers = []string{sectionBegin, sectionEnd, callBegin, separator, callEnd, think, endThink}

	v3 = structag.Section{
		Open: sectionBegin, Close: sectionEnd,
		Begin: callBegin + kind + separator + "$\n", Middle: fence + "json\n", End: "\n" + fence + callEnd, Separator: "\n",
		EndThink: endThink, Banned: markers[1:], BannedAll: markers,
	}
	v31 = structag.Section{
		Open: sectionBegin, Close: sectionEnd,
		Begin: callBegin + "$", Middle: separator, End: callEnd,
		EndThink: endThink, Banned: markers[1:], BannedAll: markers,
	}
)

// buildConstraint builds the constraint for guided native calls, in the dialect that
// the option names. Without it there is none: the parsers read every dialect, but
// a model writes the one that it was trained on. R1 writes V3's.
func buildConstraint(s *abi.OpenBlock) []byte {
	name := ""
	if s.Parser == "deepseek_r1" || s.Parser == "deepseek_r1_tools" || s.Parser == "deepseek_r1_batch" {
		name = "v3"
	}
	for _, o := range s.Options {
		if o.Key == dialect {
			name = o.Value
		}
	}
	switch name {
	case "v3":
		return v3.Build(s)
	case "v31":
		return v31.Build(s)
	case "v32":
		return grammar.Constraint(s)
	}
	return nil
}
