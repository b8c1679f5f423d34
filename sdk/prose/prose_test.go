package prose_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

// toy has prose, thoughts, a stray marker and calls <call>NAME</call>.
var toy = prose.Compile(prose.Markers{
	Think: []string{"<think>"}, EndThink: []string{"</think>"},
	Strip: []string{"</call>", "<stray>"}, Calls: []string{"<call>", "\n\n<framed>", "<to a="},
	Tags: []string{"<to a=", "<tag "},
})

const manifest = `{"abi":"1.0","module":"toy","version":"1.0.0","parsers":[{"name":"toy","kind":"unified","guided":["required","named"]}]}`

var module = sdk.Module{Manifest: manifest, New: func(s *abi.OpenBlock) sdk.Parser {
	p := &parser{}
	p.prose.Start(toy, s.Start == abi.ChannelReasoning)
	return p
}}

// tried is the same with trials: a name that begins with "{" is JSON arguments, one with
// "?" or a line feed in it is no call.
var tried = sdk.Module{Manifest: manifest, New: func(*abi.OpenBlock) sdk.Parser { return newTried(false) }}

func newTried(thought bool) sdk.Parser {
	p := &parser{names: true}
	p.prose.Trial = newTried
	p.prose.Start(toy, thought)
	return p
}

type parser struct {
	prose prose.Machine
	call  bool
	names bool // names are looked at before the marker is consumed
}

func (p *parser) Step(w *sdk.Window) {
	for {
		if p.call && p.names {
			b := w.Bytes()
			n := strings.IndexAny(string(b), ">=") + 1
			end := strings.IndexAny(string(b[n:]), ">?\n")
			switch {
			case end < 0 && !w.Final:
				return
			case end < 0 || b[n+end] != '>':
				p.prose.GiveBack(w, n)
			case end > 0 && b[n] == '{':
				w.Call(0, 0, 0)
				w.Args(n, end, 0)
				w.CallEnd()
				w.Skip(n + end + 1)
			default:
				w.Call(n, end, 0)
				w.CallEnd()
				w.Skip(n + end + 1)
			}
			p.call = false
		}
		if p.call {
			b := w.Bytes()
			i := strings.IndexByte(string(b), '>')
			if i < 0 {
				if w.Final {
					w.Skip(w.Len())
				}
				return
			}
			w.Call(0, i, 0)
			w.CallEnd()
			w.Skip(i + 1)
			p.call = false
		}
		id, ok := p.prose.Next(w)
		if !ok {
			return
		}
		if !p.names {
			w.Skip(len(toy.Call(id)))
		}
		p.call = true
	}
}

// said shows what becomes of a text that comes in these pieces: thoughts in [],
// calls in {}.
func said(start abi.Channel, pieces []string) string { return saidBy(&module, start, pieces) }

func saidBy(m *sdk.Module, start abi.Channel, pieces []string) string {
	var text, out strings.Builder
	s, a := sdk.Open(m, &abi.OpenBlock{Start: start, Tools: []string{"f"}})
	channel := abi.Text
	show := func(a abi.Answer) {
		for _, e := range a.Events {
			span := ""
			if e.Kind != abi.Watch {
				span = text.String()[e.Start : e.Start+e.Len]
			}
			switch e.Kind {
			case abi.Text, abi.Reasoning:
				if e.Kind != channel {
					out.WriteString(map[abi.Kind]string{abi.Text: "]", abi.Reasoning: "["}[e.Kind])
				}
				channel = e.Kind
				out.WriteString(span)
			case abi.Call:
				out.WriteString("{" + span + "}")
			}
		}
	}
	show(a)
	for _, p := range pieces {
		off := text.Len()
		text.WriteString(p)
		show(s.Push(abi.RawOffset(off), 0, []byte(p)))
	}
	show(s.Finish(abi.RawOffset(text.Len()), abi.FinishUnknown))
	if channel == abi.Reasoning {
		out.WriteString("]")
	}
	return out.String()
}

