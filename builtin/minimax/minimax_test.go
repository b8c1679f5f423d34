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
	MaxHold: 1 << 20,
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
