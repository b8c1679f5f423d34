// Package plugins holds the built parser modules. Each folder beside this file
// is the main package of one; plugins/internal/pack builds them into dist. In a
// tree where that has not been done the package holds none.
package plugins

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"strings"
)

//go:generate go run ./internal/pack

// packed holds NAME.wasm.gz for each module, with its manifest and its cases as
// custom sections.
//
//go:embed all:dist/embed
var packed embed.FS

const (
	dir    = "dist/embed"
	suffix = ".wasm.gz"
)

// Names lists the modules at hand, in alphabetical order.
func Names() []string {
	entries, err := packed.ReadDir(dir)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), suffix); ok {
			names = append(names, name)
		}
	}
	return names
}

// Module gives the WebAssembly module of that name.
func Module(name string) ([]byte, error) {
	zipped, err := packed.ReadFile(dir + "/" + name + suffix)
	if err != nil {
		return nil, fmt.Errorf("no module %q is built in; there are %q (make modules builds them)", name, Names())
	}
	r, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		return nil, fmt.Errorf("module %q: %w", name, err)
	}
	wasm, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("module %q: %w", name, err)
	}
	return wasm, nil
}
