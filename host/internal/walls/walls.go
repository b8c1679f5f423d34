package main

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// rules says which package may know what. Packages are named by their folder,
// relative to the module's root; a name that ends with /... means all below, too.
type rules struct {
	// layers are the rooms of host from the bottom up. A room imports rooms of
	// lower layers only, and every room has a layer.
	layers [][]string
	// forbidden says what a package must not import from this module.
	forbidden []forbidden
	// homes says for each library which packages may import it.
	homes map[string]home
	// testOnly are packages that only tests import: they may import what tests may.
	testOnly []string
	// guestRoots are what guests are built from, guestImports what all that they
	// import may import from elsewhere.
	guestRoots   []string
	guestImports []string
	// familyFree are the packages that name no model family, not even in a
	// comment.
	familyFree []string
	// words are names of families that are also words of their own.
	words []string
	// exceptions are names in familyFree packages that are meant, each with the
	// reason.
	exceptions map[string]string
}

type forbidden struct {
	pkg, imports string
	why          string
}

// home says where a library may be imported. Tests may import what they like.
type home struct {
	packages []string
	why      string
}

// breach is one line of source that a wall does not let through.
type breach struct {
	file string
	line int
	why  string
}

func (b breach) String() string { return fmt.Sprintf("%s:%d: %s", b.file, b.line, b.why) }

// check gives all breaches, in order of files and lines.
func (r *rules) check(t *sourceTree) []breach {
	var found []breach
	found = append(found, r.checkLayers(t)...)
	found = append(found, r.checkForbidden(t)...)
	found = append(found, r.checkHomes(t)...)
	found = append(found, r.checkGuests(t)...)
	found = append(found, r.checkFamilies(t)...)
	slices.SortStableFunc(found, func(a, b breach) int {
		return cmp.Or(strings.Compare(a.file, b.file), a.line-b.line)
	})
	return found
}

func (r *rules) checkLayers(t *sourceTree) []breach {
	layer := map[string]int{}
	for i, rooms := range r.layers {
		for _, room := range rooms {
			layer[room] = i
		}
	}
	var found []breach
	homeless := map[string]bool{}
	for f, i := range t.productImports() {
		if !within(f.pkg, "host/...") {
			continue
		}
		from, ok := layer[f.pkg]
		if !ok && !homeless[f.pkg] {
			homeless[f.pkg] = true
			found = append(found, breach{f.name, 1, fmt.Sprintf("%s has no layer: give it one in host/internal/walls/rules.go", f.pkg)})
		}
		to, known := layer[i.own]
		if ok && known && to >= from && i.own != f.pkg {
			found = append(found, breach{f.name, i.line, fmt.Sprintf("%s imports %s, which is not below it: data and imports go one way", f.pkg, i.own)})
		}
	}
	return found
}

func (r *rules) checkForbidden(t *sourceTree) []breach {
	var found []breach
	for f, i := range t.productImports() {
		for _, wall := range r.forbidden {
			if i.own != "" && !slices.Contains(r.testOnly, f.pkg) && within(f.pkg, wall.pkg) && within(i.own, wall.imports) {
				found = append(found, breach{f.name, i.line, fmt.Sprintf("%s imports %s: %s", f.pkg, i.own, wall.why)})
			}
		}
	}
	return found
}

func (r *rules) checkHomes(t *sourceTree) []breach {
	var found []breach
	for f, i := range t.productImports() {
		for library, home := range r.homes {
			if below(i.path, library) && !slices.ContainsFunc(home.packages, func(p string) bool { return within(f.pkg, p) }) {
				found = append(found, breach{f.name, i.line, fmt.Sprintf("%s imports %s: %s", f.pkg, i.path, home.why)})
			}
		}
	}
	for _, library := range t.requires {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(r.homes)), func(home string) bool { return below(library, home) }) {
			found = append(found, breach{"go.mod", 1, fmt.Sprintf("%s has no home: say in host/internal/walls/rules.go which packages may import it", library)})
		}
	}
	return found
}

// checkGuests follows the imports of guests through the module.
func (r *rules) checkGuests(t *sourceTree) []breach {
	imports := map[string][]string{}
	for f, i := range t.productImports() {
		imports[f.pkg] = append(imports[f.pkg], i.own)
	}
	guest := map[string]bool{}
	var follow func(pkg string)
	follow = func(pkg string) {
		if pkg == "" || guest[pkg] {
			return
		}
		guest[pkg] = true
		for _, own := range imports[pkg] {
			follow(own)
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(imports)) {
		if slices.ContainsFunc(r.guestRoots, func(root string) bool { return within(pkg, root) }) {
			follow(pkg)
		}
	}
	var found []breach
	for f, i := range t.productImports() {
		if guest[f.pkg] && i.own == "" && !slices.Contains(r.guestImports, i.path) {
			found = append(found, breach{f.name, i.line, fmt.Sprintf("%s imports %s, and guests are built from it: they stay small", f.pkg, i.path)})
		}
	}
	return found
}

// checkFamilies looks for names of families in the text of files, comments
// included.
func (r *rules) checkFamilies(t *sourceTree) []breach {
	var names []string
	for _, family := range t.families {
		if !slices.Contains(r.words, family) {
			names = append(names, regexp.QuoteMeta(family))
		}
		if stem := strings.TrimRight(family, "0123456789._"); len(stem) >= 4 && !strings.Contains(stem, "_") && !slices.Contains(r.words, stem) {
			names = append(names, regexp.QuoteMeta(stem))
		}
	}
	if len(names) == 0 {
		return nil
	}
	named := regexp.MustCompile(`(?i)[a-z0-9_]*(` + strings.Join(names, "|") + `)[a-z0-9_]*`)
	var found []breach
	for _, f := range t.files {
		if f.test || !slices.ContainsFunc(r.familyFree, func(p string) bool { return within(f.pkg, p) }) {
			continue
		}
		line := 0
		for text := range strings.Lines(f.text) {
			line++
			for _, word := range named.FindAllString(text, -1) {
				if _, meant := r.exceptions[strings.ToLower(word)]; !meant {
					found = append(found, breach{f.name, line, fmt.Sprintf("%q names a model family: what is a family's comes from its module", word)})
				}
			}
		}
	}
	return found
}

// productImports gives every import clause of files that are not tests.
func (t *sourceTree) productImports() func(yield func(*sourceFile, importClause) bool) {
	return func(yield func(*sourceFile, importClause) bool) {
		for n := range t.files {
			if t.files[n].test {
				continue
			}
			for _, i := range t.files[n].imports {
				if !yield(&t.files[n], i) {
					return
				}
			}
		}
	}
}

// within says whether a package is the one named, or below one that ends with
// /... .
func within(pkg, name string) bool {
	if root, all := strings.CutSuffix(name, "/..."); all {
		return below(pkg, root)
	}
	return pkg == name
}

func below(path, root string) bool {
	return path == root || strings.HasPrefix(path, root+"/")
}
