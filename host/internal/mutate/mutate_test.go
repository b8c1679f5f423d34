package main

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const tiny = "./testdata/tiny"

func tinyMutants(t *testing.T) []*mutant {
	t.Helper()
	packages, err := listPackages([]string{tiny})
	if err != nil {
		t.Fatal(err)
	}
	all, err := allMutants(packages)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestMutantsOfAFile(t *testing.T) {
	want := `Sum: (start) ► return 0
Sum: sum += i ► (dropped)
Sum: sum += i ► sum -= i
Prefix: (start) ► return nil
Prefix: len(text) == 0 ► !(len(text) == 0)
Prefix: len(text) == 0 ► false && (len(text) == 0)
Prefix: 0 ► 1
Prefix: bytes.Clone(text[:1]) ► text[:1]
Prefix: 1 ► 0
Later: (start) ► return false
Later: (start) ► return true
Later: n > 3 ► n >= 3
Later: 3 ► 4
Forever: (start) ► return
Forever: n > 0 ► n >= 0
Forever: 0 ► 1
Forever: n-- ► (dropped)
Forever: n-- ► n++`
	got := map[string]bool{}
	for _, m := range tinyMutants(t) {
		got[m.change()] = true
	}
	for line := range strings.Lines(want) {
		line = strings.TrimSpace(line)
		if !got[line] {
			t.Errorf("not made: %s", line)
		}
		delete(got, line)
	}
	for line := range got {
		if line != "Sum: 0 ► 1" && line != "Prefix: return nil ► (dropped)" {
			t.Errorf("made: %s", line)
		}
	}
}

// TestMutantsAreGo: each change leaves a file that can be read.
func TestMutantsAreGo(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	p := &goPackage{Dir: "."}
	kinds := map[string]int{"(dropped)": 0, "► false && (": 0, "(true || (": 0, "(false && (": 0, "(start) ► return": 0, "min(": 0}
	for _, name := range files {
		found, err := p.mutantsOf(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range found {
			if _, err := parser.ParseFile(token.NewFileSet(), name, m.source(), 0); err != nil {
				t.Errorf("%s: %v", m, err)
			}
			for kind := range kinds {
				if strings.Contains(m.change(), kind) {
					kinds[kind]++
				}
			}
		}
	}
	for kind, n := range kinds {
		if n == 0 {
			t.Errorf("no mutant of this program has %q", kind)
		}
	}
}

func TestRunTellsWhatSurvives(t *testing.T) {
	reviewed := `# no caller
host/internal/mutate/testdata/tiny/tiny.go: Later: 3 ► 4
	Nobody asks
	for it.
host/internal/mutate/testdata/tiny/tiny.go: Later: 7 ► 8
	It was there once.
`
	var out strings.Builder
	o := options{match: `Clone|Later: (n|3)|Forever: n-- ► .d|Prefix: return nil`, workers: 2, timeout: 5 * time.Second}
	if err := run(&out, o, reviewed, []string{tiny}); err != nil {
		t.Fatal(err)
	}
	want := `host/internal/mutate/testdata/tiny/tiny.go:25: Later: n > 3 ► n >= 3
4 mutants tried: 3 killed (1 by the clock), 1 survived; 0 more did not compile
of 20 that can be made; 1 equivalent, seed 0
equivalent.txt names what is gone: host/internal/mutate/testdata/tiny/tiny.go: Later: 7 ► 8
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestSampleIsDrawnBySeed(t *testing.T) {
	order := func(seed uint64) string {
		var names []string
		all := tinyMutants(t)
		shuffle(all, seed)
		for _, m := range all {
			names = append(names, m.String())
		}
		return strings.Join(names, "\n")
	}
	first, again, other := order(1), order(1), order(2)
	if first != again || first == other {
		t.Error("the seed does not decide")
	}
}

func TestListOfEquivalents(t *testing.T) {
	if _, err := readEquivalents(reviewed); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"a.go: F: x ► y\n", "\treason\n", "no mutant\n\treason\n"} {
		if _, err := readEquivalents(bad); err == nil {
			t.Errorf("read: %q", bad)
		}
	}
}
