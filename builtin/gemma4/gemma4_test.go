package gemma4

import (
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/familytest"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

var vocabulary = []string{
	"<|channel>", "<|channel>thought\n", "thought\n", "<channel|>", "<|tool_call>", "<tool_call|>", "<|tool_response>", `<|"|>`, "call:",
	"<|tool_call>call:f{", "<|tool_call>call:g{a:", "call:f{", `<|tool_call>call:f{a:<|"|>`, `a:<|"|>`, `<|"|>b<|"|>:`, "a:1,", `word:<|"|>x<|"|>`,
	`<|tool_call>call:f{a:<|"|>x<|"|>}<tool_call|>`, "<|tool_call>call:g{}<tool_call|>", "}<tool_call|>", "}}", "none", "New York", "-2.5", "f:[", "{a:[1,]}",
}

var config = sdktest.Config{Vocabulary: vocabulary, Leaks: leaks, MaxHold: 1 << 20}

// leaks finds, in native mode, markup in what was said though the input had no quotation that
// could protect it.
func leaks(s *abi.OpenBlock, input, text, reasoning string) string {
	if len(s.Tools) == 0 || s.Mode != abi.ModeNative || strings.HasSuffix(s.Parser, "_reasoning") || strings.ContainsAny(strings.ReplaceAll(input, delimiter, ""), "\"'`") {
		return ""
	}
	for _, said := range []string{text, reasoning} {
		for _, marker := range []string{openCall, closeCall, response} {
			if strings.Contains(said, marker) {
				return said
			}
		}
	}
	return ""
}

func TestFamily(t *testing.T) { familytest.Run(t, &Module, config) }

func FuzzFamily(f *testing.F) { familytest.Fuzz(f, &Module, config) }
