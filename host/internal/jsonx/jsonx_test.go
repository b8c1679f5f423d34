package jsonx

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

var samples = []string{
	`{}`, `[]`, `null`, `true`, `-0`, `1e400`, `12345678901234567890`, `0.10`, `""`,
	`{"a":1,"b":[1, 2,{"c":"}]"}],"a":"twice"}`,
	` { "a" : { } , "b\n" : "x\u00e9\ud83d\ude00\ud800" } `,
	"{\"a\":\n[\r\n1,\n2]\n}",
	`{"":"","\"":"\\","\\\"":"\"}"}`,
	`"\ud83d"`, `"\ud83dx"`, `"\ude00\ud83d"`, `"\u0000\u001f\/"`, "\"\xff\"", "\"a\tb\"", "\"\x7f\"",
	`{"a":1}x`, `{"a"}`, `[1,]`, `{"a":}`, `01`, `+1`, `.5`, `1.`, `"`, `"\x"`, `{`, ``, ` `, `nul`, `{"a":1,}`,
}

func FuzzWalk(f *testing.F) {
	for _, s := range samples {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		want := json.Valid(data)
		if got := Valid(data); got != want {
			t.Fatalf("Valid(%q) = %v, encoding/json says %v", data, got, want)
		}
		v, err := Check(data)
		if (err == nil) != want {
			t.Fatalf("Check(%q): %v", data, err)
		}
		if !want {
			// No text may make a walk panic or run on.
			walk(data, 20)
			return
		}
		if got, want := decode(t, v), decodeStd(t, v); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: got %#v want %#v", data, got, want)
		}
		line := AppendRaw(nil, v)
		if bytes.ContainsAny(line, "\r\n") || !reflect.DeepEqual(decodeStd(t, line), decodeStd(t, v)) {
			t.Fatalf("AppendRaw(%q) = %q", v, line)
		}
	})
}

// walk goes through everything there is, down to a depth.
func walk(v Raw, depth int) {
	if depth == 0 {
		return
	}
	for o := ObjectOf(v); ; {
		_, value, ok := o.Next()
		if !ok {
			break
		}
		walk(value, depth-1)
	}
	for a := ArrayOf(v); ; {
		value, ok := a.Next()
		if !ok {
			break
		}
		walk(value, depth-1)
	}
	String(v)
	Int(v)
}

// decode reads a value with the walkers, numbers as their text.
func decode(t *testing.T, v Raw) any {
	switch v[0] {
	case '{':
		m := map[string]any{}
		for _, member := range Members(v) {
			m[member.Name] = decode(t, member.Value)
		}
		return m
	case '[':
		list := []any{}
		for a := ArrayOf(v); ; {
			e, ok := a.Next()
			if !ok {
				return list
			}
			list = append(list, decode(t, e))
		}
	case '"':
		s, ok := String(v)
		if !ok {
			t.Fatalf("String(%q) failed", v)
		}
		return s
	case 't', 'f':
		b, ok := Bool(v)
		if !ok {
			t.Fatalf("Bool(%q) failed", v)
		}
		return b
	case 'n':
		return nil
	}
	return json.Number(v)
}

func decodeStd(t *testing.T, v Raw) any {
	d := json.NewDecoder(bytes.NewReader(v))
	d.UseNumber()
	var out any
	if err := d.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

func FuzzAppendString(f *testing.F) {
	for _, s := range samples {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		line := AppendString(nil, s)
		var back string
		if err := json.Unmarshal(line, &back); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if want := string([]rune(s)); back != want {
			t.Fatalf("got %q want %q", back, want)
		}
		if !utf8.Valid(line) || bytes.ContainsAny(line, "\r\n") {
			t.Fatalf("%q is not one line of text", line)
		}
	})
}

func TestMembersKeepOrderAndNumbers(t *testing.T) {
	in := `{"z":9007199254740993,"a":1.10,"z2":{"k":[1e5]}}`
	if got := string(AppendMembers(nil, Members(Raw(in)))); got != in {
		t.Fatalf("got %s", got)
	}
	if got := string(Get(Raw(in), "a")); got != "1.10" {
		t.Fatalf("got %s", got)
	}
	if Get(Raw(in), "b") != nil {
		t.Fatal("a member that is not there was found")
	}
}

func TestCheckSaysWhereAndKeepsNothingOfTheText(t *testing.T) {
	for in, want := range map[string]string{
		`{"secret":tru}`: "not valid JSON at byte ",
		`{"secret":1`:    "not valid JSON: it ends too early",
	} {
		_, err := Check([]byte(in))
		if !errors.Is(err, ErrSyntax) || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("Check(%s): %v", in, err)
		}
	}
	buf := []byte(` {"a":1} `)
	v, _ := Check(buf)
	clear(buf)
	if string(v) != `{"a":1}` {
		t.Errorf("got %q", v)
	}
}

func TestInt(t *testing.T) {
	for in, want := range map[string]bool{"7": true, "-7": true, "9223372036854775807": true, "9223372036854775808": false, "1.0": false, "1e2": false, `"7"`: false, "": false} {
		if _, ok := Int(Raw(in)); ok != want {
			t.Errorf("Int(%q): ok = %v", in, ok)
		}
	}
}

func TestMarshalAndUnmarshal(t *testing.T) {
	type pair struct {
		A string `json:"a"`
		B Raw    `json:"b,omitempty"`
	}
	var p pair
	buf := []byte(`{"a":"<x>","b":{"n":9007199254740993}}`)
	in := string(buf)
	if err := Unmarshal(buf, &p); err != nil {
		t.Fatal(err)
	}
	out, err := Marshal(p)
	if err != nil || string(out) != in {
		t.Fatalf("got %s, %v", out, err)
	}
}

// TestValidAtEveryLength: sonic reads in blocks, and has overlooked faults near
// the end of one.
func TestValidAtEveryLength(t *testing.T) {
	texts := append([]string{
		`"`, `"\`, `"\u`, `"\u12`, `"\u123"`, `"\u12g4"`, `"\q"`, "\"\x01\"", "\"\n\"", `"é`, `"é\0"`, `{"`, `{"a`, `{"a":`, `{"a":"`, `[`, `["`, `[1`, `[1,`,
		`[1]]`, `[1] 1`, `1 1`, `tru`, `truex`, `1e`, `1e+`, `-`, `0x`, `{"a":1,}`, `{,}`, `[,]`, `{"a" 1}`, `{1:1}`, `[1 2]`, `"a""b"`, "\x00", "1\x00",
	}, samples...)
	for pad := range 140 {
		fill := strings.Repeat("0", pad)
		for _, s := range texts {
			for _, in := range []string{
				strings.Replace(s, `"`, `"`+fill, 1), strings.Repeat(" ", pad) + s, s + strings.Repeat(" ", pad),
				`["` + fill + `",` + s + `]`, `{"k":` + s + `,"` + fill + `":1}`, `"` + fill + s,
			} {
				if got, want := Valid([]byte(in)), json.Valid([]byte(in)); got != want {
					t.Fatalf("Valid(%q) = %v, encoding/json says %v", in, got, want)
				}
			}
		}
	}
}
