package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/turnkey-parsers/turnkey/host/config"
	"github.com/turnkey-parsers/turnkey/host/server"
	"github.com/turnkey-parsers/turnkey/host/tracing"
)

func serveCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve; without a configuration, a demonstration with recorded answers",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := config.Load(config.Sources{File: file, Environ: os.Environ(), Flags: cmd.Flags()})
			if err != nil {
				return err
			}
			return serve(cmd.Context(), cfg, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&file, "config", "", "configuration file, YAML; also "+config.EnvConfig)
	for _, s := range config.Reference() {
		for flag, path := range config.FlagSettings {
			if path == s.Path {
				flags.String(flag, s.Default, s.Doc)
			}
		}
	}
	return cmd
}

func serve(ctx context.Context, cfg *config.Config, out, errs io.Writer) error {
	log := newLogger(cfg, errs)
	slog.SetDefault(log)
	for _, w := range cfg.Warnings {
		log.Warn(w)
	}
	l, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	defer l.Close()
	r, err := configuredRegistry(ctx, cfg, log)
	if err != nil {
		return err
	}
	defer r.Close(context.WithoutCancel(ctx))
	spans, err := tracing.New(ctx, tracing.Config{Endpoint: cfg.Tracing.Endpoint, Version: programVersion(), Logger: log})
	if err != nil {
		return err
	}
	defer flushSpans(spans)
	s, err := server.New(ctx, server.Options{Config: cfg, Registry: r, Logger: log, Version: programVersion(), Tracing: spans})
	if err != nil {
		return err
	}
	defer runRegistry(ctx, r)()
	printGreeting(out, cfg, l.Addr().String())
	return s.Serve(ctx, l)
}

// flushSpans sends the last spans; a collector that is gone does not hold the program up.
func flushSpans(spans *tracing.Tracing) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := spans.Close(ctx); err != nil {
		slog.Warn("spans are lost", "error", err)
	}
}

func newLogger(cfg *config.Config, w io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(cfg.Log.Level)) // one of the permitted words
	options := &slog.HandlerOptions{Level: level}
	if cfg.Log.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// printGreeting says where the server is and, for the demonstration, what to try.
func printGreeting(w io.Writer, cfg *config.Config, address string) {
	var names []string
	for i := range cfg.Models {
		names = append(names, cfg.Models[i].Name)
	}
	fmt.Fprintf(w, "turnkey serves http://%s/v1 with %s\n", address, strings.Join(names, ", "))
	if !cfg.Demo {
		return
	}
	const tools = `"tools":[{"type":"function","function":{"name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}}]`
	ask := func(flags, model, more, question string) {
		fmt.Fprintf(w, "  curl -s%s http://%s/v1/chat/completions -H 'Content-Type: application/json' -d '{\"model\":\"%s\",%s\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}],%s}'\n",
			flags, address, model, more, question, tools)
	}
	fmt.Fprintln(w, "No configuration was given: the models answer from recordings. Try:")
	ask("N", names[0], `"stream":true,`, "What is the weather in Paris?")
	ask("", names[1], "", "What is the weather in Paris?")
}
