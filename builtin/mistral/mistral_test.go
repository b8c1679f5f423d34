package mistral

import (
	"testing"

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
}

func TestFamily(t *testing.T) { familytest.Run(t, &Module, config) }

func FuzzFamily(f *testing.F) { familytest.Fuzz(f, &Module, config) }
