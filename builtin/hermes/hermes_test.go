package hermes

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

var config = sdktest.Config{
	Cases: "testdata/cases.json",
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
	sdktest.Run(t, &Module, sdktest.Config{Cases: "testdata/field_reports.json"})
}

func FuzzParser(f *testing.F) {
	sdktest.Fuzz(f, &Module, config)
}
