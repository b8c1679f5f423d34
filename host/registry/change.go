package registry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/turnkey-parsers/turnkey/abi/manifest"
)

// Change is a version that an administrator hands in.
type Change struct {
	Binary, Signature []byte
	// Rollout is how it goes live; nil is as the module's rule says.
	Rollout *Rollout
	// Shadow lets it take the place of a built-in module although no rule says so.
	// Such a version is not kept over a restart.
	Shadow bool
	If     Condition
}

// Condition says whether a change may happen to a module that has this ETag now,
// "" where there is none. nil always lets it.
type Condition func(etag string) bool

// ErrChanged says that a Condition did not hold.
var ErrChanged = errors.New("the module is not in the state that the change was made for")

// NothingError says that there is nothing to roll back to or to promote.
type NothingError struct{ Module, What string }

func (e *NothingError) Error() string { return fmt.Sprintf("module %s has no %s", e.Module, e.What) }

// NoModuleError says that the operator has no module of that name.
type NoModuleError struct{ Module string }

func (e *NoModuleError) Error() string {
	return fmt.Sprintf("there is no module %s to change; a built-in one can only be shadowed", e.Module)
}

// Put loads a version of the module of that name and makes it live, or puts it
// on trial. The error is a *RefusedError, ErrChanged, or one of the file system.
func (r *Registry) Put(ctx context.Context, name string, c Change) error {
	r.change.Lock()
	defer r.change.Unlock()
	if _, err := r.at(name, c.If); err != nil && !isNoModule(err) {
		return err
	}
	file := r.slot(name).fileName()
	b, err := r.inspect(file, OriginAdmin, c.Binary, c.Signature)
	if err != nil {
		return err
	}
	if b.Manifest.Module != name {
		return &RefusedError{Module: name, Step: StepNames, Cause: fmt.Errorf("its manifest calls it %s", b.Manifest.Module)}
	}
	rollout := r.cfg.Rules[name].Rollout
	if c.Rollout != nil {
		rollout = *c.Rollout
	}
	return r.admit(ctx, b, rollout, c.Shadow, func(next *slot) error { return r.save(next) })
}

func isNoModule(err error) bool {
	var none *NoModuleError
	return errors.As(err, &none)
}

// at gives the slot of that name if the condition holds. Without a slot the error
// is a *NoModuleError.
func (r *Registry) at(name string, ok Condition) (*slot, error) {
	if r.closed {
		return nil, ErrClosed
	}
	s := r.state.Load().slots[name]
	if ok != nil && !ok(s.etag()) {
		return nil, ErrChanged
	}
	if s == nil {
		return nil, &NoModuleError{name}
	}
	return s, nil
}

// slot gives a copy of the slot of that name, or a new one.
func (r *Registry) slot(name string) *slot {
	if s := r.state.Load().slots[name]; s != nil {
		return s.copy()
	}
	return r.newSlot(name)
}

func (s *slot) copy() *slot {
	c := *s
	return &c
}

