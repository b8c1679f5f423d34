package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/host/registry"
)

// The engines that a command can be told to use.
const (
	engineWasm   = "wasm"
	engineNative = "native"
)

func checkEngine(name string) error {
	if name != engineWasm && name != engineNative {
		return fmt.Errorf("--engine: %q is not one of wasm, native", name)
	}
	return nil
}

// folder opens a modules folder; "" is none.
func folder(dir string) (fs.FS, error) {
	if dir == "" {
		return nil, nil
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("modules: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("modules: %s is not a folder", dir)
	}
	return os.DirFS(dir), nil
}

// openRegistry gathers the modules at hand. Where strict is set the engine named
// is the only one; else linked parsers fill in for modules that are not there.
func openRegistry(ctx context.Context, engine, dir, cache string, strict bool, log *slog.Logger) (*registry.Registry, error) {
	own, err := folder(dir)
	if err != nil {
		return nil, err
	}
	if cache == "" {
		cache = registry.CacheDir()
	}
	c := registry.Config{Embedded: embeddedModules{}, Linked: linked(), Folder: own, Native: engine == engineNative, CacheDir: cache, Logger: log}
	switch {
	case strict && c.Native:
		c.Embedded = nil
	case strict:
		c.Linked = nil
	}
	return registry.New(ctx, c)
}

// quiet is the log of commands whose output is read by others.
func quiet(cmd *cobra.Command) *slog.Logger {
	return slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
}

func modulesCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{Use: "modules", Short: "Look at parser modules"}
	cmd.PersistentFlags().StringVar(&dir, "modules", "", "folder with .wasm modules of your own")
	cmd.AddCommand(
		packCommand(),
		&cobra.Command{
			Use:   "ls",
			Short: "List the modules at hand, in the order in which names are looked up",
			Args:  cobra.NoArgs,
			RunE:  func(cmd *cobra.Command, _ []string) error { return listModules(cmd, dir) },
		},
		&cobra.Command{
			Use:   "inspect NAME|FILE.wasm",
			Short: "Print what a module says of itself, without running it",
			Args:  cobra.ExactArgs(1),
			RunE:  func(cmd *cobra.Command, args []string) error { return inspectModule(cmd, dir, args[0]) },
		})
	return cmd
}

func listModules(cmd *cobra.Command, dir string) error {
	r, err := openRegistry(cmd.Context(), engineWasm, dir, "", false, quiet(cmd))
	if err != nil {
		return err
	}
	defer r.Close(cmd.Context())
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "MODULE\tVERSION\tENGINE\tORIGIN\tSHA256\tPARSERS")
	for _, i := range r.Infos() {
		var names []string
		for _, p := range i.Manifest.Parsers {
			names = append(names, p.Name)
		}
		digest := "-"
		if i.SHA256 != "" {
			digest = i.SHA256[:12]
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", i.Manifest.Module, i.Manifest.Version, i.Engine, i.Origin, digest, strings.Join(names, " "))
	}
	return w.Flush()
}

// inspected is what inspect prints.
type inspected struct {
	Origin   string             `json:"origin"`
	Engine   string             `json:"engine"`
	SHA256   string             `json:"sha256,omitempty"`
	Manifest *manifest.Manifest `json:"manifest"`
}

func inspectModule(cmd *cobra.Command, dir, name string) error {
	if strings.HasSuffix(name, ".wasm") {
		i, err := registry.Inspect(name)
		if err != nil {
			return err
		}
		return printModule(cmd, i)
	}
	r, err := openRegistry(cmd.Context(), engineWasm, dir, "", false, quiet(cmd))
	if err != nil {
		return err
	}
	defer r.Close(cmd.Context())
	i, err := r.Lookup(name)
	if err != nil {
		return err
	}
	return printModule(cmd, i)
}

func printModule(cmd *cobra.Command, i *registry.Info) error {
	e := json.NewEncoder(cmd.OutOrStdout())
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(inspected{i.Origin, i.Engine, i.SHA256, i.Manifest})
}
