package prose_test

import (
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

// letters has a marker that white space belongs to, and one that no quotation
// holds.
var letters = prose.Compile(prose.Markers{Calls: []string{"to=", "<end><next>", "<end>"}, Spaced: []string{"to="}, Hard: []string{"<end><next>"}})

const lettersManifest = `{"abi":"1.0","module":"letters","version":"1.0.0","parsers":[{"name":"letters","kind":"tools"}]}`

var lettersModule = sdk.Module{Manifest: lettersManifest, New: func(*abi.OpenBlock) sdk.Parser {
	p := &letterParser{}
	p.prose.Start(letters, false)
	return p
}}

// letterParser makes a call of each marker, named by it and the white space before.
type letterParser struct{ prose prose.Machine }

func (p *letterParser) Step(w *sdk.Window) {
	for {
		id, ok := p.prose.Next(w)
		if !ok {
			return
		}
		marker := letters.Call(id)
		n := strings.Index(string(w.Bytes()), marker) + len(marker)
		w.Call(0, n, 0)
		w.CallEnd()
		w.Skip(n)
	}
}

func TestSpacedAndHard(t *testing.T) {
	for _, c := range []struct{ name, input, want string }{
		{"space belongs to a marker", "a to=b", "a{ to=}b"},
		{"all white space does", "a \n\n to=b", "a{ \n\n to=}b"},
		{"none before it", "to=b", "{to=}b"},
		{"no marker", "a to  be\n", "a to  be\n"},
		{"space before another marker", "a <end>", "a {<end>}"},
		{"quoted", `"a to=b" to=`, `"a to=b"{ to=}`},
		{"open quotation", `"a to=b`, `"a{ to=}b`},
		{"quoted other marker", `"a <end> b"`, `"a <end> b"`},
		{"hard marker in a quotation", `"a <end><next> b"`, `"a {<end><next>} b"`},
		{"both in a quotation", `"a to= <end><next>"`, `"a{ to=} {<end><next>}"`},
		{"more white space than is looked for", "a" + strings.Repeat(" ", 1100) + "to=b", "a" + strings.Repeat(" ", 1100) + "{to=}b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			s, _ := sdk.Open(&lettersModule, &abi.OpenBlock{Tools: []string{"f"}})
			show := func(a abi.Answer) {
				for _, e := range a.Events {
					switch e.Kind {
					case abi.Text:
						out.WriteString(c.input[e.Start : e.Start+e.Len])
					case abi.Call:
						out.WriteString("{" + c.input[e.Start:e.Start+e.Len] + "}")
					}
				}
			}
			show(s.Push(0, 0, []byte(c.input)))
			show(s.Finish(abi.RawOffset(len(c.input)), abi.FinishUnknown))
			if got := out.String(); got != c.want {
				t.Errorf("%q gives %q, want %q", c.input, got, c.want)
			}
		})
	}
	sdktest.Run(t, &lettersModule, sdktest.Config{Vocabulary: []string{"to=", " to=", "\n to=", "<end>", "<next>", "<end><next>", " ", "\n\n"}})
}

// Of two views one reads <b> and <end>, the other <a> and <end>; each <end> goes on
// with the other.
var (
	both  = prose.Compile(prose.Markers{Calls: []string{"<end>", "<a>", "<b>", "to="}, Spaced: []string{"to="}})
	views = [2]*prose.Grammar{both.View([]string{"<a>", "to="}, true), both.View([]string{"<b>"}, false)}
)

var viewsModule = sdk.Module{Manifest: lettersManifest, New: func(*abi.OpenBlock) sdk.Parser {
	p := &viewParser{}
	p.prose.Start(views[0], false)
	return p
}}

// viewParser takes markers out.
type viewParser struct {
	prose prose.Machine
	view  int
}

func (p *viewParser) Step(w *sdk.Window) {
	for {
		id, ok := p.prose.Next(w)
		if !ok {
			return
		}
		marker := views[p.view].Call(id)
		w.Skip(strings.Index(string(w.Bytes()), marker) + len(marker))
		if marker == "<end>" {
			p.view = 1 - p.view
			p.prose.Switch(views[p.view], p.view == 1)
		}
	}
}

func TestViews(t *testing.T) {
	for _, c := range []struct{ name, input, want string }{
		{"first view", "<a> to=<b>", "<a> to="},
		{"there and back", "<a><end><a> to=<b><end><a><b>", "<a><b><a>"},
		{"open quotation", `"<a> x <b>`, `"<a> x `},
		{"quotation that ends with the view", `"<a> x <b><end>y "<b> to=<a>"`, `"<a> x <b><end>y " to=<a>"`},
		{"quotation that does not close", `"<a> x<end>y  to=<b><a><end><a>`, `"<a> xy<b><a>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			s, _ := sdk.Open(&viewsModule, &abi.OpenBlock{Tools: []string{"f"}})
			for _, a := range []func() abi.Answer{
				func() abi.Answer { return s.Push(0, 0, []byte(c.input)) },
				func() abi.Answer { return s.Finish(abi.RawOffset(len(c.input)), abi.FinishUnknown) },
			} {
				for _, e := range a().Events {
					if e.Kind == abi.Text || e.Kind == abi.Reasoning {
						got += c.input[e.Start : e.Start+e.Len]
					}
				}
			}
			if got != c.want {
				t.Errorf("%q gives %q, want %q", c.input, got, c.want)
			}
		})
	}
	sdktest.Run(t, &viewsModule, sdktest.Config{Vocabulary: []string{"<a>", "<b>", "<end>", "to=", " to=", " ", "\n\n", `"`}})
}
