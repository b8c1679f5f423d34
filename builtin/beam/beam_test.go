package beam

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/host/conform"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

var config = sdktest.Config{
	Cases: "testdata/cases.json", Client: conform.Assemble,
	Vocabulary: []string{
		"<|start|>", "<|start|>assistant", " to=", " to=ping", "to=store_memo", "<|channel|>", "analysis", "final", " <|constrain|>xml",
		"<|message|>", "<|end|>", "<|call|>", "<|return|>", `<rfl:parameter name="`, `<rfl:parameter name="body">`, `">`, "</rfl:parameter>",
		"<|channel|>analysis<|message|>", "<|start|>assistant<|channel|>final<|message|>",
		" to=ping<|channel|>analysis <|constrain|>xml<|message|>", "\n", " ", "assistant",
	},
}

func TestBeam(t *testing.T) { sdktest.Run(t, &Module, config) }

func FuzzBeam(f *testing.F) { sdktest.Fuzz(f, &Module, config) }