func TestProse(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain", "Hello, world.", "Hello, world."},
		{"call", "a<call>f>b", "a{f}b"},
		{"thought", "<think>so</think>then", "[so]then"},
		{"adjacent thoughts", "<think>a</think><think>b</think>", "[ab]"},
		{"stray closers and openers", "a</think>b<think>c<think>d</think>", "ab[cd]"},
		{"call in a thought", "<think>a<call>f>b</think>c", "[a{f}b]c"},
		{"stray", "a<stray> b</call>", "a b"},
		{"beginning of a marker at the end", "a <cal", "a <cal"},
		{"beginning of a marker that is none", "a <calx> b", "a <calx> b"},

		{"quoted", `the "<call>" marker`, `the "<call>" marker`},
		{"single quotes with an apostrophe", "'isn't <call> it' x", "'isn't <call> it' x"},
		{"backticks", "`<call>`", "`<call>`"},
		{"unmatched", `she said "maybe<call>f>b`, `she said "maybe{f}b`},
		{"unmatched, then cut in JSON", `she said "maybe</call>{"`, `she said "maybe{"`},
		{"inches do not open", `5" deep <call>f>" x`, `5" deep {f}" x`},
		{"plural apostrophe", "the users' <call>f> b' c", "the users' {f} b' c"},
		{"no close before a letter", `"a <call>f>"b`, `"a {f}"b`},
		{"closes at the end of the text", `"<call>"`, `"<call>"`},
		{"nested", `"it's '<call>' here" <call>f>`, `"it's '<call>' here" {f}`},
		{"unmatched inside a quotation", `"a 'b <call> c" d`, `"a 'b <call> c" d`},
		{"escaped quotes", `"say \"<call>\" now"`, `"say \"<call>\" now"`},
		{"an empty line ends it", "\"a <call>f>\n\nb\" c", "\"a {f}\n\nb\" c"},
		{"a blank line ends it", "\"a <call>f>\n \t\nb\" c", "\"a {f}\n \t\nb\" c"},
		{"a line's end does not", "\"a\n<call>\nb\" c", "\"a\n<call>\nb\" c"},
		{"but for the end of a thought", "<think>\"a</think>b\" c\nd\"", "[\"a</think>b\" c\nd\"]"},
		{"closer on a line of its own", "<think>\"a</think>\nb\" c", "[\"a]\nb\" c"},
		{"closer on a later line than the quote", "<think>\"a\nb</think>c\" d", "[\"a\nb]c\" d"},
		{"closer between quotes of two lines", "<think>'a\n\"b</think>\" c</think>d'", "['a\n\"b</think>\" c]d'"},
		{"quotation that the thought's end ends", "<think>\"a <call>f> </think>\nb\" c", "[\"a {f} ]\nb\" c"},
		{"JSON behind a marker owns its quotes", `"a <call>{"p":"/x"}> b`, `"a {{"p":"/x"}} b`},
		{"JSON in a quotation", `"a <call>{"p":"/x"}" b`, `"a <call>{"p":"/x"}" b`},
		{"quotes of other scripts", `用"<call>"标记`, `用"<call>"标记`},
		{"letters of other scripts", `é"<call>f>" ü`, `é"{f}" ü`},
		{"attributes do not close it", `"a <call>f> <tag b="c"><call>g>`, `"a {f} <tag b="c">{g}`},
		{"nor those of a call", `"a <to a="f"><call>g>`, `"a {"f"}{g}`},
		{"nor do they open one", `<tag b="c"> <call>f>"`, `<tag b="c"> {f}"`},
		{"a tag ends with its line", "\"a <call>f> <tag b\n\"", "\"a <call>f> <tag b\n\""},
		{"and at another tag", `"a <tag b<call>f>`, `"a <tag b{f}`},
		{"a whole call in a quotation", `"a <call> <to a="f">" b`, `"a <call> <to a="f">" b`},
		{"JSON behind a tag", `"a <to a="f">{"p":"/x"}`, `"a {"f"}{"p":"/x"}`},
		{"an empty line before a marker ends it", "\"a <call>f>\n\n<framed>g> b\" c", "\"a {f}{g} b\" c"},
		{"framing of a quoted marker", "`a\n\n\n<framed>g> b` c", "`a\n{g} b` c"},
		{"a line feed that frames nothing", "\"a\n <call>\"\n\n<frame", "\"a\n <call>\"\n\n<frame"},
		{"two markers in one quotation", "`<call> <stray>` <stray>x", "`<call> <stray>` x"},
		{"second quotation behind an unmatched one", "'tis \"<call>\" so <call>f>", "'tis \"<call>\" so {f}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := said(abi.ChannelContent, []string{c.text}); got != c.want {
				t.Errorf("%q gives %q, want %q", c.text, got, c.want)
			}
			if got := said(abi.ChannelContent, strings.Split(c.text, "")); got != c.want {
				t.Errorf("%q byte by byte gives %q, want %q", c.text, got, c.want)
			}
		})
	}
	if got := said(abi.ChannelReasoning, []string{"<think>a</think>b"}); got != "[a]b" {
		t.Errorf("an echoed opener gives %q", got)
	}
}

// Every split, WATCH honoured or not, gives the same after each prefix.
func TestSplits(t *testing.T) {
	sdktest.Run(t, &module, sdktest.Config{Vocabulary: []string{
		"<think>", "</think>", "<stray>", "</call>", "<call>f>", "<call>", `"<call>`, "'", "`", `"`, "\n", "\n\n", "x",
		`<call>{"a":"b"}`, `{"`, `\"`, "雪", "é", "\n\n<framed>x>", `<tag a="`, `<to a="f">`,
	}})
}

