// Command mutate tests the tests: it makes one small change at a time to the
// packages it is given, runs the tests that should notice, and prints the changes
// that they let live. It is run in the module's root, after make modules:
//
//	go run ./host/internal/mutate [-n N] [-seed SEED] [-match REGEXP] [-also PACKAGES] [-workers N] PACKAGE…
//
// No file of the tree is changed: the compiler is shown the mutant by -overlay. A
// mutant is tested by its own package's tests first, and then by those of -also. One
// that does not end is killed by the clock, as far as the report is concerned: this
// is the one place where a test may fail for being slow.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// reviewed are the mutants that no test can kill, each with its reason.
//
//go:embed equivalent.txt
var reviewed string

// options are what the command line says.
type options struct {
	sample  int // mutants to try; 0: all
	seed    uint64
	match   string // of the lines of the report; "": all
	also    []string
	workers int
	timeout time.Duration
}

func main() {
	var o options
	var also string
	flag.IntVar(&o.sample, "n", 60, "mutants to try; 0: all")
	flag.Uint64Var(&o.seed, "seed", 1, "of the sample")
	flag.StringVar(&o.match, "match", "", "only mutants whose line in the report matches")
	flag.StringVar(&also, "also", "", "packages that are tested where a mutant's own package has not killed it")
	flag.IntVar(&o.workers, "workers", runtime.NumCPU(), "mutants that are tested at the same time")
	flag.DurationVar(&o.timeout, "timeout", 2*time.Minute, "for the tests of one package: longer counts as killed")
	flag.Parse()
	o.also = strings.Fields(also)
	if err := run(os.Stdout, o, reviewed, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// run tries a sample of the packages' mutants and reports. The error says that it could
// not, not that mutants survived.
func run(out io.Writer, o options, reviewed string, patterns []string) error {
	if len(patterns) == 0 {
		return fmt.Errorf("name the packages to change, such as ./host/jail")
	}
	packages, err := listPackages(patterns)
	if err != nil {
		return err
	}
	also, err := listPackages(o.also)
	if err != nil {
		return err
	}
	all, err := allMutants(packages)
	if err != nil {
		return err
	}
	equivalents, err := readEquivalents(reviewed)
	if err != nil {
		return err
	}
	candidates, skipped := equivalents.remove(all)
	match, err := regexp.Compile(o.match)
	if err != nil {
		return err
	}
	candidates = slices.DeleteFunc(candidates, func(m *mutant) bool { return !match.MatchString(m.String()) })
	shuffle(candidates, o.seed)

	l, err := newLaboratory(also, o)
	if err != nil {
		return err
	}
	defer l.close()
	if err := l.checkTests(packages); err != nil {
		return err
	}
	fmt.Fprintln(out, l.tryMutants(out, candidates, o.sample))
	fmt.Fprintf(out, "of %d that can be made; %d equivalent, seed %d\n", len(all), skipped, o.seed)
	for _, e := range equivalents.unused(packages) {
		fmt.Fprintf(out, "equivalent.txt names what is gone: %s\n", e)
	}
	return nil
}

// allMutants lists the mutants of packages, in the order of files and lines.
func allMutants(packages []*goPackage) (all []*mutant, err error) {
	for _, p := range packages {
		for _, name := range p.GoFiles {
			found, err := p.mutantsOf(name)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	return all, nil
}

func shuffle(mutants []*mutant, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(mutants), func(i, k int) { mutants[i], mutants[k] = mutants[k], mutants[i] })
}
