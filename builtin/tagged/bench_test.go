package tagged

import (
	"fmt"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
)

// streams are calls whose body, or whose string argument, grows.
var streams = []struct{ parser, name, head, unit, tail string }{
	{"nemotron_deci", "array", "<TOOLCALL>[", `{"name": "f", "arguments": {"a": 1}}, `, `{"name": "f"}]</TOOLCALL>`},
	{"nemotron_deci", "string", `<TOOLCALL>[{"name": "f", "arguments": {"a": "`, "some text, \\n and more of it. ", `"}}]</TOOLCALL>`},
	{"granite", "array", "<tool_call>[", `{"name": "f", "arguments": {"a": 1}}, `, `{"name": "f"}]`},
	{"granite", "thought", "Here is my thought process:", "I look here, Here and there. ", "Here is my response:"},
	{"hy_v3", "pairs", "<tool_calls><tool_call>f<tool_sep>", "<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n", "</tool_call></tool_calls>"},
	{"hy_v3", "string", "<tool_calls><tool_call>f<tool_sep><arg_key>a</arg_key><arg_value>", "if a < b {\n\treturn\n}\n", "</arg_value></tool_call></tool_calls>"},
	{"step3p5", "functions", "<tool_call>\n<function=f>\n", "<parameter=a>\n1\n</parameter>\n", "</function>\n</tool_call>"},
	{"step3p5", "thought", "<think>", "one line\nand another\n\n", "\n</think>\n"},
	{"lfm2", "list", "<|tool_call_start|>[", "f(a=1, b='x'), ", "f()]<|tool_call_end|>"},
	{"lfm2", "string", "<|tool_call_start|>[f(a='", "some text, \\n and more of it. ", "')]<|tool_call_end|>"},
	{"olmo3", "lines", "<function_calls>", "f(a=1)\n", "</function_calls>"},
}

// BenchmarkText is a whole text, in pushes of 16 bytes. The time of a byte must not
// grow with the text.
func BenchmarkText(b *testing.B) {
	for _, c := range streams {
		for size := 64 << 10; size <= 128<<10; size *= 2 {
			text := []byte(c.head + strings.Repeat(c.unit, size/len(c.unit)) + c.tail)
			b.Run(fmt.Sprintf("%s/%s/%dKiB", c.parser, c.name, size>>10), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					s, _ := sdk.Open(&Module, &abi.OpenBlock{Parser: c.parser, Tools: []string{"f"}})
					for at := 0; at < len(text); at += 16 {
						s.Push(abi.RawOffset(at), 0, text[at:min(at+16, len(text))])
					}
					s.Finish(abi.RawOffset(len(text)), abi.FinishUnknown)
				}
			})
		}
	}
}
