package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/turnkey-parsers/turnkey/host/conform"
)

// templateCheckFlags are the flags of template check.
type templateCheckFlags struct{ engine, exceptions, modules string }

func templateCheckCommand() *cobra.Command {
	var f templateCheckFlags
	cmd := &cobra.Command{
		Use:   "check DIR",
		Short: "Check renderings of chat templates, and that parsers read them back",
		Long: "DIR holds chat templates (jinja/*.jinja), the families that answer in their form (families.json: an object of names by template) and conversations " +
			"with what they render to (cases.jsonl.gz). Each is rendered and compared byte for byte. Where a case's name begins with \"turn \", its last message is cut " +
			"out of the prompt, parsed by the template's families and compared with the message; lenient is what differs in white space at the ends of texts only, " +
			"or for a reason that an exception gives. Exit status 1 if anything differs.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.checkTemplates(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.engine, "engine", engineWasm, "how the parsers run: wasm, native, process")
	flags.StringVar(&f.exceptions, "exceptions", "", "JSON file that says which turns a template loses, and why (default: the known ones of published templates)")
	flags.StringVar(&f.modules, "modules", "", "folder with .wasm modules of your own")
	return cmd
}

func (f *templateCheckFlags) checkTemplates(cmd *cobra.Command, folder string) error {
	if err := checkEngine(f.engine); err != nil {
		return err
	}
	text := conform.PublishedExceptions
	if f.exceptions != "" {
		var err error
		if text, err = os.ReadFile(f.exceptions); err != nil {
			return err
		}
	}
	exceptions, err := conform.ParseTemplateExceptions(text)
	if err != nil {
		return err
	}
	r, err := openRegistry(cmd.Context(), f.engine, f.modules, "", true, warningLog(cmd))
	if err != nil {
		return err
	}
	defer r.Close(cmd.Context())
	check := conform.TemplateCheck{Folder: folder, Engine: familyEngines(cmd.Context(), r), Exceptions: exceptions}
	sum, err := conform.CheckTemplates(cmd.Context(), check, cmd.OutOrStdout())
	if err == nil && !sum.Passed() {
		err = errFailed
	}
	return err
}
