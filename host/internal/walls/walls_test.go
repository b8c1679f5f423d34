package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestBreaches shows that each wall fails where it is breached: every folder of
// testdata is a tree with one breach, or none, and want.txt what is said of it.
func TestBreaches(t *testing.T) {
	trees, err := filepath.Glob("testdata/*/want.txt")
	if err != nil || len(trees) == 0 {
		t.Fatalf("no trees: %v", err)
	}
	for _, want := range trees {
		root := filepath.Dir(want)
		t.Run(filepath.Base(root), func(t *testing.T) {
			expected, err := os.ReadFile(want)
			if err != nil {
				t.Fatal(err)
			}
			tree, err := readTree(root)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, b := range repository.check(tree) {
				got.WriteString(b.String() + "\n")
			}
			if got.String() != string(expected) {
				t.Errorf("breaches:\n%swant:\n%s", got.String(), expected)
			}
		})
	}
}

// TestRepository holds the walls in this repository.
func TestRepository(t *testing.T) {
	tree, err := readTree("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range repository.check(tree) {
		t.Error(b)
	}
}

// TestRulesNameWhatExists keeps the table free of packages that are gone: a wall
// round nothing looks as if it held.
func TestRulesNameWhatExists(t *testing.T) {
	var named []string
	for _, rooms := range repository.layers {
		named = append(named, rooms...)
	}
	for _, wall := range repository.forbidden {
		named = append(named, wall.pkg, wall.imports)
	}
	for _, home := range repository.homes {
		named = append(named, home.packages...)
	}
	named = append(named, repository.guestRoots...)
	named = append(named, repository.familyFree...)
	for _, pkg := range named {
		folder := strings.TrimSuffix(pkg, "/...")
		if info, err := os.Stat(filepath.Join("../../..", folder)); err != nil || !info.IsDir() {
			t.Errorf("rules.go names %s, which is no folder", pkg)
		}
	}
	tree, err := readTree("../../..")
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.families) < 20 {
		t.Errorf("only %d names of families were found in builtin", len(tree.families))
	}
	if len(repository.check(&sourceTree{requires: []string{"example.com/none"}})) == 0 {
		t.Error("a library without a home passed")
	}
}

// TestTestOnlyPackagesAreForTests: what may import anything is imported by tests
// alone.
func TestTestOnlyPackagesAreForTests(t *testing.T) {
	tree, err := readTree("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for f, i := range tree.productImports() {
		if slices.Contains(repository.testOnly, i.own) {
			t.Errorf("%s imports %s", f.name, i.own)
		}
	}
}

// TestArchitecturePageHasTheRoomsInOrder: a room of the page's table imports only
// rooms above it, and every room of host is on the page.
func TestArchitecturePageHasTheRoomsInOrder(t *testing.T) {
	page, err := os.ReadFile("../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	row := map[string]int{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) < 5 {
			continue
		}
		for i, quoted := range strings.Split(cells[1], "`") {
			if i%2 == 1 {
				row["host/"+quoted] = len(row) + 1
			}
		}
	}
	tree, err := readTree("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for f, i := range tree.productImports() {
		from, known := row[f.pkg]
		to, alsoKnown := row[i.own]
		if known && alsoKnown && to > from {
			t.Errorf("%s imports %s, which the page has below it", f.pkg, i.own)
		}
	}
	tools := []string{"host/internal/walls", "host/internal/statements", "host/internal/bench", "host/internal/mutate"}
	for _, rooms := range repository.layers {
		for _, room := range rooms {
			if row[room] == 0 && !slices.Contains(tools, room) {
				t.Errorf("the page does not have %s", room)
			}
		}
	}
}
