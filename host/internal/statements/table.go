package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/turnkey-parsers/turnkey/host/scenario"
)

//go:embed statements.md
var list string

// table is the statements and their proofs.
type table struct {
	rows    []*row
	byID    map[string]*row
	sources map[string]source // of scenarios, by file/name
	other   []string          // tests that failed and name no statement
	build   strings.Builder   // what the compiler said
}

type source struct {
	ids  []string
	only string // the one mode in which it runs, if it is one
}

type row struct {
	id, text string
	proofs   []*proof
}

// proof is a test, or a scenario, with what became of it.
type proof struct {
	name   string
	result string // pass, fail or skip: the worst of its runs
}

var statementLine = regexp.MustCompile(`(?m)^- ((?:T|FS-)\d+): (.+)$`)

// newTable reads the list of statements.
func newTable(list string) (*table, error) {
	t := &table{byID: map[string]*row{}, sources: map[string]source{}}
	for _, m := range statementLine.FindAllStringSubmatch(list, -1) {
		r := &row{id: m[1], text: m[2]}
		if t.byID[r.id] != nil {
			return nil, fmt.Errorf("%s is stated twice", r.id)
		}
		t.rows, t.byID[r.id] = append(t.rows, r), r
	}
	if t.rows == nil {
		return nil, errors.New("there are no statements")
	}
	return t, nil
}

// addScenarios takes in which statements a file's scenarios are about.
func (t *table) addScenarios(f *scenario.File) {
	for _, s := range f.Scenarios {
		src := source{ids: idsIn(s.Source)}
		if len(s.Runs) == 1 {
			src.only = s.Runs[0]
		}
		t.sources[strings.TrimSuffix(f.Name, ".json")+"/"+s.Name] = src
	}
}

var (
	inSource = regexp.MustCompile(`\b(T|FS-?)(\d+)\b`)
	inName   = regexp.MustCompile(`(?:^Test|_|^)(T|FS)(\d+)`)
)

// idsIn finds the statements that a scenario's source names.
func idsIn(text string) []string { return findIDs(inSource, text) }

func findIDs(re *regexp.Regexp, text string) (found []string) {
	for _, m := range re.FindAllStringSubmatch(text, -1) {
		id := "T" + m[2]
		if m[1] != "T" {
			id = "FS-" + m[2]
		}
		if !slices.Contains(found, id) {
			found = append(found, id)
		}
	}
	return found
}

// event is a line of go test -json.
type event struct{ Action, Package, Test, Output, FailedBuild string }

// readResults takes in the results of tests.
func (t *table) readResults(in io.Reader) error {
	for d := json.NewDecoder(in); ; {
		var e event
		switch err := d.Decode(&e); {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("the output of go test: %w", err)
		}
		switch e.Action {
		case "pass", "fail", "skip":
			t.addTestResult(e)
		case "build-output":
			t.build.WriteString(e.Output)
		}
	}
}

// addTestResult takes in the result of a test, a subtest or a package.
func (t *table) addTestResult(e event) {
	parts := strings.Split(e.Test, "/")
	if parts[0] == "TestScenarios" {
		t.addScenarioResult(e, parts)
		return
	}
	name := path.Base(e.Package)
	if e.Test != "" {
		name += "." + parts[0]
	}
	found := findIDs(inName, parts[len(parts)-1])
	switch {
	case e.FailedBuild != "":
		t.other = append(t.other, name+" does not build")
	case len(found) == 0 && e.Action == "fail" && len(parts) == 1:
		t.other = append(t.other, name)
	}
	for _, id := range found {
		t.addProof(id, name, e.Action)
	}
}

// addScenarioResult takes in TestScenarios/ENGINE/FILE/NAME.
func (t *table) addScenarioResult(e event, parts []string) {
	if len(parts) < 4 {
		if e.Action != "pass" && len(parts) == 2 { // an engine that did not run
			t.other = append(t.other, e.Test+" ("+e.Action+")")
		}
		return
	}
	name := parts[2] + "/" + parts[3]
	src := t.sources[name]
	if src.only != "" {
		name += " (" + src.only + ")"
	}
	for _, id := range src.ids {
		t.addProof(id, name, e.Action)
	}
}

// severity orders results.
var severity = map[string]int{"pass": 0, "skip": 1, "fail": 2}

func (t *table) addProof(id, name, result string) {
	r := t.byID[id]
	if r == nil {
		t.other = append(t.other, name+" names "+id+", which is not stated")
		return
	}
	i := slices.IndexFunc(r.proofs, func(p *proof) bool { return p.name == name })
	if i < 0 {
		r.proofs = append(r.proofs, &proof{name, result})
		return
	}
	if p := r.proofs[i]; severity[result] > severity[p.result] {
		p.result = result
	}
}

// verdict is pass, fail, or missing where nothing that ran proves the statement.
func (r *row) verdict() string {
	verdict := "missing"
	for _, p := range r.proofs {
		switch p.result {
		case "fail":
			return "FAIL"
		case "pass":
			verdict = "pass"
		}
	}
	return verdict
}

func (t *table) hasFailed() bool {
	return len(t.other) > 0 || slices.ContainsFunc(t.rows, func(r *row) bool { return r.verdict() == "FAIL" })
}

// printRows writes the table, and says whether all is proved.
func (t *table) printRows(out io.Writer, verbose bool) bool {
	count := map[string]int{}
	for _, r := range t.rows {
		verdict := r.verdict()
		count[verdict]++
		fmt.Fprintf(out, "%-5s %-7s ", r.id, verdict)
		if verbose || verdict != "pass" {
			fmt.Fprintf(out, "%s\n%14s", r.text, "")
		}
		var names []string
		for _, p := range r.proofs {
			name := p.name
			if p.result != "pass" {
				name += " [" + p.result + "]"
			}
			names = append(names, name)
		}
		slices.Sort(names)
		fmt.Fprintln(out, strings.Join(names, ", "))
	}
	fmt.Fprint(out, t.build.String())
	for _, o := range t.other {
		fmt.Fprintln(out, "also:", o)
	}
	fmt.Fprintf(out, "%d statements: %d proved, %d failing, %d without a proof\n", len(t.rows), count["pass"], count["FAIL"], count["missing"])
	return count["pass"] == len(t.rows) && len(t.other) == 0
}
