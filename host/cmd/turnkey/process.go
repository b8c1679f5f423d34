package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/turnkey-parsers/turnkey/abi/manifest"
	hostprocess "github.com/turnkey-parsers/turnkey/host/process"
	"github.com/turnkey-parsers/turnkey/host/registry"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/process"
)

// processCommand serves a linked module to the turnkey that started it.
func processCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "process MODULE",
		Short:  "Serve a linked module as a parser process",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			for _, m := range linkedModules() {
				if name, err := moduleName(m); err == nil && name == args[0] {
					process.Serve(m)
					return nil
				}
			}
			return fmt.Errorf("process: there is no linked module %q", args[0])
		},
	}
}

// linkedProcesses are the linked modules, each to be run as a process of this program.
func linkedProcesses() ([]registry.Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var out []registry.Process
	for _, m := range linkedModules() {
		name, err := moduleName(m)
		if err != nil {
			return nil, err
		}
		out = append(out, registry.Process{Name: name, Config: hostprocess.Config{Command: []string{self, "process", name}}})
	}
	return out, nil
}

func moduleName(m *sdk.Module) (string, error) {
	described, err := manifest.Parse([]byte(m.Manifest))
	if err != nil {
		return "", err
	}
	return described.Module, nil
}
