package deepseekv41

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
)

func TestConstraint(t *testing.T) {
	const want = `{"scope":"calls","structural_tag":{"type":"structural_tag","format":{"type":"tag","begin":"\u000a\u000a<｜DSML｜ calls>\u000a",` +
		`"content":{"type":"tags_with_separator","tags":[{"type":"tag","begin":"<｜DSML｜ invoke name=\"f\">",` +
		`"content":{"type":"json_schema","json_schema":{"type":"object"}},"end":"</｜DSML｜ invoke>\u000a"}],` +
		`"separator":"","at_least_one":true,"stop_after_first":true},"end":"</｜DSML｜ calls>"}}}`
	s := &abi.OpenBlock{Tools: []string{"f"}, ToolChoice: abi.ToolChoiceRequired}
	if got := Module.Constraint(s); string(got) != want || !json.Valid(got) {
		t.Errorf("got %s\nwant %s", got, want)
	}
	s.ToolChoice = abi.ToolChoiceAuto
	if got := string(Module.Constraint(s)); !strings.Contains(got, `"triggers":["<｜DSML｜ calls>"]`) {
		t.Errorf("auto: %s", got)
	}
}
