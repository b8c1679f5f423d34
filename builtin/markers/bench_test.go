package markers

import (
	"fmt"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
)

// BenchmarkText is a whole text, in pushes of 16 bytes. The time of a byte must not
// grow with the text.
func BenchmarkText(b *testing.B) {
	grammars := configs(b)
	for _, c := range []struct{ grammar, name, head, unit, tail string }{
		{"defaults", "string", `<tool_call>{"name": "f", "arguments": {"a": "`, "some text, \\n and more of it. ", `"}}</tool_call>`},
		{"header", "calls", "<|calls|>", "<|call|>functions.f:0<|args|>{\"a\": 1}<|/call|>", "<|/calls|>"},
		{"header", "string", "<|calls|><|call|>functions.f:0<|args|>{\"a\": \"", "some text, \\n and more of it. ", "\"}<|/call|><|/calls|>"},
		{"invoke", "pairs", "<calls><invoke name=f>", `<parameter name="a">1</parameter>`, "</invoke></calls>"},
		{"structured", "calls", "</think>", "<tool_call>f<tool_sep><arg_key>a</arg_key><arg_value>1</arg_value></tool_call>\n", ""},
		{"members", "array", "<function_call>[", `{"tool": "f", "id": "x", "args": {"a": 1}}, `, `{"tool": "f"}]`},
	} {
		for size := 64 << 10; size <= 128<<10; size *= 2 {
			text := []byte(c.head + strings.Repeat(c.unit, size/len(c.unit)) + c.tail)
			b.Run(fmt.Sprintf("%s/%s/%dKiB", c.grammar, c.name, size>>10), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					s, _ := sdk.Open(&Module, &abi.OpenBlock{Parser: "markers", Tools: []string{"f"}, Options: grammars[c.grammar].Options})
					for at := 0; at < len(text); at += 16 {
						s.Push(abi.RawOffset(at), 0, text[at:min(at+16, len(text))])
					}
					s.Finish(abi.RawOffset(len(text)), abi.FinishUnknown)
				}
			})
		}
	}
}
