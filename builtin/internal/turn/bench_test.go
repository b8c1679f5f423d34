package turn

import (
	"fmt"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
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

const chunk = 16

func open(lead string) (*sdk.Session, uint32) {
	s, _ := sdk.Open(&module, &abi.Session{Tools: []string{"f"}, Flags: abi.OpenParallel})
	s.Push(0, 0, []byte(lead))
	return s, uint32(len(lead))
}

// BenchmarkStream is one push of 16 bytes, in texts of growing length: the time
// of a push must not grow with the text.
func BenchmarkStream(b *testing.B) {
	for _, c := range streams {
		for size := 64 << 10; size <= 256<<10; size *= 2 {
			text := []byte(strings.Repeat(c.body, size/len(c.body)+1)[:size])
			b.Run(fmt.Sprintf("%s/%dKiB", c.name, size>>10), func(b *testing.B) {
				b.ReportAllocs()
				s, off := open(c.lead)
				at := 0
				for b.Loop() {
					if at == len(text) {
						b.StopTimer()
						s, off = open(c.lead)
						at = 0
						b.StartTimer()
					}
					s.Push(off, 0, text[at:at+chunk])
					at, off = at+chunk, off+chunk
				}
			})
		}
	}
}

// Once its buffers have grown, a session allocates nothing.
func TestPushAllocatesNothing(t *testing.T) {
	for _, c := range streams {
		if strings.Contains(c.name, "held") || c.name == "arguments first" || c.name == "open quote" {
			continue // what is held grows a buffer
		}
		s, off := open(c.lead)
		text := []byte(strings.Repeat(c.body, 4096/len(c.body)+1))
		at := 0
		push := func() {
			if at+chunk > len(text) {
				at = 0
			}
			s.Push(off, 0, text[at:at+chunk])
			at, off = at+chunk, off+chunk
		}
		for range 600 {
			push()
		}
		if n := testing.AllocsPerRun(1000, push); n != 0 {
			t.Errorf("%s: %v allocations a push", c.name, n)
		}
	}
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
					s, _ := open("")
					s.Push(0, 0, text)
					s.Finish(uint32(len(text)), abi.FinishUnknown)
				}
			})
		}
	}
}
