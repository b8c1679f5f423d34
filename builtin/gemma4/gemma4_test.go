package gemma4

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/builtin/internal/familytest"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

var vocabulary = []string{
	"<|channel>", "<|channel>thought\n", "thought\n", "<channel|>", "<|tool_call>", "<tool_call|>", "<|tool_response>", `<|"|>`, "call:",
	"<|tool_call>call:f{", "<|tool_call>call:g{a:", "call:f{", `<|tool_call>call:f{a:<|"|>`, `a:<|"|>`, `<|"|>b<|"|>:`, "a:1,", `word:<|"|>x<|"|>`,
	`<|tool_call>call:f{a:<|"|>x<|"|>}<tool_call|>`, "<|tool_call>call:g{}<tool_call|>", "}<tool_call|>", "}}", "none", "New York", "-2.5", "f:[", "{a:[1,]}",
}

var config = sdktest.Config{Vocabulary: vocabulary, MaxHold: 1 << 20}

func TestFamily(t *testing.T) { familytest.Run(t, &Module, config) }

func FuzzFamily(f *testing.F) { familytest.Fuzz(f, &Module, config) }
