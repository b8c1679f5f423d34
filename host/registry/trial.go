package registry

import (
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/parser"
)

// Mode is how a new version takes over.
type Mode string

const (
	// Live lets it take over at once.
	Live Mode = "live"
	// Shadow gives it the same text as the live version and compares what both
	// say; nothing of it is sent.
	Shadow Mode = "shadow"
	// Canary gives it a share of the new requests.
	Canary Mode = "canary"
)

// Rollout is how a new version goes live. The zero value lets it take over at
// once.
type Rollout struct {
	Mode Mode
	// Percent is a canary's share of new requests.
	Percent int
	// Faults and Differences end the trial when there are as many; 0 stands for
	// DefaultTrialFaults and DefaultDifferences.
	Faults, Differences int
	// Promote makes the version live after so many answers on trial; 0 leaves that
	// to an administrator.
	Promote int
}

// Defaults of Rollout.
const (
	DefaultTrialFaults = 3
	DefaultDifferences = 10
)

// Check says what is wrong with the rollout, and fills in its defaults.
func (o *Rollout) Check() error {
	if o.Faults == 0 {
		o.Faults = DefaultTrialFaults
	}
	if o.Differences == 0 {
		o.Differences = DefaultDifferences
	}
	switch o.Mode {
	case "":
		o.Mode = Live
	case Live, Shadow:
	case Canary:
		if o.Percent < 1 || o.Percent > 100 {
			return fmt.Errorf("a canary takes 1 to 100 percent of new requests, not %d", o.Percent)
		}
	default:
		return fmt.Errorf("rollout %q: write live, shadow or canary", o.Mode)
	}
	if o.Faults < 0 || o.Differences < 0 || o.Promote < 0 {
		return fmt.Errorf("rollout: a number of faults, differences or answers can't be negative")
	}
	return nil
}

// trial is a version that is not live yet.
type trial struct {
	Rollout
	version *version
	counts  *counts
	log     *slog.Logger
	wake    func()
	since   time.Time

	requests  atomic.Uint64 // that a canary could have taken
	answers   atomic.Uint64 // compared, or served by the canary
	different atomic.Uint64
}

// takesNext says whether a canary takes the next request: of every hundred, Percent.
func (t *trial) takesNext() bool {
	n, p := t.requests.Add(1), uint64(t.Percent)
	return n*p/100 != (n-1)*p/100
}

// countAnswer counts an answer on trial.
func (t *trial) countAnswer() {
	if n := t.answers.Add(1); t.Promote > 0 && n == uint64(t.Promote) {
		t.wake()
	}
}

// verdict is what the trial has come to.
type verdict uint8

const (
	undecided verdict = iota
	failed
	good
)

func (t *trial) verdict() (verdict, string) {
	faults, different := t.version.faults.total(), t.different.Load()
	switch {
	case faults >= uint64(t.Faults):
		return failed, fmt.Sprintf("%d faults", faults)
	case different >= uint64(t.Differences):
		return failed, fmt.Sprintf("%d of %d answers differ", different, t.answers.Load())
	case t.Promote > 0 && t.answers.Load() >= uint64(t.Promote):
		return good, fmt.Sprintf("%d answers, %d faults, %d differences", t.answers.Load(), faults, different)
	}
	return undecided, ""
}

// countComparison counts a comparison that came to its end. where is the place of the
// first difference.
func (t *trial) countComparison(same bool, where uint32) {
	t.counts.compared.Add(1)
	if !same {
		t.counts.different.Add(1)
		t.log.Warn("a version on trial parses an answer differently", "module", t.version.Manifest.Module,
			"version", t.version.Manifest.Version, "sha256", t.version.SHA256, "offset", where)
		t.different.Add(1)
	}
	t.countAnswer()
	if !same && t.different.Load() >= uint64(t.Differences) {
		t.wake()
	}
}

// shadowFamily gives the live family's parsers, each with the candidate's as its
// shadow.
func (t *trial) shadowFamily(live, candidate *parser.Family) *parser.Family {
	return pairFamilies(live, candidate, func(l, c parser.Engine) parser.Engine {
		if c == nil {
			return l
		}
		return &observed{l, func(open *abi.OpenBlock) observer { return newShadowRun(t, c, open) }}
	})
}

// canaryFamily gives the candidate's parsers, whose answers are counted.
func (t *trial) canaryFamily(candidate *parser.Family) *parser.Family {
	return pairFamilies(candidate, candidate, func(c, _ parser.Engine) parser.Engine {
		return &observed{c, func(*abi.OpenBlock) observer { return canaryCounter{t} }}
	})
}

// pairFamilies makes a family of what pair makes of each parser of f and its like in g.
func pairFamilies(f, g *parser.Family, pair func(f, g parser.Engine) parser.Engine) *parser.Family {
	both := func(a, b parser.Engine) parser.Engine {
		if a == nil {
			return nil
		}
		return pair(a, b)
	}
	return &parser.Family{Name: f.Name, Unified: both(f.Unified, g.Unified), Tools: both(f.Tools, g.Tools),
		Reasoning: both(f.Reasoning, g.Reasoning), Batch: both(f.Batch, g.Batch)}
}
