package qwen3

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"

	"github.com/turnkey-parsers/turnkey/host/conform"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

var config = sdktest.Config{
	Cases: "testdata/cases.json", Client: conform.Assemble,
	Vocabulary: []string{
		"<think>", "</think>", "<tool_call>", "</tool_call>",
		"<function=f>", "<function=", "</function>", "<parameter=a>", "<parameter=", "</parameter>",
		"<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>",
		`{"name": "f", "arguments": {"a": "`, `"name": "g"`, `"arguments": `, `"}}`, `}}`, "f>", "\n",
	},
}

func TestParser(t *testing.T) {
	sdktest.Run(t, &Module, config)
}

func TestFieldReports(t *testing.T) {
	sdktest.Run(t, &Module, sdktest.Config{Cases: "testdata/field_reports.json", Client: conform.Assemble})
}

func FuzzParser(f *testing.F) {
	sdktest.Fuzz(f, &Module, config)
}

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

func TestModels(t *testing.T) {
	m, err := manifest.Parse([]byte(Module.Manifest))
	if err != nil {
		t.Fatal(err)
	}
	for model, want := range map[string]bool{
		"Qwen/Qwen3-Coder-480B-A35B-Instruct": true,
		"qwen3-coder-next":                    true,
		"Qwen/Qwen3.5-397B-A17B":              true,
		"Qwen3.8-Max":                         true,
		"Qwen/Qwen3-235B-A22B-Thinking-2507":  false,
		"Qwen/Qwen2.5-Coder-32B-Instruct":     false,
	} {
		if got := m.Parsers[0].Suggests(model); got != want {
			t.Errorf("%s: %v", model, got)
		}
	}
}
