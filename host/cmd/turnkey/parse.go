package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/cases"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/host/conform"
)

type parseFlags struct {
	family, tools, start, mode, finish, engine, modules string
	chunks                                              int
	options                                             map[string]string
	trace                                               bool
}

func parseCommand() *cobra.Command {
	var f parseFlags
	cmd := &cobra.Command{
		Use:   "parse --family F < raw",
		Short: "Parse raw model text and print the ordered events, one JSON object a line",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return parseText(cmd, &f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.family, "family", "", "the parser family")
	flags.StringVar(&f.tools, "tools", "", "file with the request's tools, a JSON array; without one nothing is a call")
	flags.StringVar(&f.start, "start", "none", "the channel that the prompt left open: none, content, reasoning, response")
	flags.StringVar(&f.mode, "mode", "native", "what guided decoding made the model emit: native, guided_required, guided_named:TOOL")
	flags.StringVar(&f.finish, "finish", "stop", "why the text ended: stop, eos, length, user_stop, transport")
	flags.StringVar(&f.engine, "engine", engineWasm, "how the parser runs: wasm, native, process")
	flags.IntVar(&f.chunks, "chunks", 0, "give the text in pieces of so many bytes; 0: whole")
	flags.StringToStringVar(&f.options, "option", nil, "an option of the parser, KEY=VALUE; may be given more than once")
	flags.BoolVar(&f.trace, "trace", false, "print on standard error what the parser answers: each event's span, how far the text is accounted for, what is held back, what is dropped")
	flags.StringVar(&f.modules, "modules", "", "folder with .wasm modules of your own")
	return cmd
}

func parseText(cmd *cobra.Command, f *parseFlags) error {
	if f.family == "" {
		return errors.New("--family is needed; turnkey modules ls lists the parsers")
	}
	if f.chunks < 0 {
		return fmt.Errorf("--chunks: want 0 or more, got %d", f.chunks)
	}
	if err := checkEngine(f.engine); err != nil {
		return err
	}
	c, err := f.readCase()
	if err != nil {
		return err
	}
	raw, err := io.ReadAll(cmd.InOrStdin())
	if err != nil {
		return err
	}
	r, err := openRegistry(cmd.Context(), f.engine, f.modules, "", false, warningLog(cmd))
	if err != nil {
		return err
	}
	defer r.Close(cmd.Context())
	e, _, err := r.Parser(cmd.Context(), f.family)
	if err != nil {
		return err
	}
	if len(f.options) > 0 {
		e = &withOptions{e, f.options}
	}
	var trace io.Writer
	if f.trace {
		trace = cmd.ErrOrStderr()
	}
	events, surfaced := conform.AssembleTraced(e, c, cutText(string(raw), f.chunks), trace)
	out := json.NewEncoder(cmd.OutOrStdout())
	out.SetEscapeHTML(false)
	for _, e := range events {
		if err := out.Encode(e); err != nil {
			return err
		}
	}
	return surfaced
}

// readCase makes a case of the flags.
func (f *parseFlags) readCase() (c *cases.Case, err error) {
	c = &cases.Case{Family: f.family}
	if c.Start, err = cases.ParseStart(f.start); err != nil {
		return nil, fmt.Errorf("--start: %w", err)
	}
	if c.Mode, c.NamedTool, err = cases.ParseMode(f.mode); err != nil {
		return nil, fmt.Errorf("--mode: %w", err)
	}
	c.TurnGrammar = f.finish == "eos"
	if c.Finish, err = cases.ParseFinish(f.finish, c.TurnGrammar); err != nil {
		return nil, fmt.Errorf("--finish: %w", err)
	}
	if f.tools == "" {
		return c, nil
	}
	data, err := os.ReadFile(f.tools)
	if err != nil {
		return nil, fmt.Errorf("--tools: %w", err)
	}
	if err := json.Unmarshal(data, &c.Tools); err != nil {
		return nil, fmt.Errorf("--tools: %s: want a JSON array of tools: %w", f.tools, err)
	}
	return c, nil
}

// cutText cuts text into pieces of about n bytes, at characters.
func cutText(text string, n int) []string {
	if n == 0 {
		return []string{text}
	}
	var out []string
	for len(text) > n {
		at := n
		for at < len(text) && !utf8.RuneStart(text[at]) {
			at++
		}
		out, text = append(out, text[:at]), text[at:]
	}
	if text != "" || out == nil {
		out = append(out, text)
	}
	return out
}

// withOptions is an engine whose sessions get options, as a model's configuration
// gives them.
type withOptions struct {
	parser.Engine
	options map[string]string
}

func (e *withOptions) Open(s *abi.OpenBlock) (parser.Source, abi.Answer, error) {
	open := *s
	for _, key := range slices.Sorted(maps.Keys(e.options)) {
		open.Options = append(open.Options, abi.Option{Key: key, Value: e.options[key]})
	}
	return e.Engine.Open(&open)
}
