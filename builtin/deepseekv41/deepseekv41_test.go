package deepseekv41

import (
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/familytest"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

const (
	header = `<｜DSML｜ invoke name="f">`
	param  = `<｜DSML｜ parameter name="a" string="true">`
)

var config = sdktest.Config{
	Vocabulary: []string{
		"<think>", "</think>", "<｜DSML｜ calls>", "</｜DSML｜ calls>", "\n\n<｜DSML｜ calls>\n", "\n\n",
		header, "\n\n" + header, `<｜DSML｜ invoke name="`, "</｜DSML｜ invoke>", "</｜DSML｜ invoke>\n",
		param, `<｜DSML｜ parameter name="b" string="false">`, `<｜DSML｜ parameter name="a">`, `<｜DSML｜ parameter`, "</｜DSML｜ parameter>",
		header + param + "x</｜DSML｜ parameter></｜DSML｜ invoke>", "<｜DSML｜ calls>" + header + param,
		header + `{"a": "`, `"}`, "<｜DSML｜ other>", "｜DSML｜", "\n", "</",
	},
	MaxHold: 1 << 20,
	Leaks:   leaks,
}

// leaks finds markup in what was said though the input had no quotation that
// could protect it.
func leaks(s *abi.OpenBlock, input, text, reasoning string) string {
	if len(s.Tools) == 0 || strings.HasSuffix(s.Parser, "_reasoning") {
		return ""
	}
	for _, attribute := range []string{`name="f"`, `name="a"`, `name="b"`, `string="true"`, `string="false"`, `name="`} {
		input = strings.ReplaceAll(input, attribute, "")
	}
	if strings.ContainsAny(input, "\"'`") {
		return ""
	}
	for _, said := range []string{text, reasoning} {
		for _, marker := range []string{
			"<｜DSML｜ calls>", "</｜DSML｜ calls>", `<｜DSML｜ invoke name="`, "</｜DSML｜ invoke>", "</｜DSML｜ parameter>",
		} {
			if i := strings.Index(said, marker); i >= 0 {
				return said[i:]
			}
		}
	}
	return ""
}

func TestFamily(t *testing.T) { familytest.Run(t, &Module, config) }

func FuzzFamily(f *testing.F) { familytest.Fuzz(f, &Module, config) }
