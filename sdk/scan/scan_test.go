package scan_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

func TestPrefix(t *testing.T) {
	for _, c := range []struct {
		name    string
		b, want string
		final   bool
		v       scan.Verdict
	}{
		{"nothing yet", "", "ab", false, scan.Wait},
		{"nothing at the end", "", "ab", true, scan.No},
		{"a part", "a", "ab", false, scan.Wait},
		{"a part at the end", "a", "ab", true, scan.No},
		{"all", "ab", "ab", false, scan.Yes},
		{"more than all", "abc", "ab", true, scan.Yes},
		{"another second byte", "ac", "ab", false, scan.No},
		{"another first byte", "b", "ab", false, scan.No},
	} {
		t.Run(c.name, func(t *testing.T) {
			if v := scan.Prefix([]byte(c.b), c.want, c.final); v != c.v {
				t.Errorf("Prefix(%q, %q, %v) = %v, want %v", c.b, c.want, c.final, v, c.v)
			}
		})
	}
}

func TestSetFind(t *testing.T) {
	s := scan.NewSet("<a>", "<a>b", "<b>", "\n\n<b>")
	for _, c := range []struct {
		name   string
		b      string
		final  bool
		at, id int
		v      scan.Verdict
	}{
		{"none", "no marker", false, 9, -1, scan.No},
		{"may be the longer one", "x<a>", false, 1, 0, scan.Wait}, // "<a>b" may follow
		{"shorter one at the end", "x<a>", true, 1, 0, scan.Yes},
		{"shorter one", "x<a>c", false, 1, 0, scan.Yes},
		{"longer one", "x<a>b", false, 1, 1, scan.Yes},
		{"beginning of one", "x<", false, 1, -1, scan.Wait},
		{"beginning of one at the end", "x<", true, 2, -1, scan.No},
		{"another after a first byte", "<c<b>", false, 2, 2, scan.Yes},
		{"line feeds before it", "\n\n\n<b>", false, 1, 3, scan.Yes},
		{"framing that is none", "\n\nx<b>", false, 3, 2, scan.Yes},
		{"line feed that may frame", "x\n", false, 1, -1, scan.Wait},
	} {
		t.Run(c.name, func(t *testing.T) {
			at, id, v := s.Find([]byte(c.b), 0, c.final)
			if at != c.at || v != c.v || v == scan.Yes && id != c.id {
				t.Errorf("Find(%q, %v) = %d, %d, %v, want %d, %d, %v", c.b, c.final, at, id, v, c.at, c.id, c.v)
			}
		})
	}
	if got := string(s.FirstBytes()); got != "<\n" {
		t.Errorf("First() = %q", got)
	}
}

// However the bytes arrive, Find comes to the first marker of the whole text.
func TestSetFindResumes(t *testing.T) {
	markers := []string{"<a>", "<a>b", "<|x|>", "<|y|>", "ab"}
	s := scan.NewSet(markers...)
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"<", "a", ">", "b", "|", "x", "<|", "|>", "<a>", "<|y|>"}), 0, 12).Draw(t, "text"), "")
		wantAt, wantID := len(text), -1
		for i := range text {
			for id, m := range markers {
				if strings.HasPrefix(text[i:], m) && (wantID < 0 || len(m) > len(markers[wantID])) {
					wantAt, wantID = i, id
				}
			}
			if wantID >= 0 {
				break
			}
		}
		from := 0
		for n := 0; n <= len(text); n++ {
			final := n == len(text)
			at, id, v := s.Find([]byte(text[:n]), from, final)
			if from = at; v == scan.Yes {
				if at != wantAt || id != wantID {
					t.Fatalf("%q: marker %d at %d after %d bytes, want %d at %d", text, id, at, n, wantID, wantAt)
				}
				return
			}
		}
		if wantID >= 0 {
			t.Fatalf("%q: marker %d at %d not found", text, wantID, wantAt)
		}
	})
}

