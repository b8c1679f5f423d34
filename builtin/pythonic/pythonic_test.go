package pythonic

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/builtin/internal/familytest"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

var config = sdktest.Config{
	Vocabulary: []string{
		"<|python_start|>", "<|python_end|>", "[", "]", "[f(", ")", ")]", "f(", "a=", "a = ", "'b'", `"c"`, "1", "-2.5", "+3", "01", "True", "null",
		"[f(a='x')]", "[f(a=1), f()]", "(", "{", "}", "{'k': ", ",", ", ", ":", `\'`, `\`, "[f()]", " ", "\n", "\n\n", "isn't", "é",
	},
	MaxHold: 1 << 20,
}

func TestFamily(t *testing.T) { familytest.Run(t, &Module, config) }

func FuzzFamily(f *testing.F) { familytest.Fuzz(f, &Module, config) }
