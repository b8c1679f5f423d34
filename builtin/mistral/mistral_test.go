package mistral

import (
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/conform"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

var config = sdktest.Config{
	Cases: "testdata/cases.json", Client: conform.Assemble,
	Vocabulary: []string{
		think, endThink, toolCalls, endCalls, callID, args, "f", "f[ARGS]", "f[CALL_ID]Ab3dE6gH9[ARGS]", "[TOOL_CALLS]f[ARGS]{\"a\": \"",
		`[TOOL_CALLS] [{"name": "f", "arguments": {"a": "`, `, {"name": "g", "parameters": {"a": 1}, "id": "123456789"}`, `{"arguments": {"b": [`,
		`"name": "f"`, `{"a": "b"}`, `{}`, `{`, `}`, `}}`, `}]`, `[`, `]`, `, `, `"}`, `\"`, `\`, "[", "/", "[TODO]", " ", "\n", "\n\n", `"`, "`", "isn't", "é",
	},
	MaxHold: 1 << 20,
	Leaks:   leaks,
}

// leaks finds markers in what was said though the input had no quotation that
// could protect them.
func leaks(s *abi.OpenBlock, input, text, reasoning string) string {
	if s.Mode != abi.ModeNative || len(s.Tools) == 0 || strings.HasSuffix(s.Parser, "_reasoning") || strings.ContainsAny(input, "\"'`") {
		return ""
	}
	for _, marker := range []string{toolCalls, endCalls} {
		if strings.Contains(text, marker) || strings.Contains(reasoning, marker) {
			return marker
		}
	}
	return ""
}

func TestParser(t *testing.T) { sdktest.Run(t, &Module, config) }

func TestMoreCases(t *testing.T) {
	for _, file := range []string{"testdata/field_reports.json", "testdata/more.json"} {
		sdktest.Run(t, &Module, sdktest.Config{Cases: file, Client: conform.Assemble})
	}
}

func FuzzParser(f *testing.F) { sdktest.Fuzz(f, &Module, config) }
