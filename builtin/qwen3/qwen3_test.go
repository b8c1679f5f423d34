package qwen3

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

var config = sdktest.Config{
	Cases: "testdata/cases.json",
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
	sdktest.Run(t, &Module, sdktest.Config{Cases: "testdata/field_reports.json"})
}

func FuzzParser(f *testing.F) {
	sdktest.Fuzz(f, &Module, config)
}
