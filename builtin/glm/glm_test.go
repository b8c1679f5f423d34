package glm

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

var config = sdktest.Config{
	Cases: "testdata/cases.json", MaxHold: 1 << 20,
	Vocabulary: []string{
		think, endThink, callOpen, callClose, keyOpen, keyClose, valueOpen, valueClose,
		"f", "f" + keyOpen, "g" + keyOpen, "f\n" + keyOpen, "<tool_call>f", "<tool_call>f</tool_call>", "<tool_call>f<arg_key>a</arg_key><arg_value>",
		"<arg_key>a</arg_key><arg_value>", "</arg_value></tool_call>", "a", "null", "42", `{"a":1}`, `[{"name":"f","arguments":{}}]`,
		`"`, "'", "`", "\n", "\n\n", " ",
	},
}

func TestParser(t *testing.T) { sdktest.Run(t, &Module, config) }

func TestFieldReports(t *testing.T) {
	sdktest.Run(t, &Module, sdktest.Config{Cases: "testdata/field_reports.json"})
}

func TestRules(t *testing.T) {
	sdktest.Run(t, &Module, sdktest.Config{Cases: "testdata/rules.json"})
}

func FuzzParser(f *testing.F) { sdktest.Fuzz(f, &Module, config) }
