package main

import (
	"errors"
	"os"
	"runtime/pprof"
	"slices"
	"time"

	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/builtin"
	"github.com/turnkey-parsers/turnkey/builtin/sample"
	"github.com/turnkey-parsers/turnkey/sdk/native"
)

// profiled is how long a profile is taken.
const profiled = 20 * time.Second

// profile writes a CPU profile of the named parsers, or of all, run natively on
// answers and calls in chunks of 4 and 16 bytes.
func profile(path string, names []string) error {
	var runs []func() error
	for _, m := range builtin.Modules {
		described, err := manifest.Parse([]byte(m.Manifest))
		if err != nil {
			return err
		}
		for _, p := range described.Parsers {
			g, known := sample.Grammars[p.Name]
			if !known || len(names) > 0 && !slices.Contains(names, p.Name) {
				continue
			}
			e, err := native.Parser(m, p.Name)
			if err != nil {
				return err
			}
			for _, text := range []string{g.Answer(), g.Answer(), g.LongString(4000), g.LongCall(4000)} {
				for _, size := range []int{4, 16} {
					chunks := chunksOf(text, size)
					runs = append(runs, func() error { _, err := pushed(e, chunks); return err })
				}
			}
		}
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return err
	}
	for start := time.Now(); err == nil && time.Since(start) < profiled; {
		for _, run := range runs {
			err = errors.Join(err, run())
		}
	}
	pprof.StopCPUProfile()
	return errors.Join(err, file.Close())
}
