package main

import (
	"errors"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// modulePath is the path of this module; imports below it are the tree's own.
const modulePath = "github.com/turnkey-parsers/turnkey"

// sourceTree is the module's Go source, as far as walls are about it.
type sourceTree struct {
	files    []sourceFile
	requires []string // modules that go.mod requires directly
	families []string // names of model families: folders and manifests of builtin
}

// sourceFile is one Go file.
type sourceFile struct {
	name    string // relative to the root, with slashes
	pkg     string // its folder, relative to the root
	test    bool
	imports []importClause
	text    string
}

type importClause struct {
	path string // as written
	own  string // relative to the module's root, for packages of this module
	line int
}

// readTree reads all Go files below root except those in testdata.
func readTree(root string) (*sourceTree, error) {
	tree := &sourceTree{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != root && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		f, err := readFile(root, name)
		tree.files = append(tree.files, f)
		return err
	})
	if err != nil {
		return nil, err
	}
	if tree.requires, err = readRequires(filepath.Join(root, "go.mod")); err != nil {
		return nil, err
	}
	tree.families, err = readFamilies(filepath.Join(root, "builtin"))
	return tree, err
}

func readFile(root, name string) (sourceFile, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return sourceFile{}, err
	}
	relative, err := filepath.Rel(root, name)
	if err != nil {
		return sourceFile{}, err
	}
	f := sourceFile{name: filepath.ToSlash(relative), test: strings.HasSuffix(name, "_test.go"), text: string(text)}
	f.pkg = path.Dir(f.name)
	positions := token.NewFileSet()
	parsed, err := parser.ParseFile(positions, name, text, parser.ImportsOnly)
	if err != nil {
		return f, err
	}
	for _, i := range parsed.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return f, err
		}
		clause := importClause{path: p, line: positions.Position(i.Pos()).Line}
		if own, ok := strings.CutPrefix(p, modulePath+"/"); ok {
			clause.own = own
		}
		f.imports = append(f.imports, clause)
	}
	return f, nil
}

// readRequires lists the modules of go.mod that are not marked as indirect. A
// folder without go.mod requires none.
func readRequires(name string) ([]string, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var found []string
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(fields) == 2 && strings.HasPrefix(fields[1], "v") && strings.Contains(fields[0], ".") {
			found = append(found, fields[0])
		}
	}
	return found, err
}

// readFamilies lists the names of the model families that ship: the folders of
// builtin, and what their manifests are called.
func readFamilies(builtin string) ([]string, error) {
	entries, err := os.ReadDir(builtin)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var found []string
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		manifest, err := os.ReadFile(filepath.Join(builtin, e.Name(), "manifest.json"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		found = append(found, e.Name())
		found = append(found, quotedAfter(string(manifest), `"module":`, `"name":`, `"aliases":`)...)
	}
	slices.Sort(found)
	return slices.Compact(found), err
}

// quotedAfter gives the strings on those lines of a manifest that hold one of the
// members. It is no JSON reader: manifests are written one member a line.
func quotedAfter(text string, members ...string) []string {
	var found []string
	for line := range strings.Lines(text) {
		for _, m := range members {
			_, rest, ok := strings.Cut(line, m)
			if !ok {
				continue
			}
			parts := strings.Split(rest, `"`)
			for i := 1; i < len(parts); i += 2 {
				found = append(found, parts[i])
			}
		}
	}
	return found
}