// A marker behind a lone quotation mark is decided where a call behind it is certain, and
// at the latest when it was in doubt for 4 KiB.
func TestTrial(t *testing.T) {
	long := strings.Repeat("x ", 3<<10)
	for _, c := range []struct{ name, text, want string }{
		{"a lone mark", `It's "y<call>f>`, `It's "y{f}`},
		{"decided before the quotation closes", `"y <call>f> z" b`, `"y {f} z" b`},
		{"and before the first closes", `"y 'z <call>f>' b" c`, `"y 'z {f}' b" c`},
		{"closed before", `"y <call>" f>`, `"y <call>" f>`},
		{"a quoted call", `"<call>f> z" b`, `"<call>f> z" b`},
		{"two quoted calls", `"<call>f> '<call>g>' <call>h>" b`, `"<call>f> '<call>g>' <call>h>" b`},
		{"behind a quoted call", `"<call>f>" "x <call>g> b`, `"<call>f>" "x {g} b`},
		{"no call", `"y <call>? z" b`, `"y <call>? z" b`},
		{"no call, then one", `"y <call>? <call>g> z" b`, `"y <call>? {g} z" b`},
		{"one mark each", `"a <call>f> "b <call>g> c`, `"a {f} "b {g} c`},
		{"a call's quotes are forgotten", `"a <call>"f> "<call>"`, `"a {"f} "<call>"`},
		{"arguments", `"a <call>{"a":1,"b":2}> c"`, `"a {} c"`},
		{"too long to be a quotation", `"a <call>` + long + `> b" c`, `"a {` + long + `} b" c`},
		{"too long, no call", `"a <call>?` + long + `" c`, `"a <call>?` + long + `" c`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := saidBy(&tried, abi.ChannelContent, []string{c.text}); got != c.want {
				t.Errorf("%q gives %q, want %q", c.text, got, c.want)
			}
			if got := saidBy(&tried, abi.ChannelContent, strings.Split(c.text, "")); got != c.want {
				t.Errorf("%q byte by byte gives %q, want %q", c.text, got, c.want)
			}
		})
	}
	sdktest.Run(t, &tried, sdktest.Config{Vocabulary: []string{
		"<stray>", "</call>", "<call>f>", "<call>", `"<call>`, "'", "`", `"`, "\n", "\n\n", "x", "?",
		`<call>{"a":"b"}>`, `<call>{"a":1 `, `{"`, `\"`, "雪", "é", "\n\n<framed>x>", `<tag a="`, `<to a="f">`, "<think>", "</think>",
	}})
}

// quoted is the quotation rule in its plainest form, for texts without thoughts
// and JSON: it gives the text with the markers that are markup taken out.
func quoted(text string) string {
	const marker = "<stray>"
	word := func(i int) bool {
		return i >= 0 && i < len(text) && (text[i] >= 'a' && text[i] <= 'z' || text[i] >= '0' && text[i] <= '9')
	}
	protects := func(from, at int) bool {
		var open []int
		for i := from; i < len(text); i++ {
			if strings.HasPrefix(text[i:], marker) {
				i += len(marker) - 1
				continue
			}
			if rest := strings.TrimLeft(text[i+1:], " "); text[i] == '\n' && strings.HasPrefix(rest, "\n") {
				open = nil
			}
			if !strings.ContainsRune("\"'`", rune(text[i])) || i > 0 && text[i-1] == '\\' {
				continue
			}
			k := len(open) - 1
			for k >= 0 && text[open[k]] != text[i] {
				k--
			}
			switch {
			case k >= 0 && !word(i+1):
				if open[k] < at && at < i {
					return true
				}
				open = open[:k]
			case !word(i - 1):
				open = append(open, i)
			}
		}
		return false
	}
	var out strings.Builder
	from := 0
	for i := 0; i < len(text); i++ {
		if strings.HasPrefix(text[i:], marker) {
			if protects(from, i) {
				out.WriteString(marker)
			} else {
				from = i + len(marker)
			}
			i += len(marker) - 1
			continue
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

func TestQuotationRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tokens := rapid.SliceOfN(rapid.SampledFrom([]string{"<stray>", `"`, "'", "`", "a", " ", "\n", "\\", "-", `"<stray>`, `"`}), 0, 24).Draw(t, "tokens")
		text := strings.Join(tokens, "")
		if got, want := said(abi.ChannelContent, tokens), quoted(text); got != want {
			t.Fatalf("%q gives %q, want %q", text, got, want)
		}
	})
}

func BenchmarkHeld(b *testing.B) {
	for name, unit := range map[string]string{
		"open quotes": "\"a <stray> ", "one open quote": "<stray> b ", "json": `<call>{"a":"`, "thoughts": "'x</think><think>",
	} {
		b.Run(name, func(b *testing.B) {
			text := []byte("\"x " + strings.Repeat(unit, 1<<18/len(unit)))
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				s, _ := sdk.Open(&module, &abi.OpenBlock{Tools: []string{"f"}})
				for i := 0; i < len(text); i += 16 {
					s.Push(abi.RawOffset(i), 0, text[i:min(i+16, len(text))])
				}
				s.Finish(abi.RawOffset(len(text)), abi.FinishUnknown)
			}
		})
	}
}
