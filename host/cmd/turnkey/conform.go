package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/turnkey-parsers/turnkey/abi/cases"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/abi/tck"
	"github.com/turnkey-parsers/turnkey/host/conform"
	"github.com/turnkey-parsers/turnkey/host/registry"
)

func conformCommand() *cobra.Command {
	var engine, splits, family, modules string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "conform FILE…",
		Short: "Run case files against the parsers; exit 1 if any case fails",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkEngine(engine); err != nil {
				return err
			}
			s, err := tck.ParseSplits(splits)
			if err != nil {
				return fmt.Errorf("--splits: %w", err)
			}
			c := conform.Config{Name: engine, Splits: s, Family: family}
			for _, path := range args {
				f, err := cases.Load(path)
				if err != nil {
					return err
				}
				c.Files = append(c.Files, f)
			}
			r, err := openRegistry(cmd.Context(), engine, modules, "", true, quiet(cmd))
			if err != nil {
				return err
			}
			defer r.Close(cmd.Context())
			c.Engine = func(family string) (parser.Engine, error) {
				e, _, err := r.Parser(cmd.Context(), family)
				var unknown *registry.UnknownError
				if errors.As(err, &unknown) {
					return nil, nil
				}
				return e, err
			}
			sum, err := conform.Run(c, cmd.OutOrStdout(), asJSON)
			if err != nil {
				return err
			}
			if sum.Failed > 0 {
				return errFailed
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&engine, "engine", engineWasm, "how the parsers run: wasm, native, process")
	flags.StringVar(&splits, "splits", "every", "how the texts are cut: every, whole, chars, random:N")
	flags.StringVar(&family, "family", "", "only cases of this family")
	flags.BoolVar(&asJSON, "json", false, "print results as JSON, one object a line")
	flags.StringVar(&modules, "modules", "", "folder with .wasm modules of your own")
	return cmd
}
