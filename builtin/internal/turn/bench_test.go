package turn

import (
	"fmt"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/bench"
	"github.com/turnkey-parsers/turnkey/sdk"
)

// streams are long runs of one kind each: what leads to it, and what repeats.
var streams = []struct{ name, lead, body string }{
	{"prose", "", "The quick brown fox jumps over the lazy dog, and so on. "},
	{"quotes", "", "She said \"no\", isn't it `odd`? "},
	{"thought", "<think>", "First I look at the disk, then at the memory. "},
	{"value", "<tool_call><function=f><parameter=a>", "if (a < b) {\n\treturn \"x\";\n}\n"},
	{"value held", "<tool_call><function=f><parameter=a></function>", "if (a < b) {\n\treturn \"x\";\n}\n"},
	{"arguments", `<tool_call>{"name":"f","arguments":{"a":"`, `if (a < b) {\n\treturn \"x\";\n}\n`},
	{"arguments held", `<tool_call>{"name":"f","arguments":{"a":"</tool_call>`, `if (a < b) {\n\treturn \"x\";\n}\n`},
	{"arguments first", `<tool_call>{"arguments":{"a":"`, `some more text <b> and </b> so on. `},
	{"junk", "<tool_call>", "nothing < that > was asked for. "},
	{"calls", "", "<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>"},
	{"objects", "", `<tool_call>{"name":"f","arguments":{"a":1}}</tool_call>`},
	{"open quote", `say "<tool_call> `, "a word or two more. "},
	{"header", "<function=f", "<function=f<function=g"},
}

func BenchmarkStream(b *testing.B) {
	var list []bench.Stream
	for _, c := range streams {
		list = append(list, bench.Stream{Name: c.name, Lead: c.lead, Body: c.body})
	}
	bench.Growing(b, &module, "", list)
}

// Once its buffers have grown, a session allocates nothing.
func TestPushAllocatesNothing(t *testing.T) {
	var list []bench.Stream
	for _, c := range streams {
		if strings.Contains(c.name, "held") || c.name == "arguments first" || c.name == "open quote" {
			continue // what is held grows a buffer
		}
		list = append(list, bench.Stream{Name: c.name, Lead: c.lead, Body: c.body})
	}
	bench.AllocatesNothing(t, &module, "", list)
}

// BenchmarkFinish is a whole text whose calls are all unfinished, so that the
// end of the text settles them.
func BenchmarkFinish(b *testing.B) {
	for _, body := range []string{
		"<tool_call><function=f><parameter=a>x</function></tool_call>",
		"<think><tool_call><function=f><parameter=a>x</think>",
		`<tool_call>{"name":"f","arguments":{"a":"x</tool_call>`,
		`<tool_call>{"name":"f","arguments":{"a":"x"</tool_call>`,
		`say "a <tool_call>{"name":"f"}</tool_call>, `,
		`say "a </tool_call> b `,
		"<function=f",
	} {
		for size := 64 << 10; size <= 256<<10; size *= 2 {
			text := []byte(strings.Repeat(body, size/len(body)))
			b.Run(fmt.Sprintf("%s/%dKiB", body, size>>10), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					s, _ := sdk.Open(&module, &abi.OpenBlock{Tools: []string{"f"}, Flags: abi.OpenParallel})
					s.Push(0, 0, text)
					s.Finish(abi.RawOffset(len(text)), abi.FinishUnknown)
				}
			})
		}
	}
}
