package pythonic

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
		"meta-llama/Llama-3.2-1B-Instruct":          true,
		"meta-llama/Llama-3.2-3B-Instruct":          true,
		"meta-llama/Llama-4-Scout-17B-16E-Instruct": true,
		"Team-ACE/ToolACE-8B":                       true,
		"meta-llama/Llama-3.1-8B-Instruct":          false,
		"meta-llama/Llama-3.2-11B-Vision-Instruct":  false,
	} {
		if got := m.Parsers[0].Suggests(model); got != want {
			t.Errorf("%s: %v", model, got)
		}
	}
}
