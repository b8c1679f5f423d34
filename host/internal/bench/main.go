// Command bench prints what parsing costs, a row a family: how time grows with
// the length of a call and of a string in it, how many bytes are held back at
// most, and what a chunk of an answer costs, natively and as WebAssembly. It is
// run in the module's root, after make modules:
//
//	go run ./host/internal/bench [-profile FILE] [NAME…]
//
// With -profile it writes a CPU profile of the parsers instead, with which guests
// are compiled.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/turnkey-parsers/turnkey/abi/cases"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/builtin"
	"github.com/turnkey-parsers/turnkey/plugins"
	"github.com/turnkey-parsers/turnkey/sdk/native"
	"github.com/turnkey-parsers/turnkey/wasm"
)

func main() {
	file := flag.String("profile", "", "write a CPU profile of the parsers to this file, and no table")
	flag.Parse()
	var err error
	if *file != "" {
		err = profile(*file, flag.Args())
	} else {
		err = run(os.Stdout, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

const legend = `
call, string     time for 128 KiB over time for 64 KiB, of a call with many arguments and of one long
                 string; pushes of 16 bytes, native, WATCH ignored. Linear time is 2.0.
held             most bytes held back in any case of the family, at any split
native, wasm     ns for each 4-byte chunk of an answer of 2,000 tokens with one call, guest alone, WATCH ignored
+watch           the same through the host's parse session, which honours WATCH
passed           share of the chunks that reached the guest then
16 B             ns for a 16-byte chunk on wasm, WATCH ignored: in the same answer, and in its costliest part
`

func run(out io.Writer, names []string) error {
	all, err := loadCases()
	if err != nil {
		return err
	}
	runtime, err := wasm.NewRuntime(context.Background(), wasm.NewConfig().WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		return err
	}
	defer runtime.Close(context.Background())
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "family\tcall\tstring\theld\tnative\twasm\tnative+watch\twasm+watch\tpassed\twasm 16 B\tworst 16 B\t")
	for _, m := range builtin.Modules {
		described, err := manifest.Parse([]byte(m.Manifest))
		if err != nil {
			return err
		}
		var module *wasm.Module
		for _, p := range described.Parsers {
			if p.Kind != manifest.Unified || len(names) > 0 && !slices.Contains(names, p.Name) {
				continue
			}
			if module == nil {
				if module, err = compile(runtime, described.Module); err != nil {
					return err
				}
			}
			r, err := newRow(p.Name, described, all)
			if err == nil {
				if r.native, err = native.Parser(m, p.Name); err == nil {
					r.wasm, err = module.Parser(p.Name)
				}
			}
			if err == nil {
				err = r.print(table)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", p.Name, err)
			}
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprint(out, legend)
	return err
}

func compile(r *wasm.Runtime, name string) (*wasm.Module, error) {
	binary, err := plugins.Module(name)
	if err != nil {
		return nil, err
	}
	return r.Compile(context.Background(), binary, wasm.Shipped())
}

// loadCases reads the cases of all families.
func loadCases() ([]cases.Case, error) {
	paths, err := filepath.Glob("builtin/*/testdata/*.json")
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("no builtin/*/testdata/*.json here; run it in the module's root")
	}
	var all []cases.Case
	for _, path := range paths {
		f, err := cases.Load(path)
		if err != nil {
			return nil, err
		}
		all = append(all, f.Cases...)
	}
	return all, nil
}