func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,-2.5e+3,true,false,null,"x\"\\A"]} tail`, `[]`, `{}`, ` "s" `, `01`, `1.`, `{"a"}`, `[1,]`, `{"a":1,}`, `-`, `"\x"`, `nul`, `[[[[]]]]`, `{"a":"`, `1e5 `,
	} {
		f.Add([]byte(seed), uint8(3))
	}
	f.Fuzz(func(t *testing.T, b []byte, cut uint8) {
		for _, c := range b {
			if c < ' ' && !scan.IsSpace(c) || c == '\n' || c == '\t' || c == '\r' {
				t.Skip("raw control characters in strings are where the two differ")
			}
		}
		var whole, parts scan.JSON
		n, status := whole.Scan(b)
		at := min(int(cut), len(b))
		pn, pstatus := parts.Scan(b[:at])
		if pstatus == scan.More {
			clone := parts
			var more int
			more, pstatus = clone.Scan(b[at:])
			pn += more
		}
		if pn != n || pstatus != status {
			t.Fatalf("%q: whole %d, %v; cut at %d: %d, %v", b, n, status, at, pn, pstatus)
		}
		if first := bytes.TrimSpace(b); len(first) > 0 && strings.ContainsRune("-0123456789", rune(first[0])) {
			t.Skip("a decoder ends a number at the top level early: 01 is 0 and 1 to it")
		}
		d := json.NewDecoder(bytes.NewReader(b))
		var v json.RawMessage
		err := d.Decode(&v)
		switch complete := status == scan.Done || status == scan.More && whole.AtEnd(); {
		case complete && err != nil && !strings.Contains(err.Error(), "exceeded max depth"):
			t.Fatalf("%q: complete after %d, but encoding/json says %v", b, n, err)
		case complete && int64(n) != d.InputOffset():
			t.Fatalf("%q: complete after %d, encoding/json after %d", b, n, d.InputOffset())
		case !complete && err == nil:
			t.Fatalf("%q: %v at %d, but encoding/json reads %s", b, status, n, v)
		case status == scan.More && !complete && err != io.ErrUnexpectedEOF && err != io.EOF:
			t.Fatalf("%q: more at %d, but encoding/json says %v", b, n, err)
		}
	})
}

func TestJSON(t *testing.T) {
	for _, c := range []struct {
		name   string
		text   string
		n      int
		status scan.Status
	}{
		{"control characters in a string", "{\"a\":\"raw\nline\x01\"}x", 17, scan.Done},
		{"braces in a string", `{"a":"x <end> {"}`, 17, scan.Done},
		{"cut in a string", `{"a":"cut`, 9, scan.More},
		{"letter after a value", `{"a":"b"c`, 8, scan.Bad},
		{"unknown escape", `{"a":"\q`, 7, scan.Bad},
		{"number that a comma ends", `42,`, 2, scan.Done},
		{"number that may go on", `42`, 2, scan.More},
		{"key without quotes", `{a`, 1, scan.Bad},
		{"wrong bracket", `[}`, 1, scan.Bad},
		{"wrong inner bracket", `{"a":[1}`, 7, scan.Bad},
		{"deepest nesting", strings.Repeat("[", scan.MaxDepth), scan.MaxDepth, scan.More},
		{"too deep", strings.Repeat("[", scan.MaxDepth+1), scan.MaxDepth, scan.Bad},
		{"deepest value", strings.Repeat("[", scan.MaxDepth) + strings.Repeat("]", scan.MaxDepth), 2 * scan.MaxDepth, scan.Done},
	} {
		t.Run(c.name, func(t *testing.T) {
			var j scan.JSON
			if n, status := j.Scan([]byte(c.text)); n != c.n || status != c.status {
				t.Errorf("Scan(%.40q) = %d, %v, want %d, %v", c.text, n, status, c.n, c.status)
			}
		})
	}
}

// In a plain string, bytes that are not in StringWatch change nothing.
func TestJSONInPlainString(t *testing.T) {
	for _, text := range []string{`{"a`, `{"a":"x`, `["\n`, `"ሴ`} {
		var j scan.JSON
		j.Scan([]byte(text))
		if !j.InPlainString() || !j.InString() {
			t.Errorf("%q: not in a plain string", text)
		}
		for c := range 256 {
			if bytes.IndexByte(scan.StringWatch, byte(c)) >= 0 {
				continue
			}
			k := j
			if k.Scan([]byte{byte(c)}); k != j {
				t.Errorf("%q: byte %q changed the state", text, rune(c))
			}
		}
	}
	for _, text := range []string{`{`, `{"a\`, `{"a":`, `["\u12`, `[1`} {
		var j scan.JSON
		j.Scan([]byte(text))
		if j.InPlainString() {
			t.Errorf("%q: in a plain string", text)
		}
	}
}

func BenchmarkJSON(b *testing.B) {
	text := []byte(`{"path":"src/main.go","content":"package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(1)\n}\n","mode":420,"tags":["a","b"]}`)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		var j scan.JSON
		if n, status := j.Scan(text); n != len(text) || status != scan.Done {
			b.Fatal(n, status)
		}
	}
}
