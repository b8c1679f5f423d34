package tagged

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/builtin/internal/familytest"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

var config = sdktest.Config{
	Vocabulary: []string{
		"<think>", "</think>", "\n</think>\n", "<answer>\n", "\n</answer>", "<seed:think>", "</seed:think>",
		"Here is my thought process:", "Here's my response:", "<response>", "\n",
		"<TOOLCALL>", "</TOOLCALL>", "functools[", "<|tool_call|>", "<tool_call>", "</tool_call>",
		"<seed:tool_call>", "</seed:tool_call>", "<longcat_tool_call>", "</longcat_tool_call>",
		"<tool_calls>", "</tool_calls>", "<|tool_call_start|>", "<|tool_call_end|>", "<function_calls>", "</function_calls>",
		`{"name": "f", "arguments": {"a": "`, `{"name": "f", "arguments": {"a": 1}}`, `"}}`, `"arguments": "{}"`, "[", ", ", "]",
		"<function=f>", "<function=", "</function>", "<parameter=a>", "</parameter>",
		"<tool_call>f<tool_sep>", "<arg_key>a</arg_key>", "<arg_key>", "</arg_key>", " <arg_value>", "</arg_value>",
		"f(a=1", "f()", "[f(a='", "', b=[1, {", ")", "[{",
	},
}

func TestFamily(t *testing.T) { familytest.Run(t, &Module, config) }

func FuzzFamily(f *testing.F) { familytest.Fuzz(f, &Module, config) }
