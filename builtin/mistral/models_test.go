package mistral

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/abi/manifest"
)

func TestModels(t *testing.T) {
	m, err := manifest.Parse([]byte(Module.Manifest))
	if err != nil {
		t.Fatal(err)
	}
	for model, want := range map[string]bool{
		"mistralai/Mistral-7B-Instruct-v0.3":     true,
		"mistralai/Mixtral-8x22B-Instruct-v0.1":  true,
		"mistralai/Magistral-Small-2507":         true,
		"unsloth/Devstral-Small-2505":            true,
		"mistralai/Ministral-3-8B-Instruct-2512": true,
		"NousResearch/Hermes-2-Pro-Mistral-7B":   false,
		"Qwen/Qwen3-8B":                          false,
	} {
		if got := m.Parsers[0].Suggests(model); got != want {
			t.Errorf("%s: %v", model, got)
		}
	}
}
