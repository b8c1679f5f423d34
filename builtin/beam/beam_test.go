package beam

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/builtin/internal/familytest"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

var config = sdktest.Config{
	Vocabulary: []string{
		"<|start|>", "<|start|>assistant", " to=", " to=ping", "to=store_memo", "<|channel|>", "analysis", "final", " <|constrain|>xml",
		"<|message|>", "<|end|>", "<|call|>", "<|return|>", `<rfl:parameter name="`, `<rfl:parameter name="body">`, `">`, "</rfl:parameter>",
		"<|channel|>analysis<|message|>", "<|start|>assistant<|channel|>final<|message|>",
		" to=ping<|channel|>analysis <|constrain|>xml<|message|>", "\n", " ", "assistant",
	},
}

func TestFamily(t *testing.T) { familytest.Run(t, &Module, config) }

func FuzzFamily(f *testing.F) { familytest.Fuzz(f, &Module, config) }
