package deepseekv3

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/familytest"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

var config = sdktest.Config{
	Vocabulary: []string{
		think, endThink, sectionBegin, sectionEnd, callBegin, separator, callEnd,
		"function", "f", "function" + separator, "f\n```json\n", "```", "\n```", "```json", "\n",
		callBegin + "f" + separator, callBegin + "function" + separator + "f\n```json\n{\"a\":\"", `{"a":"`, `"}`, "{}",
		callBegin + "f" + separator + "{}" + callEnd, sectionBegin + callBegin + "f" + separator + `{"a":"`,
		"<｜DSML｜function_calls>", "</｜DSML｜function_calls>", `<｜DSML｜invoke name="f">`, "</｜DSML｜invoke>",
		`<｜DSML｜parameter name="a" string="true">`, "</｜DSML｜parameter>", "\n\n<｜DSML｜function_calls>",
		"<｜tool▁", "<｜DSML｜",
	},
	MaxHold: 1 << 20,
}

func TestFamily(t *testing.T) { familytest.Run(t, &Module, config) }

func FuzzFamily(f *testing.F) { familytest.Fuzz(f, &Module, config) }

// R1's prompt opens the thought where the host does not know the prompt.
func TestUnknownStart(t *testing.T) {
	for _, c := range []struct {
		parser string
		flags  uint32
		want   abi.Channel
	}{
		{"deepseek_v3", abi.OpenReasoning, abi.ChannelContent},
		{"deepseek_r1", abi.OpenReasoning, abi.ChannelReasoning},
		{"deepseek_r1", 0, abi.ChannelContent},
		{"deepseek_r1_reasoning", abi.OpenReasoning, abi.ChannelReasoning},
		{"deepseek_r1_tools", abi.OpenReasoning, abi.ChannelContent},
	} {
		_, a := sdk.Open(&Module, &abi.OpenBlock{Parser: c.parser, Flags: c.flags})
		if e := a.Events[0]; e.Kind != abi.State || abi.Channel(e.Flags) != c.want {
			t.Errorf("%s: %+v, want channel %d", c.parser, e, c.want)
		}
	}
}

func TestConstraint(t *testing.T) {
	s := &abi.OpenBlock{
		Parser: "deepseek_v3", ToolChoice: abi.ToolChoiceRequired, Tools: []string{"f"},
		Schemas: []abi.Schema{{Tool: 0, JSON: `{"type":"object"}`}},
	}
	if raw := buildConstraint(s); raw != nil {
		t.Errorf("without a dialect: %s", raw)
	}
	for name, want := range map[string]string{
		"v3": `{"scope":"calls","structural_tag":{"type":"structural_tag","format":{"type":"tag","begin":"<｜tool▁calls▁begin｜>",` +
			`"content":{"type":"tags_with_separator","tags":[{"type":"tag","begin":"<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n` + "```json" + `\n",` +
			`"content":{"type":"json_schema","json_schema":{"type":"object"}},"end":"\n` + "```" + `<｜tool▁call▁end｜>"}],"separator":"\n",` +
			`"at_least_one":true,"stop_after_first":true},"end":"<｜tool▁calls▁end｜>"}}}`,
		"v31": `{"scope":"calls","structural_tag":{"type":"structural_tag","format":{"type":"tag","begin":"<｜tool▁calls▁begin｜>",` +
			`"content":{"type":"tags_with_separator","tags":[{"type":"tag","begin":"<｜tool▁call▁begin｜>f<｜tool▁sep｜>",` +
			`"content":{"type":"json_schema","json_schema":{"type":"object"}},"end":"<｜tool▁call▁end｜>"}],"separator":"",` +
			`"at_least_one":true,"stop_after_first":true},"end":"<｜tool▁calls▁end｜>"}}}`,
		"v32": `{"scope":"calls","structural_tag":{"type":"structural_tag","format":{"type":"tag","begin":"\n\n<｜DSML｜function_calls>\n",` +
			`"content":{"type":"tags_with_separator","tags":[{"type":"tag","begin":"<｜DSML｜invoke name=\"f\">\n",` +
			`"content":{"type":"json_schema","json_schema":{"type":"object"},"style":"deepseek_xml"},"end":"</｜DSML｜invoke>\n"}],"separator":"",` +
			`"at_least_one":true,"stop_after_first":true},"end":"</｜DSML｜function_calls>"}}}`,
	} {
		s.Options = []abi.Option{{Key: dialect, Value: name}}
		if got := buildConstraint(s); !same(t, got, want) {
			t.Errorf("%s: got %s\nwant %s", name, got, want)
		}
	}
	s.Parser, s.Options = "deepseek_r1", nil
	if raw := string(buildConstraint(s)); !strings.Contains(raw, "function<｜tool▁sep｜>f") {
		t.Errorf("R1: %s", raw)
	}
}

func same(t *testing.T, got []byte, want string) bool {
	t.Helper()
	var a, b any
	if err := json.Unmarshal(got, &a); err != nil {
		t.Fatalf("%v in %s", err, got)
	}
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatal(err)
	}
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}
