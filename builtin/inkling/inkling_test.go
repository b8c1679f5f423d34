package inkling

import (
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/conform"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

var config = sdktest.Config{
	Cases: "testdata/cases.json", Client: conform.Assemble,
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

func TestParsers(t *testing.T) { sdktest.Run(t, &Module, config) }

func FuzzParsers(f *testing.F) { sdktest.Fuzz(f, &Module, config) }
