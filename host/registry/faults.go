package registry

import (
	"sync"
	"time"
)

// Budget is how many faults a version may have.
type Budget struct {
	// Faults within Window take the version out of service.
	Faults int
	Window time.Duration
	// Backoff is how long it stays out, the first time; each time after that is
	// twice as long, up to MaxBackoff.
	Backoff, MaxBackoff time.Duration
}

// DefaultBudget is the budget where none is configured.
var DefaultBudget = Budget{Faults: 5, Window: time.Minute, Backoff: time.Minute, MaxBackoff: time.Hour}

// backoff is how long a version stays out of service that was put out for the nth
// time in a row.
func (b *Budget) backoff(strikes int) time.Duration {
	d := b.Backoff
	for range strikes - 1 {
		if d *= 2; d >= b.MaxBackoff {
			return b.MaxBackoff
		}
	}
	return d
}

// faults are those of one version.
type faults struct {
	mu     sync.Mutex
	recent []time.Time // the latest of them, no more than the budget has
	sum    uint64
	over   bool
}

// add counts a fault and says whether the budget is used up by it.
func (f *faults) countFault(now time.Time, b *Budget) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sum++
	f.recent = append(f.recent, now)
	if len(f.recent) > b.Faults {
		f.recent = f.recent[1:]
	}
	if f.over || len(f.recent) < b.Faults || now.Sub(f.recent[0]) > b.Window {
		return false
	}
	f.over = true
	return true
}

func (f *faults) total() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sum
}

// exceeded says whether the budget was used up.
func (f *faults) exceeded() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.over
}

// reset gives a version its budget back.
func (f *faults) reset() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recent, f.over = nil, false
}
