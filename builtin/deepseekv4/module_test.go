package deepseekv4

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
)

func TestConstraint(t *testing.T) {
	const call = `{"type":"tag","begin":"<｜DSML｜invoke name=\"f\">\u000a","content":{"type":"json_schema","json_schema":{"type":"object"},` +
		`"style":"deepseek_xml"},"end":"</｜DSML｜invoke>\u000a"}`
	const calls = `"content":{"type":"tags_with_separator","tags":[` + call + `],"separator":"","at_least_one":true,"stop_after_first":true},"end":"</｜DSML｜tool_calls>"}`
	s := &abi.OpenBlock{Tools: []string{"f"}}
	for _, c := range []struct {
		choice abi.ToolChoice
		start  abi.Channel
		want   string
	}{
		{abi.ToolChoiceAuto, abi.ChannelContent, `{"type":"triggered_tags","triggers":["<｜DSML｜tool_calls>"],"tags":[` +
			`{"type":"tag","begin":"<｜DSML｜tool_calls>\u000a",` + calls + `],"excludes":["<think>","</think>"]}`},
		{abi.ToolChoiceRequired, abi.ChannelReasoning, `{"type":"sequence","elements":[{"type":"tag","begin":"","content":{"type":"any_text"},"end":"</think>"},` +
			`{"type":"tag","begin":"\u000a\u000a<｜DSML｜tool_calls>\u000a",` + calls + `]}`},
		{abi.ToolChoiceNamed, abi.ChannelContent, `{"type":"tag","begin":"\u000a\u000a<｜DSML｜tool_calls>\u000a",` + calls},
		{abi.ToolChoiceNone, abi.ChannelContent, `{"type":"any_text","excludes":["<｜DSML｜"]}`},
	} {
		s.ToolChoice, s.Start, s.NamedTool = c.choice, c.start, "f"
		got := Module.Constraint(s)
		want := `{"scope":"calls","structural_tag":{"type":"structural_tag","format":` + c.want + `}}`
		if string(got) != want || !json.Valid(got) {
			t.Errorf("choice %d: got %s\nwant %s", c.choice, got, want)
		}
	}
	s.ToolChoice, s.Flags = abi.ToolChoiceRequired, abi.OpenParallel
	if got := string(Module.Constraint(s)); !strings.Contains(got, `"stop_after_first":false`) {
		t.Errorf("parallel calls: %s", got)
	}
}
