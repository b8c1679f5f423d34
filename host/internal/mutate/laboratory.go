package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// outcome is what became of a mutant.
type outcome int

const (
	survived outcome = iota
	killed
	outOfTime // killed by the clock
	invalid   // the compiler refuses it
)

// laboratory tries mutants.
type laboratory struct {
	also    []*goPackage
	workers int
	timeout time.Duration
	folder  string // of overlays
}

func newLaboratory(also []*goPackage, o options) (*laboratory, error) {
	folder, err := os.MkdirTemp("", "mutate")
	return &laboratory{also: also, workers: max(1, o.workers), timeout: o.timeout, folder: folder}, err
}

func (l *laboratory) close() { os.RemoveAll(l.folder) }

// checkTests runs the tests without a mutant: tests that fail anyway kill nothing.
func (l *laboratory) checkTests(packages []*goPackage) error {
	for _, p := range slices.Concat(packages, l.also) {
		if result, said := l.runTests(p, ""); result != survived {
			return fmt.Errorf("%s fails without a mutant:\n%s", p.ImportPath, said)
		}
	}
	return nil
}

// counts are how many of the mutants that were tried came to what.
type counts [invalid + 1]int

// tryMutants tries mutants, in order, until so many were tried as the sample has; 0:
// all. Those that the compiler refuses are no part of the sample. It prints what
// survives as soon as that is known.
func (l *laboratory) tryMutants(out io.Writer, candidates []*mutant, sample int) (c counts) {
	var mu sync.Mutex // guards what is below, and out
	next, owed := 0, sample
	if sample == 0 {
		owed = len(candidates)
	}
	take := func() (m *mutant, number int) {
		mu.Lock()
		defer mu.Unlock()
		if owed == 0 || next == len(candidates) {
			return nil, 0
		}
		owed--
		next++
		return candidates[next-1], next
	}
	note := func(m *mutant, result outcome) {
		mu.Lock()
		defer mu.Unlock()
		c[result]++
		switch {
		case result == survived:
			fmt.Fprintln(out, m)
		case result == invalid && sample > 0:
			owed++
		}
	}
	var workers sync.WaitGroup
	for range l.workers {
		workers.Go(func() {
			for m, number := take(); m != nil; m, number = take() {
				note(m, l.try(m, number))
			}
		})
	}
	workers.Wait()
	return c
}

// try makes a mutant, and runs the tests that may kill it.
func (l *laboratory) try(m *mutant, number int) outcome {
	overlay, err := l.writeOverlay(m, number)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		return invalid
	}
	tests := []*goPackage{m.pkg}
	for _, p := range l.also {
		if p.ImportPath != m.pkg.ImportPath {
			tests = append(tests, p)
		}
	}
	for _, p := range tests {
		if result, _ := l.runTests(p, overlay); result != survived {
			return result
		}
	}
	return survived
}

// writeOverlay writes a mutant's file, and the file that tells the compiler of it.
func (l *laboratory) writeOverlay(m *mutant, number int) (name string, err error) {
	original := filepath.Join(m.pkg.Dir, filepath.Base(m.name))
	changed := filepath.Join(l.folder, fmt.Sprintf("%d.go", number))
	if err := os.WriteFile(changed, m.source(), 0o600); err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{original: changed}})
	if err != nil {
		return "", err
	}
	name = filepath.Join(l.folder, fmt.Sprintf("%d.json", number))
	return name, os.WriteFile(name, overlay, 0o600)
}

// limited runs a command with bounded memory, where the system can: a loop that a mutant
// made endless may append.
const limited = `ulimit -v 16000000 2>/dev/null; exec "$@"`

// runTests runs a package's tests; without an overlay, as they are.
func (l *laboratory) runTests(p *goPackage, overlay string) (outcome, []byte) {
	args := []string{"-c", limited, "sh", "go", "test", "-vet=off", "-failfast", "-p=1", "-timeout=" + l.timeout.String()}
	if overlay != "" {
		args = append(args, "-overlay="+overlay)
	}
	args = append(append(args, p.ImportPath), p.testFlags()...)
	said, err := exec.Command("sh", args...).CombinedOutput()
	switch {
	case err == nil:
		return survived, said
	case bytes.Contains(said, []byte("[build failed]")):
		return invalid, said
	case bytes.Contains(said, []byte("panic: test timed out")):
		return outOfTime, said
	}
	return killed, said
}

func (c counts) String() string {
	dead := c[killed] + c[outOfTime]
	return fmt.Sprintf("%d mutants tried: %d killed (%d by the clock), %d survived; %d more did not compile",
		dead+c[survived], dead, c[outOfTime], c[survived], c[invalid])
}
