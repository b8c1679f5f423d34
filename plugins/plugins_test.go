package plugins_test

import (
	"slices"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/plugins"
)

// What is packed can be read. A tree in which nothing was built has no modules.
func TestModules(t *testing.T) {
	names := plugins.Names()
	if !slices.IsSorted(names) {
		t.Errorf("names are not in order: %q", names)
	}
	for _, name := range names {
		wasm, err := plugins.Module(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := manifest.Read(wasm); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := plugins.Module("no_such_module"); err == nil {
		t.Error("a module that is not there: no error")
	}
}
