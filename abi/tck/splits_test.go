package tck

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSplits(t *testing.T) {
	count := func(word, text string) int {
		s, err := ParseSplits(word)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for split := range s.Of(text) {
			n++
			if strings.Join(split.Chunks, "") != text {
				t.Errorf("%s of %q is %q", split.Name, text, split.Chunks)
			}
		}
		return n
	}
	for word, want := range map[string]int{"whole": 1, "chars": 1, "random:7": 7, "every": 1 + 1 + 3 + 20} {
		if got := count(word, "aé日b"); got != want {
			t.Errorf("%s: %d splits, want %d", word, got, want)
		}
	}
	for _, word := range []string{"", "all", "random", "random:", "random:0", "random:-1", "random:x", "whole:2"} {
		if _, err := ParseSplits(word); err == nil {
			t.Errorf("%q was taken", word)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		for split := range EverySplit.Of(text) {
			for _, chunk := range split.Chunks {
				if !slices.Equal([]rune(chunk), []rune(strings.ToValidUTF8(chunk, ""))) {
					t.Fatalf("%s of %q cuts a character: %q", split.Name, text, split.Chunks)
				}
			}
			if strings.Join(split.Chunks, "") != text {
				t.Fatalf("%s of %q is %q", split.Name, text, split.Chunks)
			}
		}
	})
}
