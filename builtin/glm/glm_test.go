package glm

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
		think, endThink, callOpen, callClose, keyOpen, keyClose, valueOpen, valueClose,
		"f", "f" + keyOpen, "g" + keyOpen, "f\n" + keyOpen, "<tool_call>f", "<tool_call>f</tool_call>", "<tool_call>f<arg_key>a</arg_key><arg_value>",
		"<arg_key>a</arg_key><arg_value>", "</arg_value></tool_call>", "a", "null", "42", `{"a":1}`, `[{"name":"f","arguments":{}}]`,
		`"`, "'", "`", "\n", "\n\n", " ",
	},
}

func TestFamily(t *testing.T) { familytest.Run(t, &Module, config) }

func FuzzFamily(f *testing.F) { familytest.Fuzz(f, &Module, config) }

func TestConstraint(t *testing.T) {
	s := &abi.OpenBlock{
		Parser: "glm", Tools: []string{"f"}, ToolChoice: abi.ToolChoiceRequired, Start: abi.ChannelReasoning,
		Schemas: []abi.Schema{{Tool: 0, JSON: `{"type":"object","properties":{"a":{"type":"string"}}}`}},
	}
	const want = `{"type":"tag","begin":"<tool_call>f","content":{"type":"json_schema","json_schema":{"type":"object","properties":{"a":{"type":"string"}}},"style":"glm_xml"},"end":"</tool_call>"}`
	if got := Module.Constraint(s); !json.Valid(got) || !strings.Contains(string(got), want) || !strings.Contains(string(got), `"end":"</think>"`) {
		t.Errorf("%s", got)
	}
	s.ToolChoice = abi.ToolChoiceNone
	if got := string(Module.Constraint(s)); !strings.Contains(got, `"excludes":["<tool_call>"`) {
		t.Errorf("none: %s", got)
	}
}
