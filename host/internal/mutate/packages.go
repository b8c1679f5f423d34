package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
)

// goPackage is a package as `go list -json` tells it.
type goPackage struct {
	ImportPath   string
	Dir          string
	GoFiles      []string
	TestImports  []string
	XTestImports []string
	Module       struct{ Path string }
}

func listPackages(patterns []string) (list []*goPackage, err error) {
	if len(patterns) == 0 {
		return nil, nil
	}
	out, err := exec.Command("go", append([]string{"list", "-json"}, patterns...)...).Output()
	if err != nil {
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			err = fmt.Errorf("go list: %s", failed.Stderr)
		}
		return nil, err
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		p := &goPackage{}
		switch err := d.Decode(p); err {
		case nil:
			list = append(list, p)
		case io.EOF:
			return list, nil
		default:
			return nil, err
		}
	}
}

// relative is the name of one of the package's files, relative to the module's root.
func (p *goPackage) relative(file string) string {
	return strings.TrimPrefix(path.Join(p.ImportPath, file), p.Module.Path+"/")
}

// testFlags are what the package's tests are run with. Properties that fail are to
// leave no files, and need not be made small.
func (p *goPackage) testFlags() []string {
	if slices.Contains(slices.Concat(p.TestImports, p.XTestImports), "pgregory.net/rapid") {
		return []string{"-rapid.nofailfile", "-rapid.shrinktime=0s"}
	}
	return nil
}
