package sse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

const limit = 1 << 10

// all reads the events of src, written as text.
func all(src io.Reader) (string, error) {
	var b strings.Builder
	for r := NewReader(src, limit); ; {
		e, err := r.Next()
		if err != nil {
			return b.String(), err
		}
		fmt.Fprintf(&b, "%q %q %v %q\n", e.Name, e.Data, e.HasData, e.Comments)
	}
}

func TestEvents(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"plain":           {"data: a\n\ndata: b\n\n", `"" "a" true []` + "\n" + `"" "b" true []` + "\n"},
		"CRLF":            {"data: a\r\n\r\ndata: b\r\n\r\n", `"" "a" true []` + "\n" + `"" "b" true []` + "\n"},
		"CR":              {"data: a\r\rdata: b\r\r", `"" "a" true []` + "\n" + `"" "b" true []` + "\n"},
		"mixed ends":      {"data: a\n\r\n\rdata: b\r\n\n", `"" "a" true []` + "\n" + `"" "b" true []` + "\n"},
		"mark":            {"\ufeffdata: a\n\n\ufeffdata: b\n\n", `"" "a" true []` + "\n"},
		"lines of data":   {"data: a\ndata:b\ndata:  c\ndata\n\n", `"" "a\nb\n c\n" true []` + "\n"},
		"empty data":      {"data:\n\n", `"" "" true []` + "\n"},
		"name":            {"event: x\nevent: error\ndata: a\n\ndata: b\n\n", `"error" "a" true []` + "\n" + `"" "b" true []` + "\n"},
		"comments":        {": ping\n\nevent: e\n: c\n:d\n\n", `"" "" false ["ping"]` + "\n" + `"e" "" false ["c" "d"]` + "\n"},
		"unknown fields":  {"id: 7\nretry: 1\n{\"error\":1}\n\ndata: a\n\n", `"" "a" true []` + "\n"},
		"no empty line":   {"data: a\n\ndata: [DONE]", `"" "a" true []` + "\n" + `"" "[DONE]" true []` + "\n"},
		"nothing":         {"", ""},
		"only line feeds": {"\n\r\n\n", ""},
	} {
		for _, read := range []func(io.Reader) io.Reader{
			func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader,
		} {
			if got, err := all(read(strings.NewReader(c.in))); got != c.want || err != io.EOF {
				t.Errorf("%s: got %s, %v\nwant %s", name, got, err, c.want)
			}
		}
	}
}

func TestBrokenStreamDropsWhatIsUnfinished(t *testing.T) {
	broken := errors.New("broken")
	got, err := all(io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"), iotest.ErrReader(broken)))
	if got != "\"\" \"a\" true []\n" || err != broken {
		t.Fatalf("got %s, %v", got, err)
	}
}

func TestTooLong(t *testing.T) {
	for name, in := range map[string]string{
		"a line":       "data: ok\n\ndata: " + strings.Repeat("x", 2*limit),
		"a whole line": "data: ok\n\ndata: " + strings.Repeat("x", limit+1) + "\n\n",
		"an event":     "data: ok\n\n" + strings.Repeat("data: "+strings.Repeat("x", limit/4)+"\n", 5) + "\n",
	} {
		got, err := all(strings.NewReader(in))
		if err != ErrTooLong || got != "\"\" \"ok\" true []\n" {
			t.Errorf("%s: got %d bytes, %v", name, len(got), err)
		}
	}
	if got, err := all(strings.NewReader("data: " + strings.Repeat("x", limit-10) + "\n\n")); err != io.EOF || len(got) < limit-10 {
		t.Errorf("a line within the limit: %d bytes, %v", len(got), err)
	}
}

// cutReader gives its parts one by one.
type cutReader [][]byte

func (c *cutReader) Read(p []byte) (int, error) {
	for len(*c) > 0 && len((*c)[0]) == 0 {
		*c = (*c)[1:]
	}
	if len(*c) == 0 {
		return 0, io.EOF
	}
	n := copy(p, (*c)[0])
	(*c)[0] = (*c)[0][n:]
	return n, nil
}

func FuzzCuts(f *testing.F) {
	f.Add([]byte("\ufeffdata: a\r\n\r\nevent: x\rdata: b\ndata: c\n\n: ping\n\ndata: [DONE]"), uint16(3), uint16(9))
	f.Fuzz(func(t *testing.T, data []byte, i, j uint16) {
		want, wantErr := all(bytes.NewReader(data))
		a, b := int(i)%(len(data)+1), int(j)%(len(data)+1)
		a, b = min(a, b), max(a, b)
		got, err := all(&cutReader{data[:a], data[a:b], data[b:]})
		if got != want || err != wantErr {
			t.Fatalf("cut at %d and %d: got %s, %v\nwant %s, %v", a, b, got, err, want, wantErr)
		}
		got, err = all(iotest.OneByteReader(bytes.NewReader(data)))
		if got != want || err != wantErr {
			t.Fatalf("byte by byte: got %s, %v\nwant %s, %v", got, err, want, wantErr)
		}
	})
}

func BenchmarkReader(b *testing.B) {
	const n = 500
	in := []byte(strings.Repeat("data: "+strings.Repeat("x", 200)+"\n\n", n))
	b.ReportAllocs()
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		r := NewReader(bytes.NewReader(in), 1<<20)
		for {
			if _, err := r.Next(); err != nil {
				break
			}
		}
	}
}
