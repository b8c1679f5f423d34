package inkling

import (
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/familytest"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

var config = sdktest.Config{
	Vocabulary: append([]string{
		`{"name": "f", "args": {"a": "`, `{"name": "f"}`, `"}}`, "f", "`" + end + "`", end + message + text,
	}, all...),
	Leaks: func(s *abi.OpenBlock, _, said, reasoning string) string {
		if len(s.Tools) > 0 && s.Mode == abi.ModeNative && s.Parser != "inkling_reasoning" &&
			!strings.ContainsAny(said+reasoning, "\"'`") && strings.Contains(said+reasoning, "<|content_text|>") {
			return "a marker leaked"
		}
		return ""
	},
}

func TestFamily(t *testing.T) { familytest.Run(t, &Module, config) }

func FuzzFamily(f *testing.F) { familytest.Fuzz(f, &Module, config) }
