// Package configurations tests that the example configurations are ones that
// turnkey takes.
package configurations

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/turnkey-parsers/turnkey/host/config"
	"github.com/turnkey-parsers/turnkey/host/registry"
)

func TestExamplesLoad(t *testing.T) {
	files, err := filepath.Glob("*.yaml")
	if err != nil || len(files) < 2 {
		t.Fatalf("found %v, %v", files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		cfg, err := config.Load(config.Sources{Data: data})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		for _, key := range cfg.Modules.Keys {
			if _, err := registry.ParseKey(key); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
}
