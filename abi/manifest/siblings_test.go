package manifest

import (
	"os"
	"strings"
	"testing"
)

const short = `{"abi":"1.0","module":"larch","version":"1.0.0","parsers":[
 {"name":"larch","aliases":["l"],"kind":"unified","models":["larch"],"special_tokens":true,
  "jail":{"open":["<c>"]},"thinking":{"default":"on"},"prompt":{"reasoning":["<t>"]},"eos":["<e>"],"guided":["named"],"strict":true,
  "siblings":{"batch":{"guided":null,"aliases":["b"]},"tools":{},"reasoning":{"strict":null,"name":"thoughts"}}},
 {"name":"fir","kind":"reasoning"}]}`

func TestResolve(t *testing.T) {
	resolved, err := Resolve([]byte(short))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"abi":"1.0","module":"larch","parsers":[` +
		`{"aliases":["l"],"eos":["<e>"],"guided":["named"],"jail":{"open":["<c>"]},"kind":"unified","models":["larch"],"name":"larch","prompt":{"reasoning":["<t>"]},"special_tokens":true,"strict":true,"thinking":{"default":"on"}},` +
		`{"eos":["<e>"],"guided":["named"],"jail":{"open":["<c>"]},"kind":"tools","name":"larch_tools","special_tokens":true,"strict":true},` +
		`{"eos":["<e>"],"kind":"reasoning","name":"thoughts","prompt":{"reasoning":["<t>"]},"special_tokens":true,"thinking":{"default":"on"}},` +
		`{"aliases":["b"],"eos":["<e>"],"jail":{"open":["<c>"]},"kind":"batch","name":"larch_batch","special_tokens":true,"strict":true},` +
		`{"name":"fir","kind":"reasoning"}],"version":"1.0.0"}`
	if got := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(resolved)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	m, err := Parse([]byte(short))
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse(resolved)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Parsers) != 5 || len(again.Parsers) != 5 {
		t.Errorf("%d parsers, %d written out", len(m.Parsers), len(again.Parsers))
	}
	if same, err := Resolve([]byte(good)); err != nil || string(same) != good {
		t.Errorf("a manifest without siblings becomes %s, %v", same, err)
	}
}

// ABI.md's example is of one parser, which has three siblings.
func TestSiblingsDocumented(t *testing.T) {
	doc, err := os.ReadFile("../ABI.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(doc), "```json siblings\n")
	example, _, _ := strings.Cut(rest, "```")
	m, err := Parse([]byte(`{"abi":"1.0","module":"m","version":"1.0.0","parsers":[` + example + `]}`))
	if err != nil || len(m.Parsers) != 4 || m.Parsers[3].Guided != nil || m.Parsers[1].Guided == nil {
		t.Errorf("the example in ABI.md: %+v, %v", m, err)
	}
	for kind, list := range inherited {
		for _, member := range list {
			if _, text, _ := strings.Cut(string(doc), "### Siblings"); !strings.Contains(text, "`"+member+"`") {
				t.Errorf("ABI.md does not say that %s inherits %s", kind, member)
			}
		}
	}
}

func TestSiblingErrors(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"kind", `"tools":{}`, `"unified":{}`, `parsers[0]: siblings: "unified"; write one of ["tools" "reasoning" "batch"]`},
		{"no object", `"tools":{}`, `"tools":true`, `siblings: an object of objects is expected`},
		{"not of a unified parser", `"kind":"unified"`, `"kind":"tools"`, `only a parser with a name, of the kind "unified"`},
		{"misspelt member", `"guided":null`, `"guide":["named"]`, `parser "larch_batch": "guide": version`},
		{"name twice", `"thoughts"`, `"larch_tools"`, `parser "larch_tools": name`},
	} {
		t.Run(c.name, func(t *testing.T) {
			edited := strings.Replace(short, c.old, c.new, 1)
			if edited == short {
				t.Fatal("the edit changes nothing")
			}
			if _, err := Parse([]byte(edited)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want something with %q", err, c.want)
			}
		})
	}
}
