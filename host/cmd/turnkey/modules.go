package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/host/registry"
	"github.com/turnkey-parsers/turnkey/host/server"
)

// warningLog is the log of commands whose output is read by others.
func warningLog(cmd *cobra.Command) *slog.Logger {
	return slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// modulesFlags say which modules a command is about: those at hand, or those of
// a running server.
type modulesFlags struct {
	dir    string
	server serverFlags
}

func modulesCommand() *cobra.Command {
	var f modulesFlags
	cmd := &cobra.Command{Use: "modules", Short: "Look at parser modules, here or in a running server, and change those of a server"}
	p := cmd.PersistentFlags()
	p.StringVar(&f.dir, "modules", "", "folder with .wasm modules of your own")
	p.StringVar(&f.server.url, "server", "", "a running server's address, such as http://127.0.0.1:8080")
	p.StringVar(&f.server.keyEnv, "key-env", "TURNKEY_ADMIN_KEY", "the environment variable that holds the server's admin.key")
	cmd.MarkFlagsMutuallyExclusive("modules", "server")
	cmd.AddCommand(
		packCommand(),
		&cobra.Command{
			Use:   "ls",
			Short: "List the modules, in the order in which names are looked up",
			Args:  cobra.NoArgs,
			RunE:  func(cmd *cobra.Command, _ []string) error { return f.listModules(cmd) },
		},
		&cobra.Command{
			Use:   "inspect NAME|FILE.wasm",
			Short: "Print what a module says of itself; of a server's module, its state",
			Args:  cobra.ExactArgs(1),
			RunE:  func(cmd *cobra.Command, args []string) error { return f.inspectModule(cmd, args[0]) },
		},
		f.putCommand(),
		f.changeCommand("rm NAME", "Take a module out of a server; what it shadowed is back", "DELETE", ""),
		f.changeCommand("rollback NAME", "End a trial in a server, or else bring the version before back", "POST", "/rollback"),
		f.changeCommand("promote NAME", "Make the version on trial in a server live", "POST", "/promote"))
	return cmd
}

func (f *modulesFlags) listModules(cmd *cobra.Command) error {
	var list server.ModuleList
	if f.server.url != "" {
		if err := f.server.getJSON(cmd.Context(), "/admin/modules", &list); err != nil {
			return err
		}
	} else {
		r, err := openRegistry(cmd.Context(), engineWasm, f.dir, "", false, warningLog(cmd))
		if err != nil {
			return err
		}
		defer r.Close(cmd.Context())
		list.Modules = r.Modules()
	}
	return printModules(cmd.OutOrStdout(), &list)
}

func printModules(out io.Writer, l *server.ModuleList) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "MODULE\tVERSION\tSTATE\tENGINE\tORIGIN\tSIZE\tSHA256\tKINDS\tFAMILIES\tALIASES")
	line := func(name, state string, v *registry.Version) {
		digest, size := "-", "-"
		if v.SHA256 != "" {
			digest = v.SHA256[:min(12, len(v.SHA256))]
		}
		if v.Size > 0 {
			size = fmt.Sprintf("%d KiB", (v.Size+1023)/1024)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", name, v.Version, state, v.Engine, v.Origin, size, digest,
			firstWords(v.Kinds), firstWords(v.Families), firstWords(v.Aliases))
	}
	for i := range l.Modules {
		m := &l.Modules[i]
		state := "live"
		if m.BuiltIn {
			state = "built-in"
		}
		if m.Live != nil {
			line(m.Name, state, m.Live)
		}
		if m.Trial != nil {
			line(m.Name, string(m.Trial.Mode), &m.Trial.Version)
		}
		if m.Quarantine != nil {
			line(m.Name, "quarantine", &m.Quarantine.Version)
		}
		for p := range m.Previous {
			line(m.Name, "previous", &m.Previous[p])
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, r := range l.Refused {
		fmt.Fprintf(out, "refused: %s: %s\n", r.File, r.Error)
	}
	return nil
}

// maxWords is how many words of a list a line has room for.
const maxWords = 4

// firstWords writes the first of the words.
func firstWords(words []string) string {
	switch n := len(words); {
	case n == 0:
		return "-"
	case n > maxWords:
		return fmt.Sprintf("%s (%d more)", strings.Join(words[:maxWords], " "), n-maxWords)
	}
	return strings.Join(words, " ")
}

// inspected is what inspect prints.
type inspected struct {
	Origin   string             `json:"origin"`
	Engine   string             `json:"engine"`
	SHA256   string             `json:"sha256,omitempty"`
	Manifest *manifest.Manifest `json:"manifest"`
}

func (f *modulesFlags) inspectModule(cmd *cobra.Command, name string) error {
	if f.server.url != "" {
		var m json.RawMessage
		if err := f.server.getJSON(cmd.Context(), modulePath(name), &m); err != nil {
			return err
		}
		return printJSON(cmd.OutOrStdout(), m)
	}
	i, err := f.findModule(cmd, name)
	if err != nil {
		return err
	}
	return printJSON(cmd.OutOrStdout(), inspected{i.Origin, i.Engine, i.SHA256, i.Manifest})
}

// findModule describes the module in a file, of a name, or with a parser of a name.
func (f *modulesFlags) findModule(cmd *cobra.Command, name string) (*registry.Info, error) {
	if strings.HasSuffix(name, ".wasm") {
		return registry.Inspect(name)
	}
	r, err := openRegistry(cmd.Context(), engineWasm, f.dir, "", false, warningLog(cmd))
	if err != nil {
		return nil, err
	}
	defer r.Close(cmd.Context())
	if m, ok := r.Module(name); ok && m.Live != nil {
		return &registry.Info{Manifest: m.Live.Manifest, Origin: m.Live.Origin, Engine: m.Live.Engine, SHA256: m.Live.SHA256}, nil
	}
	return r.View().Info(name)
}

func printJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

func (f *modulesFlags) putCommand() *cobra.Command {
	var p upload
	cmd := &cobra.Command{
		Use:   "put FILE.wasm",
		Short: "Give a server a version of a module; with FILE.wasm.sig, its signature",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p.flags = cmd.Flags()
			return f.putFile(cmd, args[0], &p)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&p.shadow, "shadow", false, "it may take the place of a built-in module, until the server stops")
	flags.String("rollout", "", "how it takes over: live, shadow, canary; without one, as modules.rules say")
	flags.String("percent", "", "a canary's share of new requests")
	flags.String("max-faults", "", "so many faults end the trial")
	flags.String("max-differences", "", "so many answers that differ end the trial")
	flags.String("promote-after", "", "so many answers on trial promote it")
	flags.StringVar(&p.match, "if-match", "", "the ETag that the module must have; without one, the one that it has now")
	return cmd
}

func (f *modulesFlags) putFile(cmd *cobra.Command, file string, p *upload) error {
	info, err := registry.Inspect(file)
	if err != nil {
		return err
	}
	if p.binary, err = os.ReadFile(file); err != nil {
		return err
	}
	if p.signature, err = os.ReadFile(file + ".sig"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	m, err := f.server.putModule(cmd.Context(), info.Manifest.Module, p)
	if err != nil {
		return err
	}
	return printModules(cmd.OutOrStdout(), &server.ModuleList{Modules: []registry.Module{*m}})
}

func (f *modulesFlags) changeCommand(use, short, method, action string) *cobra.Command {
	var match string
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := f.server.changeModule(cmd.Context(), method, args[0], action, match)
			if err != nil || m == nil {
				return err
			}
			return printModules(cmd.OutOrStdout(), &server.ModuleList{Modules: []registry.Module{*m}})
		},
	}
	cmd.Flags().StringVar(&match, "if-match", "", "the ETag that the module must have; without one, the one that it has now")
	return cmd
}
