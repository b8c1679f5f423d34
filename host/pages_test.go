package host_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/cases"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/abi/tck"
	"github.com/turnkey-parsers/turnkey/builtin/qwen3"
	"github.com/turnkey-parsers/turnkey/host/conform"
	"github.com/turnkey-parsers/turnkey/sdk/native"
	"github.com/turnkey-parsers/turnkey/wasm"
)

// pages are all pages of the repository, by name from its root.
func pages(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == ".git" || d.Name() == "bin" || d.Name() == "node_modules") {
			if d != nil && d.IsDir() && err == nil {
				return filepath.SkipDir
			}
			return err
		}
		if strings.HasSuffix(name, ".md") {
			text, err := os.ReadFile(name)
			found[filepath.ToSlash(strings.TrimPrefix(name, "../"))] = string(text)
			return err
		}
		return nil
	})
	if err != nil || len(found) < 10 {
		t.Fatalf("%d pages, %v", len(found), err)
	}
	return found
}

// TestPagesNameWhatThereIs follows links, and paths in code quotes that begin with
// a folder of this repository.
func TestPagesNameWhatThereIs(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	path := regexp.MustCompile("`((?:abi|builtin|examples|host|plugins|sdk|wasm|\\.ci|\\.github)/[A-Za-z0-9_./-]*[A-Za-z0-9_])`")
	symbol, placeholder := regexp.MustCompile(`\.[A-Z]\w*$`), regexp.MustCompile(`/[A-Z]+(/|\.|$)`)
	for page, text := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if target := filepath.Join("..", filepath.Dir(page), m[1]); !exists(target) {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			}
		}
		if strings.Contains(page, "testdata") {
			continue
		}
		for _, m := range path.FindAllStringSubmatch(text, -1) {
			name := symbol.ReplaceAllString(m[1], "")
			if !placeholder.MatchString(name) && !exists(filepath.Join("..", name)) {
				t.Errorf("%s names %s, which is not there", page, m[1])
			}
		}
	}
}

// TestCaseOnThePage runs the case that the contributors' page shows.
func TestCaseOnThePage(t *testing.T) {
	page := pages(t)[".github/CONTRIBUTING.md"]
	_, rest, _ := strings.Cut(page, "```json\n")
	text, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("the page shows no case")
	}
	file, err := cases.ParseFile("CONTRIBUTING.md", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	open := func(string) (parser.Engine, error) { return native.Parser(&qwen3.Module, "qwen3") }
	var out strings.Builder
	sum, err := conform.Run(conform.Config{Files: []*cases.File{file}, Name: "native", Splits: tck.EverySplit, Engine: open}, &out, false)
	if err != nil || sum.Failed > 0 || sum.Passed == 0 {
		t.Errorf("%+v, %v:\n%s", sum, err, out.String())
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// TestNumbersOnPages holds the numbers that pages tell against the constants they
// come from. %s stands for the number, as the page writes it.
func TestNumbersOnPages(t *testing.T) {
	shipped, third := wasm.Shipped().Fuel, wasm.ThirdParty().Fuel
	all := pages(t)
	for _, n := range []struct {
		page, sentence string
		number         any
	}{
		{"README.md", "You need Go %s,", goVersion(t)},
		{"README.md", "serves a demonstration on %s:", setting("listen").Default},
		{"wasm/RATIONALE.md", "| third party | %s units", exponent(third.Most)},
		{"wasm/RATIONALE.md", "once a request: %s) | a call of one or two milliseconds", exponent(third.Constraint)},
		{"wasm/RATIONALE.md", "| shipped | %s units", exponent(shipped.Most)},
		{"abi/ABI.md", "at most %s, from a character's beginning", abi.MaxPromptTail},
		{"abi/ABI.md", "OPENs nest at most %s deep", abi.MaxNesting},
		{"abi/ABI.md", "a byte held, at most %s.", commas(third.Most)},
		{"abi/ABI.md", "To start an instance there are %s,", commas(third.Start)},
		{"abi/ABI.md", "for `tk_constraint` %s.", commas(third.Constraint)},
		{"abi/ABI.md", "or of more than %s of literals", fmt.Sprintf("%d KiB", abi.AnswerLiterals>>10)},
	} {
		text := strings.Join(strings.Fields(all[n.page]), " ")
		want := strings.Replace(n.sentence, "%s", fmt.Sprint(n.number), 1)
		if !strings.Contains(text, want) {
			t.Errorf("%s does not say %q", n.page, want)
		}
	}
}

func goVersion(t *testing.T) string {
	t.Helper()
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(mod)
	if m == nil {
		t.Fatal("go.mod says no version")
	}
	return string(m[1])
}

// exponent writes 2000000 as 2e6.
func exponent(n int64) string {
	zeros := 0
	for n != 0 && n%10 == 0 {
		n /= 10
		zeros++
	}
	return fmt.Sprintf("%de%d", n, zeros)
}

// commas writes 2000000 as 2,000,000.
func commas(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
