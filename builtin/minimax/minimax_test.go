package minimax

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/familytest"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

var config = sdktest.Config{
	MaxHold: 1 << 20, Leaks: leaks,
	Vocabulary: []string{
		"<think>", "</think>", "<minimax:tool_call>", "</minimax:tool_call>", `<invoke name="f">`, "<invoke name=", "</invoke>",
		`<parameter name="a">`, "<parameter name='f'>", "<parameter name=", "</parameter>", "<minimax:tool_call>\n<invoke name=\"f\">\n<parameter name=\"a\">",
		think, endThink, namespace, blockOpen, blockClose, invoke + `"f">`, invoke, invokeClose, element, element + "a>", element + "/a>", element + "f>", element + "/f>",
		element + "item>", element + "/item>", blockOpen + invoke + `"f">` + element + "f>",
		"null", "42", `{"a":1}`, `[{"name":"f","arguments":{}}]`, `"`, "'", "\n", "\n\n", " ",
	},
}

func TestFamily(t *testing.T) { familytest.Run(t, &Module, config) }

func FuzzFamily(f *testing.F) { familytest.Fuzz(f, &Module, config) }

// leaks finds tags of blocks in what was said, though no quotation could protect
// them.
func leaks(s *abi.OpenBlock, input, text, reasoning string) string {
	markers := []string{blockOpen, blockClose, invoke, invokeClose}
	if strings.HasPrefix(s.Parser, "minimax_m2") {
		markers = []string{"<minimax:tool_call>", "</minimax:tool_call>", `<invoke name="f">`}
	}
	if len(s.Tools) == 0 || s.Tools[0] != "f" || s.Mode != abi.ModeNative || strings.HasSuffix(s.Parser, "_reasoning") || s.Parser == "minimax_append_think" {
		return ""
	}
	if strings.ContainsAny(strings.NewReplacer(`="f"`, "", `="a"`, "", "='f'", "").Replace(input), "\"'`") {
		return ""
	}
	for _, marker := range markers {
		if strings.Contains(text, marker) || strings.Contains(reasoning, marker) {
			return marker
		}
	}
	return ""
}

func TestConstraint(t *testing.T) {
	s := &abi.OpenBlock{Parser: "minimax_m2", Tools: []string{"f"}, ToolChoice: abi.ToolChoiceNamed, NamedTool: "f"}
	const want = `"begin":"<minimax:tool_call>\u000a<invoke name=\"f\">\u000a"`
	if got := Module.Constraint(s); !json.Valid(got) || !strings.Contains(string(got), want) {
		t.Errorf("%s", got)
	}
	s.Parser = "minimax_m3"
	if got := Module.Constraint(s); got != nil {
		t.Errorf("M3: %s", got)
	}
}
