package structag

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
)

var calls = Calls{
	Trigger: "<call>", Begin: "<call>\n{\"name\": \"$\", \"arguments\": ", End: "}\n</call>",
	EndThink: "</think>", AfterThink: "\n", Banned: []string{"<call>", "<c\\"},
}

func TestBuild(t *testing.T) {
	const (
		f    = `{"type":"tag","begin":"<call>\n{\"name\": \"f\", \"arguments\": ","content":{"type":"json_schema","json_schema":{"type":"object","properties":{"a":{"type":"integer"}}}},"end":"}\n</call>"}`
		g    = `{"type":"tag","begin":"<call>\n{\"name\": \"g\\\"\\u0001\", \"arguments\": ","content":{"type":"json_schema","json_schema":{"type":"object"}},"end":"}\n</call>"}`
		tags = `{"type":"triggered_tags","triggers":["<call>"],"tags":[` + f + `,` + g + `],`
	)
	tools := []string{"f", "g\\\"\\u0001"} // as they stand inside a JSON string of the model's text
	schemas := []abi.Schema{{Tool: 0, JSON: `{"type":"object","properties":{"a":{"type":"integer"}}}`}}
	for _, c := range []struct {
		name string
		s    abi.OpenBlock
		want string
	}{
		{"auto", abi.OpenBlock{Tools: tools, Flags: abi.OpenParallel}, tags + `"at_least_one":false,"stop_after_first":false}`},
		{"auto, one call", abi.OpenBlock{Tools: tools}, tags + `"at_least_one":false,"stop_after_first":true}`},
		{"required", abi.OpenBlock{Tools: tools, ToolChoice: abi.ToolChoiceRequired, Flags: abi.OpenParallel}, tags + `"at_least_one":true,"stop_after_first":false}`},
		{"named", abi.OpenBlock{Tools: tools, ToolChoice: abi.ToolChoiceNamed, NamedTool: "f"}, f},
		{"no tools", abi.OpenBlock{}, `{"type":"any_text","excludes":["<call>","<c\\"]}`},
		{"none", abi.OpenBlock{Tools: tools, ToolChoice: abi.ToolChoiceNone}, `{"type":"any_text","excludes":["<call>","<c\\"]}`},
		{"thought", abi.OpenBlock{Tools: tools, ToolChoice: abi.ToolChoiceNamed, NamedTool: "f", Start: abi.ChannelReasoning},
			`{"type":"sequence","elements":[{"type":"tag","begin":"","content":{"type":"any_text"},"end":"</think>"},{"type":"const_string","value":"\n"},` + f + `]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.s.Schemas = schemas
			want := `{"scope":"calls","structural_tag":{"type":"structural_tag","format":` + c.want + `}}`
			if got := calls.Build(&c.s); !same(t, got, want) {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func same(t *testing.T, got []byte, want string) bool {
	t.Helper()
	var a, b any
	if err := json.Unmarshal(got, &a); err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(a, b)
}

func TestFrameOfAnyText(t *testing.T) {
	frame := Calls{Trigger: " to=$:", Begin: " to=$:<$>", End: "</>", Style: AnyText}
	const want = `{"scope":"calls","structural_tag":{"type":"structural_tag","format":{"type":"triggered_tags","triggers":[" to=f:"," to=\"g:"],"tags":[` +
		`{"type":"tag","begin":" to=f:<f>","content":{"type":"any_text"},"end":"</>"},{"type":"tag","begin":" to=\"g:<\"g>","content":{"type":"any_text"},"end":"</>"}],` +
		`"at_least_one":false,"stop_after_first":true}}}`
	if got := frame.Build(&abi.OpenBlock{Tools: []string{"f", `"g`}}); !same(t, got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
