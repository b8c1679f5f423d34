package pythonic

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
		"<|python_start|>", "<|python_end|>", "[", "]", "[f(", ")", ")]", "f(", "a=", "a = ", "'b'", `"c"`, "1", "-2.5", "+3", "01", "True", "null",
		"[f(a='x')]", "[f(a=1), f()]", "(", "{", "}", "{'k': ", ",", ", ", ":", `\'`, `\`, "[f()]", " ", "\n", "\n\n", "isn't", "é",
	},
	MaxHold: 1 << 20,
	Leaks:   leaks,
}

// leaks finds markers in what was said though the input had no quotation that
// could protect them.
func leaks(s *abi.OpenBlock, input, text, _ string) string {
	if s.Mode != abi.ModeNative || len(s.Tools) == 0 || strings.ContainsAny(input, "\"'`") {
		return ""
	}
	for _, marker := range []string{start, end} {
		if strings.Contains(text, marker) {
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
