package llama3json

import (
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/familytest"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

var config = sdktest.Config{
	Vocabulary: []string{
		tag, `{"name": "f", "parameters": {}}`, `{"name": "f", "parameters": {"a": "`, `{"name": "f", "arguments": {"a": [`, `{"name": "nope", "parameters": {"b": 1}}`,
		`{"type": "function", "parameters": {"a": 1}, "name": "g"}`, `{"parameters": {`, `{"a": `, `{"name": "f"`, `"name": "f"`, `, "parameters": {`, `"x": "`,
		`;`, `; `, ` ;{`, `{`, `}`, `}}`, `"}`, `"}}`, `"}};`, `\"`, `\`, ":", ",", " ", "\n", "\n\n", `"`, "`", "isn't", "é", "<|", "print(1)",
	},
	MaxHold: 1 << 20,
	Leaks:   leaks,
}

// leaks finds the tag in what was said though the input had no quotation that
// could protect it.
func leaks(s *abi.OpenBlock, input, text, _ string) string {
	if s.Mode != abi.ModeNative || len(s.Tools) == 0 || strings.ContainsAny(input, "\"'`") {
		return ""
	}
	if strings.Contains(text, tag) {
		return tag
	}
	return ""
}

func TestFamily(t *testing.T) { familytest.Run(t, &Module, config) }

func FuzzFamily(f *testing.F) { familytest.Fuzz(f, &Module, config) }
