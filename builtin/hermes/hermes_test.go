package hermes

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/familytest"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

var config = sdktest.Config{
	Vocabulary: []string{
		"<think>", "</think>", "<tool_call>", "</tool_call>", "\n",
		"<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n</tool_call>",
		`{"name": "f", "arguments": {"a": "`, `"name": "g"`, `"arguments": `, `"parameters": {`, `"}}`, `}}`, `\u00e9`, `[`, `]`,
	},
}

func TestFamily(t *testing.T) { familytest.Run(t, &Module, config) }

func FuzzFamily(f *testing.F) { familytest.Fuzz(f, &Module, config) }

func TestConstraint(t *testing.T) {
	s := &abi.OpenBlock{
		Tools: []string{"f"}, ToolChoice: abi.ToolChoiceNamed, NamedTool: "f",
		Schemas: []abi.Schema{{Tool: 0, JSON: `{"type":"object","properties":{"a":{"type":"string"}}}`}},
	}
	const want = `{"scope":"calls","structural_tag":{"type":"structural_tag","format":{"type":"tag","begin":"<tool_call>\u000a{\"name\": \"f\", \"arguments\": ",` +
		`"content":{"type":"json_schema","json_schema":{"type":"object","properties":{"a":{"type":"string"}}}},"end":"}\u000a</tool_call>"}}}`
	if got := string(Module.Constraint(s)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
