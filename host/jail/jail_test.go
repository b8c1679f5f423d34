package jail

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/builtin/hermes"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/native"
)

func session(t testing.TB) (*parse.Session, *manifest.Parser) {
	t.Helper()
	return openBatch(t, &hermes.Module, "hermes_batch")
}

func openBatch(t testing.TB, m *sdk.Module, name string) (*parse.Session, *manifest.Parser) {
	t.Helper()
	e, err := native.Parser(m, name)
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := parse.Open(parse.Config{Engine: e, Open: abi.OpenBlock{Tools: []string{"f"}, Flags: abi.OpenParallel}})
	if err != nil {
		t.Fatal(err)
	}
	return s, e.Parser()
}

// collector collects events: text as it is, calls in brackets.
type collector struct {
	out  strings.Builder
	text abi.RawOffset // end of the text so far
	t    testing.TB
}

func (s *collector) add(events []parse.CheckedEvent) {
	for i := range events {
		switch e := &events[i]; e.Kind {
		case abi.Text:
			if e.Start < s.text || e.End-e.Start != abi.RawOffset(len(e.Data)) {
				s.t.Errorf("text %q at %d-%d after %d", e.Data, e.Start, e.End, s.text)
			}
			s.text = e.End
			s.out.Write(e.Data)
		case abi.Call:
			fmt.Fprintf(&s.out, "[%s ", e.Data)
		case abi.Args:
			s.out.Write(e.Data)
		case abi.CallEnd:
			s.out.WriteString("]")
		case abi.CallDrop:
			s.out.WriteString("!]")
		}
	}
}

// read pushes the parts, the last as that which comes with the finish reason.
func read(t testing.TB, r Reader, parts ...string) string {
	t.Helper()
	defer r.Close()
	s := collector{t: t}
	for i, p := range parts {
		events, err := r.Push(p, i == len(parts)-1)
		if err != nil {
			t.Fatal(err)
		}
		s.add(events)
	}
	events, err := r.Finish(abi.FinishUnknown)
	if err != nil {
		t.Fatal(err)
	}
	s.add(events)
	return s.out.String()
}

const (
	call  = `<tool_call>{"name":"f","arguments":{"a":1}}</tool_call>`
	asked = `[f {"a":1}]`
)

func TestMarkerMode(t *testing.T) {
	for _, c := range []struct {
		name  string
		parts []string
		want  string
	}{
		{"no call", []string{"plain", " text"}, "plain text"},
		{"text around a call", []string{"a ", call, " b"}, "a " + asked + " b"},
		{"false alarm", []string{"a<tool", "box>"}, "a<toolbox>"},
		{"text ends in an opener", []string{"a<tool_"}, "a<tool_"},
		{"white space between calls", []string{call + " " + call}, asked + " " + asked},
		{"white space after a call", []string{call + "\n"}, asked},
		{"white space with the finish reason", []string{call, "\n"}, asked},
		{"white space before the finish reason", []string{call, "\n", ""}, asked + "\n"},
		{"white space without a call", []string{"a\n"}, "a\n"},
		{"text after a call", []string{call, " x \n"}, asked + " x \n"},
		{"call in two pushes", []string{call[:20], call[20:]}, asked},
		{"missing closer", []string{call[:len(call)-12]}, asked},
		{"no valid call", []string{`<tool_call>{"name":7}</tool_call>x`}, `<tool_call>{"name":7}</tool_call>x`},
		{"closer alone", []string{"x</tool_call>y"}, "xy"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, p := session(t)
			if got := read(t, New(s, p.Jail), c.parts...); got != c.want {
				t.Errorf("%q: got %q, want %q", c.parts, got, c.want)
			}
		})
	}
}

func TestNothingOfACallLeavesBeforeItsEnd(t *testing.T) {
	s, p := session(t)
	j := New(s, p.Jail)
	defer j.Close()
	text := "Hm. " + call
	for i := range text {
		events, err := j.Push(text[i:i+1], false)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Kind != abi.Text && i < len(text)-1 {
				t.Fatalf("at byte %d of %d: %+v", i, len(text), e)
			}
		}
		if want := i >= 4 && i < len(text)-1; j.Holding() != want {
			t.Fatalf("at byte %d: holding %v", i, j.Holding())
		}
	}
}

