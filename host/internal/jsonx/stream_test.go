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

func TestLenientStream(t *testing.T) {
	for _, c := range []struct {
		name, text, out string
		whole           bool
	}{
		{"comma before the object's end", `{"a":1, }`, `{"a":1}`, true},
		{"comma before the array's end", `{"a":[1,2 ,]}`, `{"a":[1,2 ]}`, true},
		{"two commas", `[1,,2]`, `[1,2]`, true},
		{"comma behind the opener", `{,"a":[,]}`, `{"a":[]}`, true},
		{"Python's words", `{"a":True,"b":[False, None]}`, `{"a":true,"b":[false, null]}`, true},
		{"a word that is none of them", `{"a":Trueish}`, `{"a":trueish}`, false},
		{"the beginning of a word, and no more", `{"a":Tr,"b":1}`, `{"a":Tr,"b":1}`, false},
		{"a word as a key", `{True:1}`, `{True:1}`, false},
		{"single quotation marks", `{'a':'b'}`, `{"a":"b"}`, true},
		{"marks within marks", `{'a':'say "x"','b':"it's"}`, `{"a":"say \"x\"","b":"it's"}`, true},
		{"brackets and commas in single marks", `{'a':'}],{'}`, `{"a":"}],{"}`, true},
		{"escapes in single marks", `['it\'s','\x41\n\\','\d','\u00e9']`, `["it's","\u0041\n\\","\\d","\u00e9"]`, true},
		{"raw line feed in single marks", "['a\nb']", `["a\nb"]`, true},
		{"an apostrophe that ends too early", `{'a':'it's'}`, `{"a":"it"s'}`, false},
		{"characters of several bytes", `{'ключ':'東'}`, `{"ключ":"東"}`, true},
		{"comma at the text's end", `{"a":1,`, `{"a":1`, false},
		{"a bare word", `{a:1}`, `{a:1}`, false},
		{"closer of the other kind after a comma", `{"a":1,]`, `{"a":1]`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for n := 1; n <= len(c.text); n++ {
				s := jsonx.Stream{Repair: true, Lenient: true}
				var out []byte
				for rest := c.text; rest != ""; {
					cut := min(n, len(rest))
					out = s.Append(out, []byte(rest[:cut]))
					rest = rest[cut:]
				}
				if string(out) != c.out || s.Whole() != c.whole {
					t.Fatalf("in pieces of %d: %q, whole %v", n, out, s.Whole())
				}
				if c.whole && !json.Valid(out) {
					t.Fatalf("%q is no JSON", out)
				}
			}
		})
	}
}

func TestWhatWaitsCanBeTaken(t *testing.T) {
	for text, want := range map[string]string{`{"a":1, `: `{"a":1, `, `{"a":Fal`: `{"a":Fal`, `{"a":`: `{"a":`} {
		s := jsonx.Stream{Lenient: true}
		if got := s.AppendWaiting(s.Append(nil, []byte(text))); string(got) != want {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

// FuzzLenientStream holds that what is called whole is JSON, that it does not depend on
// the pieces, and that JSON is left as it is.
func FuzzLenientStream(f *testing.F) {
	for _, seed := range []string{`{'a':[1,],'b':True}`, `{"a":"b",}`, `['\x4']`, `{'a':None,,}`, `[1,2`, `[Tru`, `['\`} {
		f.Add(seed, uint8(2))
	}
	f.Fuzz(func(t *testing.T, text string, n uint8) {
		if strings.Count(text, "[")+strings.Count(text, "{") > 1000 {
			t.Skip("nesting is bounded")
		}
		whole := jsonx.Stream{Repair: true, Lenient: true}
		want := whole.Append(nil, []byte(text))
		cut := jsonx.Stream{Repair: true, Lenient: true}
		var got []byte
		for rest := text; rest != ""; {
			m := min(1+int(n)%8, len(rest))
			got = cut.Append(got, []byte(rest[:m]))
			rest = rest[m:]
		}
		if string(got) != string(want) || whole.Whole() != cut.Whole() {
			t.Fatalf("%q: %q, in pieces %q", text, want, got)
		}
		if whole.Whole() && !json.Valid(want) {
			t.Fatalf("%q became %q", text, want)
		}
		if json.Valid([]byte(text)) && string(want) != text {
			t.Fatalf("%q became %q", text, want)
		}
	})
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
