package qwen3

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/familytest"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

var config = sdktest.Config{
	Vocabulary: []string{
		"<think>", "</think>", "<tool_call>", "</tool_call>",
		"<function=f>", "<function=", "</function>", "<parameter=a>", "<parameter=", "</parameter>",
		"<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>",
		`{"name": "f", "arguments": {"a": "`, `"name": "g"`, `"arguments": `, `"}}`, `}}`, "f>", "\n",
	},
}

func TestFamily(t *testing.T) { familytest.Run(t, &Module, config) }

func FuzzFamily(f *testing.F) { familytest.Fuzz(f, &Module, config) }

func TestConstraint(t *testing.T) {
	s := &abi.OpenBlock{
		Tools: []string{"f"}, ToolChoice: abi.ToolChoiceRequired, Flags: abi.OpenParallel, Start: abi.ChannelReasoning,
		Schemas: []abi.Schema{{Tool: 0, JSON: `{"type":"object","properties":{"a":{"type":"string"}}}`}},
	}
	const want = `{"scope":"calls","structural_tag":{"type":"structural_tag","format":{"type":"sequence","elements":[` +
		`{"type":"tag","begin":"","content":{"type":"any_text"},"end":"</think>"},{"type":"const_string","value":"\u000a\u000a"},` +
		`{"type":"triggered_tags","triggers":["<tool_call>\u000a<function="],"tags":[{"type":"tag","begin":"<tool_call>\u000a<function=f>\u000a",` +
		`"content":{"type":"json_schema","json_schema":{"type":"object","properties":{"a":{"type":"string"}}},"style":"qwen_xml"},` +
		`"end":"\u000a</function>\u000a</tool_call>"}],"at_least_one":true,"stop_after_first":false}]}}}`
	if got := string(Module.Constraint(s)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
