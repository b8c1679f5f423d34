// Command statements proves what the streaming core promises: it runs the tests
// that name a statement and every scenario, and prints a row for each statement
// with what proves it. It fails if one has no proof, or a proof fails.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/turnkey-parsers/turnkey/host/scenario"
)

// testsWithIDs are the tests that can prove something: those that name a statement, and
// the one that runs the scenarios.
const testsWithIDs = `^Test(.*_)?(T|FS)[0-9]|^TestScenarios$`

func main() {
	verbose := flag.Bool("v", false, "say what each statement is")
	flag.Parse()
	ok, err := proveStatements(*verbose)
	if err != nil {
		fmt.Fprintln(os.Stderr, "statements:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

func proveStatements(verbose bool) (ok bool, err error) {
	t, err := newTable(list)
	if err != nil {
		return false, err
	}
	files, err := filepath.Glob("host/scenario/testdata/*.json")
	if err != nil {
		return false, err
	}
	for _, name := range files {
		f, err := scenario.Load(name)
		if err != nil {
			return false, err
		}
		t.addScenarios(f)
	}
	cmd := exec.Command("go", "test", "-json", "-run", testsWithIDs, "./host/...")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return false, err
	}
	if err := cmd.Start(); err != nil {
		return false, err
	}
	readErr := t.readResults(out)
	if err := cmd.Wait(); readErr == nil && err != nil && !t.hasFailed() {
		readErr = fmt.Errorf("go test: %w", err) // it did not get as far as the tests
	}
	return t.printRows(os.Stdout, verbose), readErr
}
