package harmony

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/host/conform"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

var vocabulary = []string{
	"<|start|>", "<|start|>assistant", "<|start|>functions.f to=assistant", " to=", " to=functions.f", "to=f", " to=python",
	"<|channel|>", "analysis", "commentary", "final", " <|constrain|>json", " code", "<|message|>", "<|end|>", "<|call|>", "<|return|>",
	"<|channel|>analysis<|message|>", "<|start|>assistant<|channel|>final<|message|>",
	"<|channel|>commentary to=functions.f <|constrain|>json<|message|>", `{"a":"b"}`, `{"a":"`, `"}`, "{", "}", `[1]`, `\`, "\n", " ", `"`, "`",
}

func TestCases(t *testing.T) {
	sdktest.Run(t, &Module, sdktest.Config{Cases: "testdata/cases.json", Client: conform.Assemble, Vocabulary: vocabulary})
}

func TestFieldReports(t *testing.T) {
	sdktest.Run(t, &Module, sdktest.Config{Cases: "testdata/field_reports.json", Client: conform.Assemble})
}

func FuzzParser(f *testing.F) { sdktest.Fuzz(f, &Module, sdktest.Config{Vocabulary: vocabulary}) }
