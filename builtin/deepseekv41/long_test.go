package deepseekv41

import (
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
)

// said is what becomes of a text in pushes of n bytes: keys as k=, parts of
// values joined, ends as !, drops as ?.
func said(text string, n int) string {
	var out strings.Builder
	s, _ := sdk.Open(&Module, &abi.OpenBlock{Parser: "deepseek_v41", Tools: []string{"f"}})
	show := func(a abi.Answer) {
		for _, e := range a.Events {
			switch e.Kind {
			case abi.Key:
				out.WriteString("\n" + text[e.Start:e.Start+e.Len] + "=")
			case abi.Value, abi.Text, abi.Call:
				out.WriteString(text[e.Start : e.Start+e.Len])
			case abi.CallEnd:
				out.WriteString("!")
			case abi.CallDrop:
				out.WriteString("?")
			}
		}
	}
	for at := 0; at < len(text); at += n {
		show(s.Push(abi.RawOffset(at), 0, []byte(text[at:min(at+n, len(text))])))
	}
	show(s.Finish(abi.RawOffset(len(text)), abi.FinishUnknown))
	return out.String()
}

// A call that is too long to be held is read with the first closers, and one
// that waits for the end of the text too long ends at its first end.
func TestTooLongToHold(t *testing.T) {
	const second = `<｜DSML｜ parameter name="b" string="true">`
	long := strings.Repeat("some words ", 100_000)
	for name, c := range map[string]struct{ text, want string }{
		"second value": {
			open + header + param + "x" + closer + second + long + closer + callCloser + "ok",
			"f\na=x\nb=" + long + "!",
		},
		"quoted closer": {
			open + header + param + "x" + closer + long + closer + callCloser + "</｜DSML｜ calls>ok",
			"f\na=x" + closer + long + "!ok",
		},
		"waiting for the end": {
			open + header + param + second + "x" + closer + callCloser + "</｜DSML｜ calls>" + long,
			"f\na=" + second + "x!" + long,
		},
		"first value": {
			open + header + param + long + closer + callCloser + "</｜DSML｜ calls>ok",
			"f\na=" + long + "!ok",
		},
	} {
		for _, n := range []int{len(c.text), 1 << 16, 999} {
			if got := said(c.text, n); got != c.want {
				i := 0
				for i < min(len(got), len(c.want)) && got[i] == c.want[i] {
					i++
				}
				t.Errorf("%s, pushes of %d bytes: %d bytes, want %d; they differ from %d: %.60q, want %.60q", name, n, len(got), len(c.want), i, got[i:], c.want[i:])
			}
		}
	}
}

// The name is said with the header, the first value up to its first closer; what
// follows waits for the call's closer.
func TestEager(t *testing.T) {
	text := open + header + param + "Os" + "lo" + closer + param[:len(param)-20]
	if got := said(text, 5); got != "f\na=Oslo?" {
		t.Errorf("%q", got)
	}
}
