package museglimmer

import (
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/familytest"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

var vocabulary = []string{
	start, message, eom, eot, start + assistant, " to=", "to=", " to=self" + message, start + assistant + " to=self" + message,
	start + assistant + " to=user" + message, start + assistant + " to=f" + message, " to=f" + message, "to=g" + message, start + message,
	blockOpen, blockClose, invoke, invokeClose, parameterClose, `<atem:invoke name="f">`, `<atem:invoke name="f.f">`, `<atem:invoke name="`, `<atem:parameter name="a">`,
	blockOpen + "\n" + `<atem:invoke name="f">` + "\n" + `<atem:parameter name="a">1</atem:parameter>` + "\n</atem:invoke>\n" + blockClose,
	"<|", "<|e", "<|st", "art|>", "\n", "\n\n", "[1]", `{"k":"`,
}

var config = sdktest.Config{Vocabulary: vocabulary, Leaks: leaks, MaxHold: 1 << 20}

// leaks finds markup in what was said though the input had no quotation that
// could protect it, and no marker that falls apart into less than three characters
// and the rest.
func leaks(s *abi.OpenBlock, input, text, reasoning string) string {
	bare := strings.NewReplacer(`name="`, "", `">`, "").Replace(input)
	if len(s.Tools) == 0 || strings.HasSuffix(s.Parser, "_reasoning") || strings.ContainsAny(bare, "\"'`") ||
		strings.Contains(input, "<<|") || strings.Contains(input, "<|<|") {
		return ""
	}
	for _, said := range []string{text, reasoning} {
		for _, marker := range []string{message, eom, eot} {
			if strings.Contains(said, marker) {
				return said
			}
		}
	}
	return ""
}

func TestFamily(t *testing.T) { familytest.Run(t, &Module, config) }

func FuzzFamily(f *testing.F) { familytest.Fuzz(f, &Module, config) }
