// Package holdback says how much of a text's end must be held back because it may
// turn out to be the beginning of a marker: a stop string, an end token's text, a
// tag of a grammar. Everything before it can go out.
package holdback

import "strings"

// Suffix is the length, in bytes, of the longest suffix of text that one of the
// markers begins with, or is.
func Suffix(text string, markers []string) int { return longest(text, markers, 0) }

// Partial is Suffix for a marker that is not whole yet: at least its last byte is
// missing.
func Partial(text string, markers []string) int { return longest(text, markers, 1) }

func longest(text string, markers []string, missing int) int {
	found := 0
	for _, m := range markers {
		for n := min(len(m)-missing, len(text)); n > found; n-- {
			if text[len(text)-n] == m[0] && strings.HasSuffix(text, m[:n]) {
				found = n
			}
		}
	}
	return found
}
