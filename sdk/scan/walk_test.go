package scan

import (
	"fmt"
	"strings"
	"testing"
)

// walkSteps is what a walk over text comes to, read in pieces of n bytes.
func walkSteps(text string, n int) string {
	var x Walk
	x.Start(strings.HasPrefix(text, "["))
	return stepsOf(&x, text, n)
}

func stepsOf(x *Walk, text string, n int) string {
	var out []string
	at := 0
	for end := min(n, len(text)); ; end = min(end+n, len(text)) {
		for {
			next, s := x.Next([]byte(text[:end]), at)
			at = next
			if s == WalkMore {
				break
			}
			out = append(out, fmt.Sprintf("%d%s", at, [...]string{"", "{", "k", "K", "v", "V", "}", ".", "!"}[s]))
			if s == WalkEnd || s == WalkBad {
				if s == WalkBad {
					out = append(out, fmt.Sprintf("depth %d", x.Brackets().Depth))
				}
				return strings.Join(out, " ")
			}
		}
		if end == len(text) {
			return strings.Join(out, " ")
		}
	}
}

func TestWalk(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"no members", `{}`, "1{ 2} 2."},
		{"number, then other text", `{"a": 1}x`, "1{ 1k 4K 6v 7V 8} 8."},
		{"strings and brackets", `{"a":"}" , "b":[{}] }`, `1{ 1k 4K 5v 8V 11k 14K 15v 19V 21} 21.`},
		{"no objects", `[]`, "2."},
		{"objects in an array", `[{}, {"a":{}}]`, "2{ 3} 6{ 6k 9K 10v 12V 13} 14."},
		{"cut after a key", `{"a"`, "1{ 1k 4K"},
		{"cut in a value", `{"a":"b`, "1{ 1k 4K 5v"},
		{"key without quotes", `{a`, "1{ 1! depth 1"},
		{"bad value", `{"a":[tru]`, "1{ 1k 4K 5v 9! depth 2"},
		{"comma at the end", `{"a":1,}`, "1{ 1k 4K 5v 6V 7! depth 1"},
		{"element that is no object", `[1]`, "1! depth 1"},
		{"no comma between objects", `[{} {}]`, "2{ 3} 4! depth 1"},
		{"object without an end", `[{"a":{}]`, "2{ 2k 5K 6v 8V 8! depth 2"},
		{"no JSON", `x`, "0! depth 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for n := 1; n <= len(c.text); n++ {
				if got := walkSteps(c.text, n); got != c.want {
					t.Fatalf("%q in pieces of %d:\ngot  %s\nwant %s", c.text, n, got, c.want)
				}
			}
		})
	}
}

func TestLenientWalk(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"comma at the end", `{"a":1,}`, "1{ 1k 4K 5v 6V 8} 8."},
		{"comma behind the opener", `{,"a":1}`, "1{ 2k 5K 6v 7V 8} 8."},
		{"single marks", `{'a': '}',"b":True}`, "1{ 1k 4K 6v 9V 10k 13K 14v 18V 19} 19."},
		{"comma behind the objects", `[{},]`, "2{ 3} 5."},
		{"comma behind a colon", `{"a":,}`, "1{ 1k 4K 5v 5! depth 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for n := 1; n <= len(c.text); n++ {
				var x Walk
				x.StartLenient(c.text[0] == '[')
				if got := stepsOf(&x, c.text, n); got != c.want {
					t.Fatalf("%q in pieces of %d:\ngot  %s\nwant %s", c.text, n, got, c.want)
				}
			}
		})
	}
}