// etag stands for what is live and on trial. It is "" where nothing is.
func (s *slot) etag() string {
	if s == nil {
		return ""
	}
	h := sha256.New()
	for _, v := range s.versions() {
		fmt.Fprintln(h, v.Manifest.Module, v.Manifest.Version, v.SHA256)
	}
	if s.trial != nil {
		fmt.Fprintln(h, s.trial.Mode, s.trial.Percent)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// admit tests a build and makes it live or puts it on trial. commit is called
// just before, with the slot as it will be.
func (r *Registry) admit(ctx context.Context, b *build, rollout Rollout, shadow bool, commit func(*slot) error) error {
	name := b.Manifest.Module
	if err := rollout.Check(); err != nil {
		return err
	}
	now, next := r.state.Load(), r.slot(name)
	next.shadow = next.shadow || shadow
	if next.live != nil && next.live.digest == b.digest && next.trial == nil {
		return r.swap(ctx, name, next, func() error { return commit(next) }) // it is live already
	}
	v := r.version(b)
	r.place(next, v, rollout)
	if err := now.untabled(name, next).clash(); err != nil { // before work is spent on it
		return &RefusedError{Module: name, Step: StepNames, Cause: err}
	}
	begun := time.Now()
	err := r.test(ctx, b)
	if err == nil {
		err = v.open(ctx)
	}
	if err == nil {
		err = r.swap(ctx, name, next, func() error { return commit(next) })
	}
	if err != nil {
		v.retire(&next.counts.draining)
		return err
	}
	r.log.Info("module loaded", "module", name, "version", b.Manifest.Version, "sha256", b.SHA256, "origin", b.Origin,
		"rollout", next.modeOf(v), "took", time.Since(begun))
	return nil
}

// place puts a version into the slot: live, or on trial if there is something
// live to compare it with.
func (r *Registry) place(s *slot, v *version, rollout Rollout) {
	s.note = ""
	if rollout.Mode == Live || !r.answered(v.Manifest) {
		s.enthrone(v, r.cfg.Keep)
		return
	}
	s.trial = &trial{Rollout: rollout, version: v, counts: s.counts, log: r.log, wake: r.rouse, since: time.Now()}
}

// answered says whether one of the module's names is answered by a live version.
func (r *Registry) answered(m *manifest.Manifest) bool {
	t := r.state.Load().table
	for i := range m.Parsers {
		if t.names[manifest.Normalise(m.Parsers[i].Name)] != nil {
			return true
		}
	}
	return false
}

// enthrone makes v the live version.
func (s *slot) enthrone(v *version, keep int) {
	s.remember(s.live, keep)
	s.forget(v.build)
	s.live, s.trial, s.benched = v, nil, nil
}

func (s *slot) modeOf(v *version) Mode {
	if s.trial != nil && s.trial.version == v {
		return s.trial.Mode
	}
	return Live
}

// Remove takes a module away. What it shadowed is back.
func (r *Registry) Remove(ctx context.Context, name string, ok Condition) error {
	r.change.Lock()
	defer r.change.Unlock()
	s, err := r.at(name, ok)
	if err != nil {
		return err
	}
	if err := r.swap(ctx, name, nil, func() error { return r.unsave(s) }); err != nil {
		return err
	}
	r.log.Info("module removed", "module", name)
	return nil
}

// Rollback ends a trial, or else brings the version back that was live before.
func (r *Registry) Rollback(ctx context.Context, name string, ok Condition) error {
	r.change.Lock()
	defer r.change.Unlock()
	s, err := r.at(name, ok)
	if err != nil {
		return err
	}
	if s.trial != nil {
		return r.endTrial(ctx, s, "rolled back by an administrator")
	}
	if len(s.previous) == 0 {
		return &NothingError{name, "previous version and no version on trial"}
	}
	return r.revert(ctx, s, s.previous[0], func(next *slot) error {
		next.note = "rolled back by an administrator"
		return r.save(next)
	})
}

// revert makes an earlier build live. The version that was live is not kept.
func (r *Registry) revert(ctx context.Context, s *slot, b *build, commit func(*slot) error) error {
	if err := r.verify(s.fileName(), b.binary, b.signature); err != nil {
		return err
	}
	v := r.version(b)
	next := s.copy()
	next.forget(b)
	next.live, next.benched = v, nil
	err := v.open(ctx)
	if err == nil {
		err = r.swap(ctx, s.name, next, func() error { return commit(next) })
	}
	if err != nil {
		v.retire(&s.counts.draining)
		return err
	}
	s.counts.rollbacks.Add(1)
	r.log.Info("module rolled back", "module", s.name, "version", b.Manifest.Version, "sha256", b.SHA256, "why", next.note)
	return nil
}

func (r *Registry) endTrial(ctx context.Context, s *slot, why string) error {
	next := s.copy()
	next.trial = nil
	next.note = fmt.Sprintf("version %s on trial (%s): %s", s.trial.version.Manifest.Version, s.trial.version.SHA256, why)
	if err := r.swap(ctx, s.name, next, nil); err != nil {
		return err
	}
	s.counts.rollbacks.Add(1)
	r.log.Warn("trial ended", "module", s.name, "version", s.trial.version.Manifest.Version, "sha256", s.trial.version.SHA256, "why", why)
	return nil
}

// Promote makes the version on trial live.
func (r *Registry) Promote(ctx context.Context, name string, ok Condition) error {
	r.change.Lock()
	defer r.change.Unlock()
	s, err := r.at(name, ok)
	if err != nil {
		return err
	}
	if s.trial == nil {
		return &NothingError{name, "version on trial"}
	}
	return r.promote(ctx, s, "promoted by an administrator")
}

func (r *Registry) promote(ctx context.Context, s *slot, why string) error {
	next, v := s.copy(), s.trial.version
	next.enthrone(v, r.cfg.Keep)
	next.note = why
	if err := r.swap(ctx, s.name, next, func() error { return r.save(next) }); err != nil {
		return err
	}
	r.log.Info("module promoted", "module", s.name, "version", v.Manifest.Version, "sha256", v.SHA256, "why", why)
	return nil
}
