package jsonx_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
)

// streamed is what a Stream makes of text in pieces of n bytes.
func streamed(text string, n int, repair bool) (string, jsonx.Stream) {
	s := jsonx.Stream{Repair: repair}
	var out []byte
	for len(text) > 0 {
		cut := min(n, len(text))
		out = s.Append(out, []byte(text[:cut]))
		text = text[cut:]
	}
	return string(out), s
}

func TestStream(t *testing.T) {
	for _, c := range []struct {
		name, text, out string
		repair          bool
		whole, object   bool
	}{
		{"object", " {\"a\": [1, null]}\n", " {\"a\": [1, null]}\n", true, true, true},
		{"array", `[{}]`, `[{}]`, true, true, false},
		{"number without an end", `-1.5e3`, `-1.5e3`, true, true, false},
		{"number with one", `42 `, `42 `, true, true, false},
		{"unfinished number", `4.`, `4.`, true, false, false},
		{"control characters, repaired", "{\"a\nb\":\"\x01\"}", `{"a\nb":"\u0001"}`, true, true, true},
		{"control characters, kept", "{\"a\nb\":\"\x01\"}", "{\"a\nb\":\"\x01\"}", false, false, true},
		{"cut", `{"a":`, `{"a":`, true, false, true},
		{"two values", `{} {}`, `{} {}`, true, false, true},
		{"broken, then a control character in a string", "{]\"\n\"", "{]\"\n\"", true, false, true},
		{"nothing", ``, ``, true, false, false},
		{"white space", "\n ", "\n ", true, false, false},
		{"deepest", strings.Repeat("[", 1024) + strings.Repeat("]", 1024), strings.Repeat("[", 1024) + strings.Repeat("]", 1024), true, true, false},
		{"too deep", strings.Repeat("[", 1025) + strings.Repeat("]", 1025), strings.Repeat("[", 1025) + strings.Repeat("]", 1025), true, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for n := 1; n <= max(1, len(c.text)); n += 1 + n/8 {
				out, s := streamed(c.text, n, c.repair)
				if out != c.out || s.Whole() != c.whole || s.IsObject() != c.object {
					t.Fatalf("in pieces of %d: %q, whole %v, object %v", n, out, s.Whole(), s.IsObject())
				}
			}
		})
	}
}

// FuzzStream holds the Stream against encoding/json, which bounds nesting elsewhere.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-2.5e+3,true,false,null,"x\"\u00e9"]}`, " 42 ", `01`, "\"a\nb\"", `{} x`, `{"a":1,}`, `1e5 `, "1\x002"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Count(text, "[")+strings.Count(text, "{") > 1000 {
			t.Skip("nesting is bounded")
		}
		for n := 1; n < 4; n++ {
			out, s := streamed(text, n, false)
			if out != text || s.Whole() != json.Valid([]byte(text)) {
				t.Fatalf("%q in pieces of %d: %q, whole %v", text, n, out, s.Whole())
			}
			repaired, r := streamed(text, n, true)
			if r.Whole() && !json.Valid([]byte(repaired)) {
				t.Fatalf("%q became %q", text, repaired)
			}
		}
	})
}
