package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/cases"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/wasm"
)

func packCommand() *cobra.Command {
	var described, cases, out string
	cmd := &cobra.Command{
		Use:   "pack FILE",
		Short: "Attach a manifest and cases to a module, as custom sections",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				out = args[0]
			}
			binary, err := os.ReadFile(args[0])
			if err != nil {
				return err
			}
			text, err := os.ReadFile(described)
			if err != nil {
				return fmt.Errorf("--manifest: %w", err)
			}
			if _, err := manifest.Parse(text); err != nil {
				return fmt.Errorf("%s: %w", described, err)
			}
			if binary, err = manifest.WithSection(binary, abi.SectionManifest, text); err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			if cases != "" {
				if binary, err = withCases(binary, cases); err != nil {
					return err
				}
			}
			if err := checkLoads(cmd.Context(), binary); err != nil {
				return err
			}
			return os.WriteFile(out, binary, 0o644)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&described, "manifest", "", "the manifest, JSON")
	flags.StringVar(&cases, "cases", "", "cases that the host runs when it loads the module")
	flags.StringVarP(&out, "output", "o", "", "the packed module; default: FILE itself")
	_ = cmd.MarkFlagRequired("manifest")
	return cmd
}

// checkLoads fails if a host would not take the packed module, for example since it
// answers another manifest than the one attached.
func checkLoads(ctx context.Context, binary []byte) error {
	runtime, err := wasm.NewRuntime(ctx, wasm.NewConfig())
	if err != nil {
		return err
	}
	defer runtime.Close(ctx)
	_, err = runtime.Compile(ctx, binary, wasm.ThirdParty())
	return err
}

func withCases(binary []byte, file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--cases: %w", err)
	}
	if _, err := cases.ParseFile(file, text); err != nil {
		return nil, err
	}
	return manifest.WithSection(binary, abi.SectionCases, text)
}
