package plugins

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// What sdk/README.md shows of the example is what the example holds.
func TestTheAuthorsPageShowsTheExample(t *testing.T) {
	page := string(read(t, "../../sdk/README.md"))
	shown := string(read(t, "birch/birch.go")) + string(read(t, "birch/birch_test.go")) + string(read(t, "birch/testdata/cases.json"))
	blocks := 0
	for _, language := range []string{"```go\n", "```json\n"} {
		for _, rest := range strings.Split(page, language)[1:] {
			block, _, _ := strings.Cut(rest, "```")
			if blocks++; !strings.Contains(shown, block) {
				t.Errorf("the example does not hold\n%s", block)
			}
		}
	}
	if blocks < 5 {
		t.Errorf("only %d blocks found", blocks)
	}
}

// The page's shell commands work as they stand.
func TestTheAuthorsPageBuildsTheModule(t *testing.T) {
	page := string(read(t, "../../sdk/README.md"))
	_, rest, _ := strings.Cut(page, "```sh\n")
	script, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("no shell commands")
	}
	dir := t.TempDir()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	script = strings.NewReplacer("birch.wasm", dir+"/birch.wasm", "my-modules", dir+"/modules").Replace(script)
	run(t, nil, "bash", "-euc", "cd "+root+"/../..\n"+script)
}

// A manifest that is not the module's own is refused when it is attached, not
// when the module is to go live.
func TestPackRefusesAnotherManifest(t *testing.T) {
	dir := t.TempDir()
	run(t, nil, "go", "build", "-o", dir+"/turnkey", "../../host/cmd/turnkey")
	run(t, []string{"GOOS=wasip1", "GOARCH=wasm"}, "go", "build", "-buildmode=c-shared", "-o", dir+"/birch.wasm", "./birch_wasm")
	other := strings.Replace(string(read(t, "birch/manifest.json")), `"1.0.0"`, `"1.1.0"`, 1)
	if err := os.WriteFile(dir+"/manifest.json", []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(dir+"/turnkey", "modules", "pack", dir+"/birch.wasm", "--manifest", dir+"/manifest.json").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "manifest") {
		t.Errorf("%v: %s", err, out)
	}
}
