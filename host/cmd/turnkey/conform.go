package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/turnkey-parsers/turnkey/abi/cases"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/abi/tck"
	"github.com/turnkey-parsers/turnkey/host/conform"
	"github.com/turnkey-parsers/turnkey/host/registry"
)

// conformFlags are the flags of conform.
type conformFlags struct {
	engine, splits, family, modules string
	asJSON                          bool
}

func conformCommand() *cobra.Command {
	var f conformFlags
	cmd := &cobra.Command{
		Use:   "conform FILE…",
		Short: "Run case files against the parsers; exit 1 if any case fails",
		Args:  cobra.MinimumNArgs(1),
		RunE:  f.runCases,
	}
	flags := cmd.Flags()
	flags.StringVar(&f.engine, "engine", engineWasm, "how the parsers run: wasm, native, process")
	flags.StringVar(&f.splits, "splits", "every", "how the texts are cut: every, whole, chars, random:N")
	flags.StringVar(&f.family, "family", "", "only cases of this family")
	flags.BoolVar(&f.asJSON, "json", false, "print results as JSON, one object a line")
	flags.StringVar(&f.modules, "modules", "", "folder with .wasm modules of your own")
	return cmd
}

// runCases runs the cases of the files at paths.
func (f *conformFlags) runCases(cmd *cobra.Command, paths []string) error {
	if err := checkEngine(f.engine); err != nil {
		return err
	}
	splits, err := tck.ParseSplits(f.splits)
	if err != nil {
		return fmt.Errorf("--splits: %w", err)
	}
	c := conform.Config{Name: f.engine, Splits: splits, Family: f.family}
	for _, path := range paths {
		file, err := cases.Load(path)
		if err != nil {
			return err
		}
		c.Files = append(c.Files, file)
	}
	r, err := openRegistry(cmd.Context(), f.engine, f.modules, "", true, warningLog(cmd))
	if err != nil {
		return err
	}
	defer r.Close(cmd.Context())
	c.Engine = familyEngines(cmd.Context(), r)
	sum, err := conform.Run(c, cmd.OutOrStdout(), f.asJSON)
	if err == nil && sum.Failed > 0 {
		err = errFailed
	}
	return err
}

// familyEngines looks parsers up by their family, and gives nil for a family that no
// module has.
func familyEngines(ctx context.Context, r *registry.Registry) func(family string) (parser.Engine, error) {
	return func(family string) (parser.Engine, error) {
		e, _, err := r.Parser(ctx, family)
		var unknown *registry.UnknownError
		if errors.As(err, &unknown) {
			return nil, nil
		}
		return e, err
	}
}
