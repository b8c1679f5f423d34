package registry

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnkey-parsers/turnkey/wasm"
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
	if _, err := r.slotIf(name, c.If); err != nil && !isNoModule(err) {
		return err
	}
	b, err := r.loader.inspectBuild(r.deployer.slotCopy(name).fileName(), OriginAdmin, wasm.NewBuild(c.Binary), c.Signature)
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
	return r.deployer.deployBuild(ctx, b, rollout, c.Shadow, r.deployer.saveFile)
}

func isNoModule(err error) bool {
	var none *NoModuleError
	return errors.As(err, &none)
}

// slotIf gives the slot of that name if the condition holds. Without a slot the
// error is a *NoModuleError.
func (r *Registry) slotIf(name string, ok Condition) (*slot, error) {
	if r.closed {
		return nil, ErrClosed
	}
	s := r.names.current().slots[name]
	if ok != nil && !ok(s.etag()) {
		return nil, ErrChanged
	}
	if s == nil {
		return nil, &NoModuleError{name}
	}
	return s, nil
}

// changeSlot runs a change of the slot of that name if the condition holds.
func (r *Registry) changeSlot(name string, ok Condition, change func(*slot) error) error {
	r.change.Lock()
	defer r.change.Unlock()
	s, err := r.slotIf(name, ok)
	if err != nil {
		return err
	}
	return change(s)
}

// Remove takes a module away. What it shadowed is back.
func (r *Registry) Remove(ctx context.Context, name string, ok Condition) error {
	return r.changeSlot(name, ok, func(s *slot) error { return r.deployer.removeModule(ctx, s) })
}

// Rollback ends a trial, or else brings the version back that was live before.
func (r *Registry) Rollback(ctx context.Context, name string, ok Condition) error {
	return r.changeSlot(name, ok, func(s *slot) error { return r.deployer.rollBack(ctx, s, "rolled back by an administrator") })
}

// Promote makes the version on trial live.
func (r *Registry) Promote(ctx context.Context, name string, ok Condition) error {
	return r.changeSlot(name, ok, func(s *slot) error {
		if s.trial == nil {
			return &NothingError{name, "version on trial"}
		}
		return r.deployer.promoteTrial(ctx, s, "promoted by an administrator")
	})
}
