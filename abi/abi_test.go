package abi_test

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/turnkey-parsers/turnkey/abi"
)

func TestEventRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := abi.Event{
			Kind: abi.Kind(rapid.Byte().Draw(t, "kind")), Flags: rapid.Byte().Draw(t, "flags"), Call: rapid.Uint16().Draw(t, "call"),
			Start: rapid.Uint32().Draw(t, "start"), Len: rapid.Uint32().Draw(t, "len"), End: abi.RawOffset(rapid.Uint32().Draw(t, "end")),
		}
		b := abi.AppendEvent([]byte("before"), want)
		if len(b) != len("before")+abi.EventSize {
			t.Fatalf("%d bytes", len(b))
		}
		if got := abi.DecodeEvent(b[len("before"):]); got != want {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	})
}

func TestWatch(t *testing.T) {
	for _, c := range []struct{ name, set, want string }{
		{"no byte", "", "\xff\xff\xff\xff\xff\xff\xff\xff"},
		{"one byte", "<", "<<<<<<<<"},
		{"two bytes", "ab", "abbbbbbb"},
		{"eight bytes", "abcdefgh", "abcdefgh"},
	} {
		e := abi.WatchEvent(uint8(abi.Value), 3, []byte(c.set), 9)
		got := abi.DecodeEvent(abi.AppendEvent(nil, e)).Watched()
		if string(got[:]) != c.want || e.Kind != abi.Watch || e.Flags != 8 || e.Call != 3 || e.End != 9 {
			t.Errorf("%s: got %q in %+v", c.name, got, e)
		}
	}
}

func drawOpenBlock(t *rapid.T) abi.OpenBlock {
	text := rapid.String()
	s := abi.OpenBlock{
		Parser: text.Draw(t, "parser"), Start: abi.Channel(rapid.IntRange(0, 3).Draw(t, "start")),
		Mode: abi.Mode(rapid.IntRange(0, 2).Draw(t, "mode")), Flags: rapid.Uint32().Draw(t, "flags"),
		ToolChoice: abi.ToolChoice(rapid.IntRange(0, 3).Draw(t, "choice")), NamedTool: text.Draw(t, "named"), PromptTail: text.Draw(t, "tail"), Tools: rapid.SliceOf(text).Draw(t, "tools"),
	}
	for range rapid.IntRange(0, 3).Draw(t, "options") {
		s.Options = append(s.Options, abi.Option{Key: strings.ReplaceAll(text.Draw(t, "key"), "=", ""), Value: text.Draw(t, "value")})
	}
	for range rapid.IntRange(0, 3).Draw(t, "schemas") {
		s.Schemas = append(s.Schemas, abi.Schema{Tool: rapid.Uint32().Draw(t, "tool"), JSON: text.Draw(t, "schema")})
	}
	return s
}

func sameOpenBlock(a, b abi.OpenBlock) bool {
	return a.Parser == b.Parser && a.Start == b.Start && a.Mode == b.Mode && a.ToolChoice == b.ToolChoice && a.NamedTool == b.NamedTool && a.PromptTail == b.PromptTail &&
		a.Flags == b.Flags && slices.Equal(a.Tools, b.Tools) && slices.Equal(a.Options, b.Options) && slices.Equal(a.Schemas, b.Schemas)
}

func TestOpenRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawOpenBlock(t)
		block := abi.AppendOpen(nil, &want)
		// A record of a tag that is not known is skipped, wherever it stands.
		block = append([]byte("\xff\x7f\x00\x00\x03\x00\x00\x00new"), block...)
		got, err := abi.DecodeOpen(block)
		if err != nil || !sameOpenBlock(got, want) {
			t.Fatalf("got %+v, %v, want %+v", got, err, want)
		}
	})
}

