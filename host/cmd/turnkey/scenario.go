package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/turnkey-parsers/turnkey/host/config"
	"github.com/turnkey-parsers/turnkey/host/registry"
	"github.com/turnkey-parsers/turnkey/host/scenario"
	"github.com/turnkey-parsers/turnkey/host/server"
)

func scenarioCommand() *cobra.Command {
	var engine, modules, match string
	var parallel int
	cmd := &cobra.Command{
		Use:   "scenario FILE…",
		Short: "Run scenarios through the whole program: a scripted engine, the server, a strict client",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkEngine(engine); err != nil {
				return err
			}
			var files []*scenario.File
			for _, path := range args {
				f, err := scenario.Load(path)
				if err != nil {
					return err
				}
				files = append(files, f)
			}
			name, err := regexp.Compile(match)
			if err != nil {
				return fmt.Errorf("--run: %w", err)
			}
			r, err := openRegistry(cmd.Context(), engine, modules, "", false, warningLog(cmd))
			if err != nil {
				return err
			}
			defer r.Close(cmd.Context())
			runner := scenario.Runner{Start: serverStarter(r, warningLog(cmd)), Parallel: parallel, Match: name.MatchString}
			if _, failed := runner.Run(cmd.Context(), files, cmd.OutOrStdout()); failed > 0 {
				return errFailed
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&engine, "engine", engineWasm, "how the parsers run: wasm, native")
	flags.StringVar(&match, "run", "", "only scenarios whose name this regular expression matches")
	flags.IntVar(&parallel, "parallel", 4, "scenarios that run at a time")
	flags.StringVar(&modules, "modules", "", "folder with .wasm modules of your own")
	return cmd
}

// serverStarter starts servers that share compiled modules. Errors of requests are
// what many scenarios are about: they are not logged.
func serverStarter(r *registry.Registry, log *slog.Logger) scenario.Start {
	return func(ctx context.Context, text []byte, environ []string) (string, func(), error) {
		cfg, err := config.Load(config.Sources{Data: text, Environ: environ})
		if err != nil {
			return "", nil, err
		}
		s, err := server.New(ctx, server.Options{Config: cfg, Registry: r, Logger: slog.New(slog.DiscardHandler), Version: programVersion()})
		if err != nil {
			return "", nil, err
		}
		l, err := net.Listen("tcp", cfg.Listen)
		if err != nil {
			return "", nil, err
		}
		ctx, cancel := context.WithCancel(ctx)
		served := make(chan error, 1)
		go func() { served <- s.Serve(ctx, l) }()
		stop := func() {
			cancel()
			if err := <-served; err != nil && !errors.Is(err, context.Canceled) {
				log.Warn("the server did not stop in order", "error", err)
			}
		}
		return l.Addr().String(), stop, nil
	}
}
