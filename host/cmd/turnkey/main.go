// Command turnkey stands between OpenAI-style clients and inference engines: it
// parses what models say while they say it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// errFailed says that a command has printed why it failed.
var errFailed = errors.New("failed")

// run runs one command and gives the exit code.
func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	root := &cobra.Command{
		Use:           "turnkey",
		Short:         "Parses reasoning and tool calls out of what models say, while they say it",
		Version:       versionLine(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errs)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(serveCommand(), parseCommand(), conformCommand(), scenarioCommand(), modulesCommand(), templateCommand(), versionCommand(), processCommand())
	switch err := root.ExecuteContext(ctx); {
	case err == nil:
		return 0
	case !errors.Is(err, errFailed):
		fmt.Fprintln(errs, "turnkey:", err)
	}
	return 1
}
