package stream_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/turnkey-parsers/turnkey/host/framing"
	"github.com/turnkey-parsers/turnkey/host/stream"
)

var vocabulary = []string{
	call, "<think>", "</think>", "<tool_call>", "</tool_call>", `{"name":"open_vent",`, `"arguments":{"house":`, "3}}", `"`, "`", "'",
	"\n", " ", "ü", "🌱", "word ", "<", "<|im_end|>", "[", "{",
}

// cutUp cuts a text into chunks at characters.
func cutUp(rt *rapid.T, text_ string) (lines []string) {
	for rest := []rune(text_); len(rest) > 0; {
		n := rapid.IntRange(1, min(len(rest), 12)).Draw(rt, "cut")
		lines = append(lines, text(string(rest[:n])))
		rest = rest[n:]
	}
	return lines
}

// Streamed or not, however the text was cut, on every route: the same answer.
func TestT96_StreamBatchAndEverySplitAgree(t *testing.T) {
	models := routes(t)
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom([]string{"unified", "split", "jail"}).Draw(rt, "route")
		raw := strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, 12).Draw(rt, "parts"), "")
		reason := rapid.SampledFrom([]string{"stop", "length", ""}).Draw(rt, "finish")
		arguments := rapid.SampledFrom([]framing.Arguments{framing.Eager, framing.Whole}).Draw(rt, "arguments")
		model := func(m *stream.Model) { models[name](m); m.Arguments = arguments }
		play := func(lines []string, batch bool) (whole string) {
			if reason != "" {
				lines = append(slices.Clone(lines), finish(reason))
			}
			r := play(t, scene{model: model, request: tools, lines: lines, batch: batch})
			switch {
			case r.err != nil && reason == "": // something was open: for every cut, or for none
				return r.err.Error()
			case r.err != nil:
				rt.Fatal(r.err)
			}
			return fmt.Sprint(joined(&view{events: complete(r.view(0).events)}), " ", r.view(0).finish)
		}
		want := play([]string{text(raw)}, true)
		lines := cutUp(rt, raw)
		for _, batch := range []bool{true, false} {
			if got := play(lines, batch); got != want {
				rt.Fatalf("%s, batch %v, %q as %q:\ngot  %s\nwant %s", name, batch, raw, lines, got, want)
			}
		}
	})
}

// complete leaves out the calls that were cut: a stream may show their beginning.
func complete(events []string) []string {
	return slices.DeleteFunc(slices.Clone(events), func(e string) bool {
		return strings.HasPrefix(e, "call:") && !strings.HasSuffix(e, "}")
	})
}
