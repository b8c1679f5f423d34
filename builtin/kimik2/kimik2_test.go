package kimik2_test

import (
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/kimik2"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

var vocabulary = []string{
	"<think>", "</think>",
	"<|tool_calls_section_begin|>", "<|tool_calls_section_end|>",
	"<|tool_call_section_begin|>", "<|tool_call_section_end|>",
	"<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>",
	"functions.", "f:0", "functions.lookup:1", ":2", "functions.f:0<|tool_call_argument_begin|>",
	"<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{\"a\":\"",
	`{"a":"b"}`, `{"a":`, `"unfinished`, `}`, `{}`, `[{"name":"f","arguments":{}}]`, `\`, `\"`, "12", "null",
	" ", "\n", "\n\n", `"`, `'`, "`", "isn't", "é", "雪",
}

func config(cases string) sdktest.Config {
	return sdktest.Config{Cases: cases, Vocabulary: vocabulary, Leaks: leaks}
}

// leaks finds markup in what was said though the input had no quotation that
// could protect it.
func leaks(s *abi.Session, input, text, reasoning string) string {
	if len(s.Tools) == 0 || strings.HasSuffix(s.Parser, "_reasoning") || strings.ContainsAny(input, "\"'`") {
		return ""
	}
	for _, said := range []string{text, reasoning} {
		if i := strings.Index(said, "<|tool_call"); i >= 0 && strings.Contains(said[i:], "|>") {
			return said[i:]
		}
	}
	return ""
}

func TestCases(t *testing.T) { sdktest.Run(t, &kimik2.Module, config("testdata/cases.json")) }

func TestFieldReports(t *testing.T) {
	sdktest.Run(t, &kimik2.Module, config("testdata/field_reports.json"))
}

func FuzzParser(f *testing.F) { sdktest.Fuzz(f, &kimik2.Module, config("testdata/cases.json")) }
