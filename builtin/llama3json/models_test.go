package llama3json

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
		"meta-llama/Llama-3.1-8B-Instruct":            true,
		"meta-llama/Meta-Llama-3.1-405B-Instruct-FP8": true,
		"meta-llama/Llama-3.3-70B-Instruct":           true,
		"meta-llama/Llama-3.2-11B-Vision-Instruct":    true,
		"meta-llama/Llama-3.2-3B-Instruct":            false,
		"nvidia/Llama-3.1-Nemotron-70B-Instruct-HF":   false,
		"nvidia/Llama-3_3-Nemotron-Super-49B-v1_5":    false,
		"NousResearch/Hermes-3-Llama-3.1-8B":          false,
		"deepseek-ai/DeepSeek-R1-Distill-Llama-70B":   false,
	} {
		if got := m.Parsers[0].Suggests(model); got != want {
			t.Errorf("%s: %v", model, got)
		}
	}
}
