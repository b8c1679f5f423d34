package holdback

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func ExampleSuffix() {
	text := "The answer is 42.</to"
	n := Suffix(text, []string{"</tool_call>", "<tool_call>"})
	fmt.Printf("emit %q, hold %q\n", text[:len(text)-n], text[len(text)-n:])
	// Output: emit "The answer is 42.", hold "</to"
}

// TestAgainstDefinition compares with the plain reading of what the functions
// promise.
func TestAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("ab<")), 0, 12, -1).Draw(t, "text")
		markers := rapid.SliceOf(rapid.StringOfN(rapid.RuneFrom([]rune("ab<")), 0, 5, -1)).Draw(t, "markers")
		suffix, partial := 0, 0
		for n := 1; n <= len(text); n++ {
			for _, m := range markers {
				if !strings.HasPrefix(m, text[len(text)-n:]) {
					continue
				}
				suffix = n
				if n < len(m) {
					partial = n
				}
			}
		}
		if got := Suffix(text, markers); got != suffix {
			t.Errorf("Suffix(%q, %q) is %d, want %d", text, markers, got, suffix)
		}
		if got := Partial(text, markers); got != partial {
			t.Errorf("Partial(%q, %q) is %d, want %d", text, markers, got, partial)
		}
	})
}
