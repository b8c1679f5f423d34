package main

import (
	"github.com/turnkey-parsers/turnkey/builtin"
	"github.com/turnkey-parsers/turnkey/plugins"
	"github.com/turnkey-parsers/turnkey/sdk"
)

// embeddedModules are the modules that ship inside the program.
type embeddedModules struct{}

func (embeddedModules) Names() []string                    { return plugins.Names() }
func (embeddedModules) Module(name string) ([]byte, error) { return plugins.Module(name) }

// linkedModules are the parsers that are linked into the program.
func linkedModules() []*sdk.Module { return builtin.Modules }
