package llama3json

import (
	"testing"

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
}

func TestFamily(t *testing.T) { familytest.Run(t, &Module, config) }

func FuzzFamily(f *testing.F) { familytest.Fuzz(f, &Module, config) }
