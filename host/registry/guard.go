package registry

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/turnkey-parsers/turnkey/wasm"
)

// guard looks after the versions in service: it counts their faults, ends trials
// that are decided, and keeps versions over their fault budget in quarantine.
type guard struct {
	cfg      *Config
	log      *slog.Logger
	names    *names
	deployer *deployer

	wake chan struct{} // there may be something to do
}

func newGuard(cfg *Config, n *names) *guard {
	return &guard{cfg: cfg, log: cfg.Logger, names: n, wake: make(chan struct{}, 1)}
}

// onModuleFault counts a fault of a module for the version that has its bytes.
// What fails before it is live, or after it was replaced, counts for nobody. It
// does not block.
func (g *guard) onModuleFault(f *wasm.Fault) {
	for _, v := range g.names.current().openVersions() {
		if v.hasDigest(f.Digest) {
			g.onFault(v)
		}
	}
}

// onFault counts a fault of v. It does not wait for what follows from it.
func (g *guard) onFault(v *version) {
	over := v.faults.countFault(time.Now(), &g.cfg.Budget)
	if over || g.names.current().isOnTrial(v) {
		g.wakeUp()
	}
}

// wakeUp makes run maintain the versions now.
func (g *guard) wakeUp() {
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

// runMaintenance calls maintain when it is due until ctx ends.
func (g *guard) runMaintenance(ctx context.Context, maintain func(context.Context, time.Time) time.Duration) {
	due := time.NewTimer(0)
	defer due.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-g.wake:
			due.Reset(0)
		case <-due.C:
			if next := maintain(ctx, time.Now()); next > 0 {
				due.Reset(next)
			}
		}
	}
}

// maintainAll looks after all versions: trials that are decided, versions over their
// fault budget, versions whose time out of service is over. It gives the time
// until the next of those ends, 0 if there is none. It is called under
// Registry.change.
func (g *guard) maintainAll(ctx context.Context, now time.Time) (next time.Duration) {
	for _, name := range g.names.current().slotNames() {
		if err := g.maintainSlot(ctx, g.names.current().slots[name], now); err != nil {
			g.log.Error("a module's version could not be changed", "module", name, "error", err)
		}
		if s := g.names.current().slots[name]; s != nil && s.quarantined != nil {
			if d := max(s.quarantined.until.Sub(now), time.Second); next == 0 || d < next {
				next = d
			}
		}
	}
	for _, v := range g.names.current().builtins {
		if v.faults.exceeded() {
			g.leaveInService(v)
		}
	}
	return next
}

func (g *guard) maintainSlot(ctx context.Context, s *slot, now time.Time) error {
	if s.trial != nil {
		verdict, why := s.trial.verdict()
		if verdict != undecided {
			defer g.wakeUp() // the live version may be over its budget too
		}
		switch verdict {
		case failed:
			return g.deployer.endTrial(ctx, s, why)
		case good:
			return g.deployer.promoteTrial(ctx, s, why)
		}
	}
	switch {
	case s.live != nil && s.live.faults.exceeded():
		return g.quarantineLive(ctx, s, now)
	case s.quarantined != nil && !now.Before(s.quarantined.until):
		return g.endQuarantine(ctx, s)
	}
	return nil
}

// quarantineLive takes the live version out of service: the latest good one before
// it takes new requests, or the built-in module that it shadows. Where there is
// neither it goes on: a fault costs one request its parser, no parser costs all.
func (g *guard) quarantineLive(ctx context.Context, s *slot, now time.Time) error {
	bad := s.live
	count := bad.faults.total()
	fallback := s.copy()
	wait := g.cfg.Budget.backoff(int(bad.strikes.Add(1)))
	out := &quarantined{build: bad.build, until: now.Add(wait)}
	why := fmt.Sprintf("version %s (%s) is in quarantine until %s: %d faults", bad.Manifest.Version, bad.SHA256, out.until.Format(time.RFC3339), count)
	var err error
	switch {
	case len(fallback.previous) > 0:
		err = g.deployer.revertTo(ctx, fallback, fallback.previous[0], func(next *slot) error {
			next.quarantined, next.note = out, why
			return nil
		})
	case g.names.current().answersWithout(s):
		fallback.live, fallback.quarantined, fallback.note = nil, out, why
		err = g.names.swapSlot(ctx, s.name, fallback, nil)
	default:
		g.leaveInService(bad)
		return nil
	}
	if err != nil {
		bad.faults.reset() // it goes on, and is looked at again
		return err
	}
	s.counts.quarantines.Add(1)
	g.log.Error("module quarantined", "module", s.name, "version", bad.Manifest.Version, "sha256", bad.SHA256, "faults", count, "for", wait)
	return nil
}

// leaveInService leaves a version in service that has nothing behind it.
func (g *guard) leaveInService(v *version) {
	g.log.Error("a module is over its fault budget, and there is no version to fall back to: it goes on",
		"module", v.Manifest.Module, "version", v.Manifest.Version, "sha256", v.SHA256, "faults", v.faults.total())
	v.faults.reset()
}

// endQuarantine gives a version another chance. If it fails again it is out of service
// for twice as long.
func (g *guard) endQuarantine(ctx context.Context, s *slot) error {
	b := s.quarantined.build
	v := g.deployer.loader.newVersion(b)
	next := s.copy()
	next.makeLive(v, g.cfg.Keep)
	next.trial = s.trial
	next.note = fmt.Sprintf("version %s (%s) is back from quarantine", b.Manifest.Version, b.SHA256)
	err := v.open(ctx)
	if err == nil {
		err = g.names.swapSlot(ctx, s.name, next, nil)
	}
	if err != nil {
		v.retire(&s.counts.draining)
		after := s.copy()
		after.quarantined = nil
		_ = g.names.swapSlot(ctx, s.name, after, nil) // the same versions are live
		return err
	}
	g.log.Warn("module is back from quarantine", "module", s.name, "version", b.Manifest.Version, "sha256", b.SHA256)
	return nil
}
