package structag

import (
	"slices"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
)

var turn = Turn{
	Separator:  "<|next|>",
	Thought:    Message{"<t>", []string{"</m>"}},
	Answer:     Message{"<a>", []string{"</m>", "<|done|>"}},
	Call:       Message{" to=$<c>", []string{"</c>"}},
	ParamBegin: `<p name="$">`, ParamEnd: "</p>",
}

func TestTurn(t *testing.T) {
	const (
		thought = `{"type":"tag","begin":"<t>","content":{"type":"any_text"},"end":["</m>"]}`
		answer  = `{"type":"tag","begin":"<a>","content":{"type":"any_text"},"end":["</m>","<|done|>"]}`
		f       = `{"type":"tag","begin":" to=f<c>","content":{"type":"tags_with_separator","tags":[
			{"type":"tag","begin":"<p name=\"a\">","content":{"type":"any_text"},"end":"</p>"},
			{"type":"tag","begin":"<p name=\"é\">","content":{"type":"any_text"},"end":"</p>"}
			],"separator":"","at_least_one":false},"end":["</c>"]}`
		g    = `{"type":"tag","begin":" to=g<c>","content":{"type":"tags_with_separator","tags":[],"separator":"","at_least_one":false},"end":["</c>"]}`
		tail = `],"separator":"<|next|>","at_least_one":true}`
	)
	schemas := []abi.Schema{{Tool: 0, JSON: `{"type":"object","required":["a"],"properties":{"a":{"type":"string"}, "é" :{"enum":[1,2]},"x>y":{}}}`}}
	for name, c := range map[string]struct {
		s    abi.OpenBlock
		want string
	}{
		"auto":     {abi.OpenBlock{}, `{"type":"tags_with_separator","tags":[` + thought + `,` + answer + `,` + f + `,` + g + tail},
		"required": {abi.OpenBlock{ToolChoice: abi.ToolChoiceRequired}, `{"type":"tags_with_separator","tags":[` + thought + `,` + f + `,` + g + tail},
		"named":    {abi.OpenBlock{ToolChoice: abi.ToolChoiceNamed, NamedTool: "g"}, `{"type":"tags_with_separator","tags":[` + thought + `,` + g + tail},
		"none":     {abi.OpenBlock{ToolChoice: abi.ToolChoiceNone}, `{"type":"tags_with_separator","tags":[` + thought + `,` + answer + tail},
		"open thought": {abi.OpenBlock{ToolChoice: abi.ToolChoiceNone, Start: abi.ChannelReasoning},
			`{"type":"sequence","elements":[{"type":"tag","begin":"","content":{"type":"any_text"},"end":["</m>"]},{"type":"const_string","value":"<|next|>"},{"type":"tags_with_separator","tags":[` + thought + `,` + answer + tail + `]}`},
	} {
		t.Run(name, func(t *testing.T) {
			c.s.Tools, c.s.Schemas = []string{"f", "g"}, schemas
			want := `{"scope":"turn","structural_tag":{"type":"structural_tag","format":` + c.want + `}}`
			if got := turn.Build(&c.s); !same(t, got, want) {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestProperties(t *testing.T) {
	for in, want := range map[string][]string{
		`{"properties":{"a":1,"b":-2.5e3,"c":[{}],"d":"x"}}`:          {"a", "b", "c", "d"},
		`{"x":12 , "properties" : { "a" : {"properties":{"z":1}} } }`: {"a"},
		`{"properties":{"a\"b":{},"c":{}}}`:                           {"c"},
		`{"properties":[1]}`:                                          nil,
		`{"properties":{`:                                             nil,
		`[]`:                                                          nil,
		``:                                                            nil,
	} {
		if got := propertyNames(in); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

func FuzzProperties(f *testing.F) {
	f.Add(`{"properties":{"a":{}}}`)
	f.Fuzz(func(_ *testing.T, s string) { propertyNames(s) })
}
