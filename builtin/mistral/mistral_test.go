package mistral

import (
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/familytest"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

var config = sdktest.Config{
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

func TestFamily(t *testing.T) { familytest.Run(t, &Module, config) }

func FuzzFamily(f *testing.F) { familytest.Fuzz(f, &Module, config) }
