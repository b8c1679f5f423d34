package registry

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/turnkey-parsers/turnkey/host/process"
	"github.com/turnkey-parsers/turnkey/wasm"
)

// deployer brings versions of the operator's modules into service and takes them
// out: at once or by a trial, back to an earlier version, away. It is called
// under Registry.change.
type deployer struct {
	cfg    *Config
	log    *slog.Logger
	names  *names
	loader *loader
	store  *store

	onFault func(*version) // is told of each fault of a parser process
	wake    func()         // a trial may be decided
}

// slotCopy gives a copy of the slot of that name, or a new one.
func (d *deployer) slotCopy(name string) *slot {
	if s := d.names.current().slots[name]; s != nil {
		return s.copy()
	}
	return newSlot(name, d.cfg.Lenient || d.cfg.Rules[name].Shadow)
}

// deployBuild tests a build and makes it live or puts it on trial. commit is called
// just before, with the slot as it will be.
func (d *deployer) deployBuild(ctx context.Context, b *build, rollout Rollout, shadow bool, commit func(*slot) error) error {
	name := b.Manifest.Module
	if err := rollout.Check(); err != nil {
		return err
	}
	next := d.slotCopy(name)
	next.shadow = next.shadow || shadow
	if next.live != nil && next.live.sameCode(b) && next.trial == nil {
		return d.names.swapSlot(ctx, name, next, func() error { return commit(next) }) // it is live already
	}
	v := d.loader.newVersion(b)
	d.placeVersion(next, v, rollout)
	if err := d.names.current().withoutTable(name, next).nameClash(); err != nil { // before work is spent on it
		return &RefusedError{Module: name, Step: StepNames, Cause: err}
	}
	begun := time.Now()
	err := v.open(ctx)
	if err == nil {
		err = d.loader.testModule(v)
	}
	if err == nil {
		err = d.names.swapSlot(ctx, name, next, func() error { return commit(next) })
	}
	if err != nil {
		v.retire(&next.counts.draining)
		return err
	}
	d.log.Info("module loaded", "module", name, "version", b.Manifest.Version, "sha256", b.SHA256, "origin", b.Origin,
		"rollout", next.modeOf(v), "took", time.Since(begun))
	return nil
}

// placeVersion puts a version into the slot: live, or on trial if there is something
// live to compare it with.
func (d *deployer) placeVersion(s *slot, v *version, rollout Rollout) {
	s.note = ""
	if rollout.Mode == Live || !d.names.current().answersAny(v.Manifest) {
		s.makeLive(v, d.cfg.Keep)
		return
	}
	s.trial = &trial{Rollout: rollout, version: v, counts: s.counts, log: d.log, wake: d.wake, since: time.Now()}
}

// removeModule takes a module away, with its file.
func (d *deployer) removeModule(ctx context.Context, s *slot) error {
	if err := d.names.swapSlot(ctx, s.name, nil, func() error { return d.store.removeModule(s.file) }); err != nil {
		return err
	}
	d.log.Info("module removed", "module", s.name)
	return nil
}

// rollBack ends a trial, or else brings the version back that was live before.
func (d *deployer) rollBack(ctx context.Context, s *slot, why string) error {
	if s.trial != nil {
		return d.endTrial(ctx, s, why)
	}
	if len(s.previous) == 0 {
		return &NothingError{s.name, "previous version and no version on trial"}
	}
	return d.revertTo(ctx, s, s.previous[0], func(next *slot) error {
		next.note = why
		return d.saveFile(next)
	})
}

// revertTo makes an earlier build live. The version that was live is not kept.
func (d *deployer) revertTo(ctx context.Context, s *slot, b *build, commit func(*slot) error) error {
	if err := d.loader.verifyBuild(s.fileName(), b.code, b.signature); err != nil {
		return err
	}
	v := d.loader.newVersion(b)
	next := s.copy()
	next.dropPrevious(b)
	next.live, next.quarantined = v, nil
	err := v.open(ctx)
	if err == nil {
		err = d.names.swapSlot(ctx, s.name, next, func() error { return commit(next) })
	}
	if err != nil {
		v.retire(&s.counts.draining)
		return err
	}
	s.counts.rollbacks.Add(1)
	d.log.Info("module rolled back", "module", s.name, "version", b.Manifest.Version, "sha256", b.SHA256, "why", next.note)
	return nil
}