func TestOpenMalformed(t *testing.T) {
	for name, block := range map[string]string{
		"cut in a header":   "\x01\x00\x00\x00\x01\x00\x00",
		"cut in a payload":  "\x01\x00\x00\x00\x02\x00\x00\x00a",
		"huge length":       "\x01\x00\x00\x00\xff\xff\xff\xffa",
		"START of two":      "\x02\x00\x00\x00\x02\x00\x00\x00\x01\x01",
		"START of none":     "\x02\x00\x00\x00\x00\x00\x00\x00",
		"no such START":     "\x02\x00\x00\x00\x01\x00\x00\x00\x04",
		"MODE of two":       "\x03\x00\x00\x00\x02\x00\x00\x00\x01\x01",
		"no such MODE":      "\x03\x00\x00\x00\x01\x00\x00\x00\x03",
		"no such choice":    "\x0a\x00\x00\x00\x01\x00\x00\x00\x04",
		"no choice":         "\x0a\x00\x00\x00\x00\x00\x00\x00",
		"FLAGS of three":    "\x07\x00\x00\x00\x03\x00\x00\x00\x01\x00\x00",
		"OPTION without =":  "\x08\x00\x00\x00\x01\x00\x00\x00a",
		"TOOL_SCHEMA short": "\x09\x00\x00\x00\x03\x00\x00\x00\x01\x00\x00",
	} {
		if got, err := abi.DecodeOpen([]byte(block)); err == nil {
			t.Errorf("%s: read as %+v", name, got)
		}
	}
}

func TestLastOptionCounts(t *testing.T) {
	s := abi.OpenBlock{Options: []abi.Option{{Key: "a", Value: "1"}, {Key: "b", Value: "2"}, {Key: "a", Value: "3"}}}
	if s.Option("a") != "3" || s.Option("c") != "" {
		t.Errorf("got %q and %q", s.Option("a"), s.Option("c"))
	}
}

func TestPromptTail(t *testing.T) {
	long := strings.Repeat("é", abi.MaxPromptTail)
	for _, c := range []struct{ name, prompt, want string }{
		{"empty", "", ""},
		{"short", "short", "short"},
		{"too long", long, long[:abi.MaxPromptTail]},
		{"too long, cut in a character", long + "x", strings.Repeat("é", abi.MaxPromptTail/2-1) + "x"},
		{"no character begins in it", strings.Repeat("\xbf", abi.MaxPromptTail+9), ""},
	} {
		if got := abi.PromptTail(c.prompt); got != c.want {
			t.Errorf("%s: got %d bytes, want %d", c.name, len(got), len(c.want))
		}
	}
}

func FuzzDecodeOpen(f *testing.F) {
	f.Add(abi.AppendOpen(nil, &abi.OpenBlock{Parser: "larch", Mode: abi.ModeGuidedNamed, NamedTool: "f", Tools: []string{"f"}, PromptTail: "<think>",
		Options: []abi.Option{{Key: "a", Value: "b"}}, Schemas: []abi.Schema{{Tool: 0, JSON: "{}"}}}))
	f.Add([]byte("\x01\x00\x00\x00\xff\xff\xff\xffa"))
	f.Fuzz(func(t *testing.T, block []byte) {
		s, err := abi.DecodeOpen(block)
		if err != nil {
			return
		}
		again, err := abi.DecodeOpen(abi.AppendOpen(nil, &s))
		if err != nil || !sameOpenBlock(again, s) {
			t.Errorf("got %+v, %v, want %+v", again, err, s)
		}
	})
}

func FuzzEvents(f *testing.F) {
	f.Add(abi.AppendEvent(nil, abi.WatchEvent(1, 0, []byte("<"), 7)))
	f.Fuzz(func(t *testing.T, b []byte) {
		for len(b) >= abi.EventSize {
			e := abi.DecodeEvent(b)
			if again := abi.AppendEvent(nil, e); !bytes.Equal(again, b[:abi.EventSize]) {
				t.Fatalf("% x is read as %+v and written as % x", b[:abi.EventSize], e, again)
			}
			b = b[abi.EventSize:]
		}
	})
}

// What guests import must stay small: these packages would double a module's
// size.
func TestGuestsStaySmall(t *testing.T) {
	const module = "github.com/turnkey-parsers/turnkey/"
	cmd := exec.Command("go", "list", "-deps", module+"abi", module+"sdk", module+"sdk/scan", module+"sdk/guest", module+"builtin")
	cmd.Env = append(cmd.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	deps := strings.Fields(string(out))
	for _, heavy := range []string{"encoding/json", "fmt", "reflect", "regexp", "net", module + "abi/manifest"} {
		if slices.Contains(deps, heavy) {
			t.Errorf("a package that guests import pulls in %s", heavy)
		}
	}
	if !slices.Contains(deps, module+"sdk") {
		t.Errorf("go list gave %q", deps)
	}
}
