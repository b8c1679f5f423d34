package main

import (
	"fmt"
	"slices"
	"strings"
)

// equivalent is a mutant that no test can kill, as reviewed in equivalent.txt.
type equivalent struct {
	name, change string // of the mutant
	reason       string
	used         bool
}

func (e *equivalent) String() string { return e.name + ": " + e.change }

type equivalents []*equivalent

// readEquivalents reads the reviewed list: a line that names a mutant as the report
// does, without its line number, and below it, indented, the reason. Empty lines and
// those that begin with # do not count.
func readEquivalents(text string) (list equivalents, err error) {
	for line := range strings.Lines(text) {
		content := strings.TrimSpace(line)
		switch {
		case content == "" || line[0] == '#':
		case line[0] == ' ' || line[0] == '\t':
			if len(list) == 0 {
				return nil, fmt.Errorf("equivalent.txt: a reason without a mutant: %s", content)
			}
			last := list[len(list)-1]
			last.reason = strings.TrimSpace(last.reason + " " + content)
		default:
			name, change, ok := strings.Cut(content, ": ")
			if !ok {
				return nil, fmt.Errorf("equivalent.txt: not a mutant: %s", content)
			}
			list = append(list, &equivalent{name: name, change: change})
		}
	}
	for _, e := range list {
		if e.reason == "" {
			return nil, fmt.Errorf("equivalent.txt: no reason for %s", e)
		}
	}
	return list, nil
}

// remove gives the mutants that are not in the list, and how many are.
func (l equivalents) remove(all []*mutant) (rest []*mutant, removed int) {
	for _, m := range all {
		i := slices.IndexFunc(l, func(e *equivalent) bool { return e.name == m.name && e.change == m.change() })
		if i < 0 {
			rest = append(rest, m)
			continue
		}
		l[i].used = true
		removed++
	}
	return rest, removed
}

// unused lists the entries about files of these packages that removed nothing.
func (l equivalents) unused(packages []*goPackage) (gone []*equivalent) {
	for _, e := range l {
		for _, p := range packages {
			if !e.used && slices.ContainsFunc(p.GoFiles, func(name string) bool { return p.relative(name) == e.name }) {
				gone = append(gone, e)
			}
		}
	}
	return gone
}