func (d *deployer) endTrial(ctx context.Context, s *slot, why string) error {
	next := s.copy()
	next.trial = nil
	next.note = fmt.Sprintf("version %s on trial (%s): %s", s.trial.version.Manifest.Version, s.trial.version.SHA256, why)
	if err := d.names.swapSlot(ctx, s.name, next, nil); err != nil {
		return err
	}
	s.counts.rollbacks.Add(1)
	d.log.Warn("trial ended", "module", s.name, "version", s.trial.version.Manifest.Version, "sha256", s.trial.version.SHA256, "why", why)
	return nil
}

// promoteTrial makes the version on trial live.
func (d *deployer) promoteTrial(ctx context.Context, s *slot, why string) error {
	next, v := s.copy(), s.trial.version
	next.makeLive(v, d.cfg.Keep)
	next.note = why
	if err := d.names.swapSlot(ctx, s.name, next, func() error { return d.saveFile(next) }); err != nil {
		return err
	}
	d.log.Info("module promoted", "module", s.name, "version", v.Manifest.Version, "sha256", v.SHA256, "why", why)
	return nil
}

// saveFile keeps the slot's live version in the folder, if there is one and the
// module would be loaded from it at the next start.
func (d *deployer) saveFile(next *slot) error {
	if d.cfg.Dir == "" || next.live == nil || next.live.code == nil || next.shadow && !d.cfg.Rules[next.name].Shadow {
		return nil
	}
	name := next.fileName()
	if err := d.store.saveModule(name, next.live.build); err != nil {
		return err
	}
	next.file = name
	return nil
}

// deployFile implements fileDeployer.
func (d *deployer) deployFile(ctx context.Context, f *folderFile, name string, code *wasm.Build, signature []byte) error {
	b, err := d.loader.inspectBuild(name, name, code, signature)
	if err != nil {
		return err
	}
	module := b.Manifest.Module
	if other := d.slotCopy(module).file; other != "" && other != name {
		return &RefusedError{Module: name, Step: StepNames, Cause: fmt.Errorf("module %s is in the file %s already", module, other)}
	}
	err = d.deployBuild(ctx, b, d.cfg.Rules[module].Rollout, false, func(next *slot) error {
		next.file = name
		return nil
	})
	if err != nil {
		return err
	}
	before := f.module
	f.module = module
	if before != "" && before != module {
		d.removeFile(ctx, name, before)
	}
	return nil
}

// removeFile implements fileDeployer.
func (d *deployer) removeFile(ctx context.Context, name, module string) {
	s := d.names.current().slots[module]
	if s == nil || s.file != name {
		return
	}
	if err := d.names.swapSlot(ctx, module, nil, nil); err != nil {
		d.log.Error("a module's file is gone, but the module stays", "file", name, "module", module, "error", err)
		return
	}
	d.log.Info("module removed", "module", module, "file", name)
}

// startProcess starts a parser process and makes it a module.
func (d *deployer) startProcess(ctx context.Context, c Process) error {
	if c.Logger == nil {
		c.Logger = d.log
	}
	p, err := process.Start(ctx, c.Config)
	if err != nil {
		return err
	}
	m := p.Manifest()
	v := processVersion(p, c.SHA256, d.onFault)
	if err := v.open(ctx); err != nil {
		return err
	}
	if err := d.addProcess(ctx, v); err != nil {
		v.closeEngines()
		return err
	}
	d.log.Info("parser process started", "process", c.Name, "module", m.Module, "version", m.Version)
	return nil
}

// addProcess tests a parser process and makes it live.
func (d *deployer) addProcess(ctx context.Context, v *version) error {
	if err := d.loader.testParsers(v.build, v.parserNamed); err != nil {
		return err
	}
	name := v.Manifest.Module
	if d.names.current().slots[name] != nil {
		return &RefusedError{Module: name, Step: StepNames, Cause: errNameTaken}
	}
	next := d.slotCopy(name)
	next.live = v
	return d.names.swapSlot(ctx, name, next, nil)
}
