package registry

import (
	"context"
	"fmt"
	"time"
)

// tend looks after the versions: trials that are decided, versions over their
// fault budget, versions whose time out of service is over. It gives the time
// until the next of those ends, 0 if there is none.
func (r *Registry) tend(ctx context.Context, now time.Time) (next time.Duration) {
	r.change.Lock()
	defer r.change.Unlock()
	if r.closed {
		return 0
	}
	for _, name := range r.state.Load().names() {
		if err := r.tendSlot(ctx, r.state.Load().slots[name], now); err != nil {
			r.log.Error("a module's version could not be changed", "module", name, "error", err)
		}
		if s := r.state.Load().slots[name]; s != nil && s.benched != nil {
			if d := max(s.benched.until.Sub(now), time.Second); next == 0 || d < next {
				next = d
			}
		}
	}
	for _, v := range r.state.Load().builtins {
		if v.faults.exceeded() {
			r.hopeless(v)
		}
	}
	return next
}

func (r *Registry) tendSlot(ctx context.Context, s *slot, now time.Time) error {
	if s.trial != nil {
		verdict, why := s.trial.verdict()
		if verdict != undecided {
			defer r.rouse() // the live version may be over its budget too
		}
		switch verdict {
		case failed:
			return r.endTrial(ctx, s, why)
		case good:
			return r.promote(ctx, s, why)
		}
	}
	switch {
	case s.live != nil && s.live.faults.exceeded():
		return r.quarantine(ctx, s, now)
	case s.benched != nil && !now.Before(s.benched.until):
		return r.retry(ctx, s)
	}
	return nil
}

// quarantine takes the live version out of service: the latest good one before
// it takes new requests, or the built-in module that it shadows. Where there is
// neither it goes on: a fault costs one request its parser, no parser costs all.
func (r *Registry) quarantine(ctx context.Context, s *slot, now time.Time) error {
	bad := s.live
	count := bad.faults.count()
	fallen := s.copy()
	wait := r.cfg.Budget.wait(int(bad.strikes.Add(1)))
	out := &benched{build: bad.build, until: now.Add(wait)}
	why := fmt.Sprintf("version %s (%s) is in quarantine until %s: %d faults", bad.Manifest.Version, bad.SHA256, out.until.Format(time.RFC3339), count)
	var err error
	switch {
	case len(fallen.previous) > 0:
		err = r.revert(ctx, fallen, fallen.previous[0], func(next *slot) error {
			next.benched, next.note = out, why
			return nil
		})
	case r.answeredWithout(s):
		fallen.live, fallen.benched, fallen.note = nil, out, why
		err = r.swap(ctx, s.name, fallen, nil)
	default:
		r.hopeless(bad)
		return nil
	}
	if err != nil {
		bad.faults.forgive() // it goes on, and is looked at again
		return err
	}
	s.counts.quarantines.Add(1)
	r.log.Error("module quarantined", "module", s.name, "version", bad.Manifest.Version, "sha256", bad.SHA256, "faults", count, "for", wait)
	return nil
}

// answeredWithout says whether every name of the slot's live version is answered
// without it too.
func (r *Registry) answeredWithout(s *slot) bool {
	t := r.state.Load().with(s.name, nil).table
	for i := range s.live.Manifest.Parsers {
		if _, err := t.find(s.live.Manifest.Parsers[i].Name); err != nil {
			return false
		}
	}
	return true
}

// hopeless leaves a version in service that has nothing behind it.
func (r *Registry) hopeless(v *version) {
	r.log.Error("a module is over its fault budget, and there is no version to fall back to: it goes on",
		"module", v.Manifest.Module, "version", v.Manifest.Version, "sha256", v.SHA256, "faults", v.faults.count())
	v.faults.forgive()
}

// retry gives a version another chance. If it fails again it is out of service
// for twice as long.
func (r *Registry) retry(ctx context.Context, s *slot) error {
	b := s.benched.build
	v := r.version(b)
	next := s.copy()
	next.enthrone(v, r.cfg.Keep)
	next.trial = s.trial
	next.note = fmt.Sprintf("version %s (%s) is back from quarantine", b.Manifest.Version, b.SHA256)
	err := v.open(ctx)
	if err == nil {
		err = r.swap(ctx, s.name, next, nil)
	}
	if err != nil {
		v.retire(&s.counts.draining)
		after := s.copy()
		after.benched = nil
		_ = r.swap(ctx, s.name, after, nil) // the same versions are live
		return err
	}
	r.log.Warn("module is back from quarantine", "module", s.name, "version", b.Manifest.Version, "sha256", b.SHA256)
	return nil
}
