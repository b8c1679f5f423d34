package hermes

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
		"<think>", "</think>", "<tool_call>", "</tool_call>", "\n",
		"<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n</tool_call>",
		`{"name": "f", "arguments": {"a": "`, `"name": "g"`, `"arguments": `, `"parameters": {`, `"}}`, `}}`, `\u00e9`, `[`, `]`,
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
		Tools: []string{"f"}, ToolChoice: abi.ToolChoiceNamed, NamedTool: "f",
		Schemas: []abi.Schema{{Tool: 0, JSON: `{"type":"object","properties":{"a":{"type":"string"}}}`}},
	}
	const want = `{"scope":"calls","structural_tag":{"type":"structural_tag","format":{"type":"tag","begin":"<tool_call>\u000a{\"name\": \"f\", \"arguments\": ",` +
		`"content":{"type":"json_schema","json_schema":{"type":"object","properties":{"a":{"type":"string"}}}},"end":"}\u000a</tool_call>"}}}`
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
		"Qwen/Qwen2.5-72B-Instruct":            true,
		"Qwen/Qwen3-8B":                        true,
		"Qwen/Qwen3-235B-A22B-Thinking-2507":   true,
		"Qwen/Qwen3-0.6B":                      true,
		"Qwen/QwQ-32B":                         true,
		"NousResearch/Hermes-3-Llama-3.1-8B":   true,
		"NousResearch/Hermes-2-Pro-Mistral-7B": true,
		"Qwen/Qwen3-Coder-480B-A35B-Instruct":  false,
		"Qwen/Qwen3.5-397B-A17B":               false,
	} {
		if got := m.Parsers[0].Suggests(model); got != want {
			t.Errorf("%s: %v", model, got)
		}
	}
}
