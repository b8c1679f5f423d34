package guided_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/framing/guided"
)

// printed writes down what a Reader makes out, each piece with its range of the raw
// text.
type printed struct{ strings.Builder }

func (p *printed) Text(text []byte, at guided.Span) { fmt.Fprintf(p, "text %q %v\n", text, at) }

func (p *printed) BeginCall(tool string, name guided.Span) (asText bool) {
	fmt.Fprintf(p, "call %s %v\n", tool, name)
	return tool == "unknown"
}

func (p *printed) Arguments(json []byte, at guided.Span) {
	fmt.Fprintf(p, "arguments %s %v\n", json, at)
}

func (p *printed) EndCall() { p.WriteString("end of call\n") }

func (p *printed) CutCall() { p.WriteString("cut\n") }

func ExampleReader() {
	var calls printed
	r := guided.NewReader(guided.Config{Mode: abi.ModeGuidedRequired, Eager: true, MaxHeld: 1 << 20}, &calls)
	r.Payload([]byte(`[{"name": "open_vent", "arguments": {"house`), 0)
	r.Payload([]byte(`": 3}}]`), 43)
	r.Finish()
	fmt.Print(calls.String())
	// Output:
	// call open_vent {10 21}
	// arguments {"house {36 43}
	// arguments ": 3} {43 48}
	// end of call
}

// What the parser left out between two pieces of a value counts for the raw text, but
// is no part of the value.
func TestGapsInThePayload(t *testing.T) {
	for _, eager := range []bool{false, true} {
		t.Run(fmt.Sprintf("eager %v", eager), func(t *testing.T) {
			var got printed
			r := guided.NewReader(guided.Config{Mode: abi.ModeGuidedRequired, Eager: eager, MaxHeld: 1 << 20}, &got)
			r.Payload([]byte(`[{"name":"f"},{"name":"`), 100)
			r.Payload([]byte(`unknown"},{"na`), 200)
			r.Payload([]byte(`me":"g"}]`), 300)
			r.Finish()
			want := "call f {109 112}\nend of call\ncall unknown {122 208}\ntext \"{\\\"name\\\":\\\"unknown\\\"}\" {114 209}\ncall g {304 307}\nend of call\n"
			if got.String() != want {
				t.Errorf("got:\n%swant:\n%s", got.String(), want)
			}
		})
	}
}

func TestNoCallIsTextByteForByte(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"no call", "say {\"mood\": 1}\n"},
		{"cut", `[{"name": "f"`},
		{"broken", `[{"name": f}]`},
		{"too long", `[{"name": "` + strings.Repeat("f", 100) + `"}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			for n := 1; n <= len(c.text); n++ {
				var text collected
				r := guided.NewReader(guided.Config{Mode: abi.ModeGuidedRequired, MaxHeld: 50}, &text)
				for at := 0; at < len(c.text); at += n {
					r.Payload([]byte(c.text[at:min(at+n, len(c.text))]), abi.RawOffset(at))
				}
				r.Finish()
				if string(text) != c.text {
					t.Fatalf("in pieces of %d: %q", n, text)
				}
			}
		})
	}
}

// collected is the text that a Reader makes out; calls are a mistake.
type collected []byte

func (c *collected) Text(text []byte, _ guided.Span) { *c = append(*c, text...) }

func (c *collected) BeginCall(string, guided.Span) bool { panic("a call") }

func (c *collected) Arguments([]byte, guided.Span) {}

func (c *collected) EndCall() {}

func (c *collected) CutCall() {}
