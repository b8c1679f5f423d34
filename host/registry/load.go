package registry

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/cases"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/abi/tck"
	"github.com/turnkey-parsers/turnkey/host/conform"
	"github.com/turnkey-parsers/turnkey/wasm"
)

// Step is the stage of loading at which a module was refused.
type Step string

const (
	StepSize      Step = "size"
	StepSignature Step = "signature"
	StepLock      Step = "lock"
	StepManifest  Step = "manifest"
	StepNames     Step = "names"
	StepCompile   Step = "compile"
	StepCases     Step = "cases"
	StepChecks    Step = "checks"
	StepModels    Step = "models"
)

// RefusedError says why a module does not go live. What was live before is.
type RefusedError struct {
	Module string // its name, or its file's
	Step   Step
	Cause  error
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("module %s: refused (%s): %v", e.Module, e.Step, e.Cause)
}

// Unwrap gives the cause.
func (e *RefusedError) Unwrap() error { return e.Cause }

// limits are those of a module of the operator's.
func (r *Registry) limits(module string) wasm.Limits {
	if r.cfg.Rules[module].Trusted {
		return *r.cfg.Shipped
	}
	return *r.cfg.ThirdParty
}

// MaxModuleBytes is the size of the largest module that can be loaded.
func (r *Registry) MaxModuleBytes() int {
	return max(r.cfg.Shipped.ModuleBytes, r.cfg.ThirdParty.ModuleBytes)
}

// inspect verifies bytes and reads what they say of themselves. Nothing is run.
func (r *Registry) inspect(file, origin string, binary, signature []byte) (*build, error) {
	if most := r.MaxModuleBytes(); len(binary) > most {
		return nil, &RefusedError{Module: file, Step: StepSize, Cause: fmt.Errorf("it has %d bytes, more than the limit of %d", len(binary), most)}
	}
	if err := r.verify(file, binary, signature); err != nil {
		return nil, err
	}
	b, err := describe(origin, binary)
	if err != nil {
		return nil, &RefusedError{Module: file, Step: StepManifest, Cause: err}
	}
	b.signature = signature
	return b, nil
}

// version is a build that is compiled when it is opened.
func (r *Registry) version(b *build) *version {
	return newVersion(b, func(ctx context.Context) (running, error) {
		run, err := r.compile(ctx, b.binary, r.limits(b.Manifest.Module))
		if err != nil {
			return running{}, &RefusedError{Module: b.Manifest.Module, Step: StepCompile, Cause: err}
		}
		return run, nil
	})
}

func (r *Registry) compile(ctx context.Context, binary []byte, limits wasm.Limits) (running, error) {
	begun := time.Now()
	m, err := r.runtime.Compile(ctx, binary, limits)
	if err != nil {
		return running{}, err
	}
	r.log.Debug("module compiled", "module", m.Manifest().Module, "version", m.Manifest().Version, "took", time.Since(begun))
	run := running{module: m, close: func() {
		done, cancel := context.WithCancel(context.Background())
		cancel() // the last session to end frees it
		_ = m.Close(done)
	}}
	for i := range m.Manifest().Parsers {
		e, err := m.Parser(m.Manifest().Parsers[i].Name)
		if err != nil {
			run.close()
			return running{}, err
		}
		run.engines = append(run.engines, e)
	}
	return run, nil
}

// test runs a build's own cases and the kit's checks. Its sessions share
// instances, so that one that disturbs another is found whatever the limits are
// later.
func (r *Registry) test(ctx context.Context, b *build) error {
	if r.cfg.Lenient {
		return nil
	}
	limits := r.limits(b.Manifest.Module)
	limits.SessionsPerInstance = max(limits.SessionsPerInstance, 16)
	run, err := r.compile(ctx, b.binary, limits)
	if err != nil {
		return &RefusedError{Module: b.Manifest.Module, Step: StepCompile, Cause: err}
	}
	defer run.close()
	v := newVersion(b, func(context.Context) (running, error) { return run, nil })
	if err := v.open(ctx); err != nil {
		return err
	}
	return r.check(ctx, v)
}

// check tests a version that is open.
func (r *Registry) check(_ context.Context, v *version) error {
	if r.cfg.Lenient {
		return nil
	}
	if err := ownCases(v); err != nil {
		return &RefusedError{Module: v.Manifest.Module, Step: StepCases, Cause: err}
	}
	err := tck.CheckModule(v.Manifest, func(parser string) (parser.Engine, error) { return v.engine(parser), nil })
	if err != nil {
		return &RefusedError{Module: v.Manifest.Module, Step: StepChecks, Cause: err}
	}
	return nil
}

// ownCases runs the cases that a module carries.
func ownCases(v *version) error {
	if v.binary == nil {
		return nil
	}
	raw, err := manifest.Section(v.binary, abi.SectionCases)
	if errors.Is(err, manifest.ErrNoSection) {
		return nil
	}
	if err != nil {
		return err
	}
	file, err := cases.ParseFile(abi.SectionCases, raw)
	if err != nil {
		return err
	}
	own := manifest.Set{v.Manifest}
	splits, err := tck.ParseSplits("random:2")
	if err != nil {
		return err
	}
	var failures strings.Builder
	sum, err := conform.Run(conform.Config{Files: []*cases.File{file}, Name: v.Engine, Splits: splits, Engine: func(family string) (parser.Engine, error) {
		if found, ok := own.Find(family); ok {
			return v.engine(found.Parser.Name), nil
		}
		return nil, nil
	}}, &failures, false)
	if err != nil {
		return err
	}
	if sum.Failed > 0 {
		first, _, _ := strings.Cut(failures.String(), "\n")
		return fmt.Errorf("%s of its own cases; the first: %s", sum, first)
	}
	return nil
}
