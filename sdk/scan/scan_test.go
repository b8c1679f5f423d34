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
		b, want string
		final   bool
		v       scan.Verdict
	}{
		{"", "ab", false, scan.Wait}, {"", "ab", true, scan.No},
		{"a", "ab", false, scan.Wait}, {"a", "ab", true, scan.No},
		{"ab", "ab", false, scan.Yes}, {"abc", "ab", true, scan.Yes},
		{"ac", "ab", false, scan.No}, {"b", "ab", false, scan.No},
	} {
		if v := scan.Prefix([]byte(c.b), c.want, c.final); v != c.v {
			t.Errorf("Prefix(%q, %q, %v) = %v, want %v", c.b, c.want, c.final, v, c.v)
		}
	}
}

func TestSetFind(t *testing.T) {
	s := scan.NewSet("<a>", "<a>b", "<b>", "\n\n<b>")
	for _, c := range []struct {
		b      string
		final  bool
		at, id int
		v      scan.Verdict
	}{
		{"no marker", false, 9, -1, scan.No},
		{"x<a>", false, 1, 0, scan.Wait}, // "<a>b" may follow
		{"x<a>", true, 1, 0, scan.Yes},
		{"x<a>c", false, 1, 0, scan.Yes},
		{"x<a>b", false, 1, 1, scan.Yes},
		{"x<", false, 1, -1, scan.Wait},
		{"x<", true, 2, -1, scan.No},
		{"<c<b>", false, 2, 2, scan.Yes},
		{"\n\n\n<b>", false, 1, 3, scan.Yes},
		{"\n\nx<b>", false, 3, 2, scan.Yes},
		{"x\n", false, 1, -1, scan.Wait},
	} {
		at, id, v := s.Find([]byte(c.b), 0, c.final)
		if at != c.at || v != c.v || v == scan.Yes && id != c.id {
			t.Errorf("Find(%q, %v) = %d, %d, %v, want %d, %d, %v", c.b, c.final, at, id, v, c.at, c.id, c.v)
		}
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
		text   string
		n      int
		status scan.Status
	}{
		{"{\"a\":\"raw\nline\x01\"}x", 17, scan.Done},
		{`{"a":"x <end> {"}`, 17, scan.Done},
		{`{"a":"cut`, 9, scan.More},
		{`{"a":"b"c`, 8, scan.Bad},
		{`{"a":"\q`, 7, scan.Bad},
		{`42,`, 2, scan.Done},
		{`42`, 2, scan.More},
		{`{a`, 1, scan.Bad},
		{`[}`, 1, scan.Bad},
		{`{"a":[1}`, 7, scan.Bad},
		{strings.Repeat("[", scan.MaxDepth), scan.MaxDepth, scan.More},
		{strings.Repeat("[", scan.MaxDepth+1), scan.MaxDepth, scan.Bad},
		{strings.Repeat("[", scan.MaxDepth) + strings.Repeat("]", scan.MaxDepth), 2 * scan.MaxDepth, scan.Done},
	} {
		var j scan.JSON
		if n, status := j.Scan([]byte(c.text)); n != c.n || status != c.status {
			t.Errorf("Scan(%.40q) = %d, %v, want %d, %v", c.text, n, status, c.n, c.status)
		}
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
