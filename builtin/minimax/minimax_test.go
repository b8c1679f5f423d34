package minimax

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

var config = sdktest.Config{
	Cases: "testdata/cases.json", MaxHold: 1 << 20,
	Vocabulary: []string{
		"<think>", "</think>", "<minimax:tool_call>", "</minimax:tool_call>", `<invoke name="f">`, "<invoke name=", "</invoke>",
		`<parameter name="a">`, "<parameter name='f'>", "<parameter name=", "</parameter>", "<minimax:tool_call>\n<invoke name=\"f\">\n<parameter name=\"a\">",
		think, endThink, namespace, blockOpen, blockClose, invoke + `"f">`, invoke, invokeClose, element, element + "a>", element + "/a>", element + "f>", element + "/f>",
		element + "item>", element + "/item>", blockOpen + invoke + `"f">` + element + "f>",
		"null", "42", `{"a":1}`, `[{"name":"f","arguments":{}}]`, `"`, "'", "\n", "\n\n", " ",
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