func TestWithoutMarkersTheParserAloneDecides(t *testing.T) {
	s, _ := session(t)
	if got := read(t, New(s, nil), "a "+call, " b"); got != "a "+asked+" b" {
		t.Errorf("got %q", got)
	}
	s, _ = session(t)
	if got := read(t, New(s, &manifest.Jail{Open: []string{"<tool_call>"}}), "a "+call, call, " b"); got != "a "+asked+asked+" b" {
		t.Errorf("without a closer: %q", got)
	}
}

func TestImmediateMode(t *testing.T) {
	for _, c := range []struct {
		parts  []string
		native string // with a parser; "": as without
		bare   string // without
	}{
		{[]string{` [{"na`, `me":"f"}]`}, "", ` [{"name":"f"}]`},
		{[]string{`{"a":"<tool_call>"}`}, "", `{"a":"<tool_call>"}`},
		{[]string{" ", call[:5], call[5:]}, " " + asked, " " + call},
		{[]string{"Now. ", call}, "Now. " + asked, "Now. " + call},
		{[]string{"<tool"}, "", "<tool"},
		{[]string{"  "}, "", "  "},
		{[]string{""}, "", ""},
		{[]string{"[]"}, "", "[]"},
	} {
		if got := read(t, NewImmediate(nil), c.parts...); got != c.bare {
			t.Errorf("bare %q: %q", c.parts, got)
		}
		s, p := session(t)
		want := c.native
		if want == "" {
			want = c.bare
		}
		if got := read(t, NewImmediate(New(s, p.Jail)), c.parts...); got != want {
			t.Errorf("native %q: got %q, want %q", c.parts, got, want)
		}
	}
}

func TestJSONOfImmediateModeIsMarkedAsPayload(t *testing.T) {
	m := NewImmediate(nil)
	events, err := m.Push(` [{"name"`, false)
	if err != nil || len(events) != 1 || events[0].Flags&abi.FlagPayload == 0 || events[0].End != 9 || !m.Holding() {
		t.Errorf("%+v, %v", events, err)
	}
}

// What comes out does not depend on how the text was cut.
func TestJailSplits(t *testing.T) {
	words := []string{call, "<tool_call>", "</tool_call>", "{", "}", `"`, "`", "\n", " ", "ü", "a", "<", `{"name":"f",`, `"arguments":{}}`}
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 10).Draw(rt, "words"), "")
		s, p := session(t)
		want := read(t, New(s, p.Jail), text, "") // nothing comes with the finish reason
		var parts []string
		for rest := []rune(text); len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(rt, "cut")
			parts = append(parts, string(rest[:n]))
			rest = rest[n:]
		}
		s, p = session(t)
		if got := read(t, New(s, p.Jail), append(parts, "")...); got != want {
			rt.Fatalf("%q cut as %q:\ngot  %q\nwant %q", text, parts, got, want)
		}
	})
}

func TestMarkers(t *testing.T) {
	m := newMarkers([]string{"<call>", "<calls>", "["}, []string{"</call>"})
	for text, want := range map[string]struct {
		at    int
		whole bool
	}{
		"":           {0, false},
		"abc":        {3, false},
		"a<call>b":   {1, true},
		"a<ca":       {1, false},
		"a<cat<call": {5, false},
		"a<b [x":     {4, true},
		"x</call":    {1, false},
		"<calls":     {0, false},
	} {
		if at, whole := m.find(text); at != want.at || whole != want.whole {
			t.Errorf("%q: %d, %v", text, at, whole)
		}
	}
	for _, c := range []struct {
		tail, text string
		want       int
	}{{"", "x</call>y", 8}, {"</ca", "ll>y", 3}, {"</ca", "t>y", 0}, {"", "</call></call>", 7}, {"a</call", ">", 1}} {
		if got := m.closes(c.tail, c.text); got != c.want {
			t.Errorf("%q %q: %d", c.tail, c.text, got)
		}
	}
	for _, c := range []struct{ tail, text, want string }{
		{"", "x", ""}, {"", "x</ca", "</ca"}, {"</c", "al", "</cal"}, {"</c", "x", ""}, {"</call", "<", "<"}, {"", "</call>", ""},
	} {
		if got := m.begun(c.tail, c.text); got != c.want {
			t.Errorf("begun %q %q: %q", c.tail, c.text, got)
		}
	}
}
