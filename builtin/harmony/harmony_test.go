package harmony

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/builtin/internal/familytest"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

var vocabulary = []string{
	"<|start|>", "<|start|>assistant", "<|start|>functions.f to=assistant", " to=", " to=functions.f", "to=f", " to=python",
	"<|channel|>", "analysis", "commentary", "final", " <|constrain|>json", " code", "<|message|>", "<|end|>", "<|call|>", "<|return|>",
	"<|channel|>analysis<|message|>", "<|start|>assistant<|channel|>final<|message|>",
	"<|channel|>commentary to=functions.f <|constrain|>json<|message|>", `{"a":"b"}`, `{"a":"`, `"}`, "{", "}", `[1]`, `\`, "\n", " ", `"`, "`",
}

var config = sdktest.Config{Vocabulary: vocabulary}

func TestFamily(t *testing.T) { familytest.Run(t, &Module, config) }

func FuzzFamily(f *testing.F) { familytest.Fuzz(f, &Module, config) }
