package registry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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

// loader makes versions of modules: it verifies bytes, reads what they say of
// themselves, compiles and tests them. It keeps nothing.
type loader struct {
	cfg     *Config
	log     *slog.Logger
	runtime *wasm.Runtime
}

// limitsOf are those of a module of the operator's.
func (l *loader) limitsOf(module string) wasm.Limits {
	if l.cfg.Rules[module].Trusted {
		return *l.cfg.Shipped
	}
	return *l.cfg.ThirdParty
}

// maxModuleBytes is the size of the largest module that can be loaded.
func (l *loader) maxModuleBytes() int {
	return max(l.cfg.Shipped.ModuleBytes, l.cfg.ThirdParty.ModuleBytes)
}

// inspectBuild verifies a module of the operator's and reads what it says of itself.
// Nothing is run.
func (l *loader) inspectBuild(file, origin string, code *wasm.Build, signature []byte) (*build, error) {
	if most := l.maxModuleBytes(); code.Size() > most {
		return nil, &RefusedError{Module: file, Step: StepSize, Cause: fmt.Errorf("it has %d bytes, more than the limit of %d", code.Size(), most)}
	}
	if err := l.verifyBuild(file, code, signature); err != nil {
		return nil, err
	}
	b, err := describeBuild(origin, code)
	if err != nil {
		return nil, &RefusedError{Module: file, Step: StepManifest, Cause: err}
	}
	b.signature = signature
	return b, nil
}

// newVersion gives a build that is compiled when it is opened.
func (l *loader) newVersion(b *build) *version {
	return newVersion(b, func(ctx context.Context) (running, error) {
		run, err := l.compileBuild(ctx, b.code, l.limitsOf(b.Manifest.Module))
		if err != nil {
			return running{}, &RefusedError{Module: b.Manifest.Module, Step: StepCompile, Cause: err}
		}
		return run, nil
	})
}

func (l *loader) compileBuild(ctx context.Context, code *wasm.Build, limits wasm.Limits) (running, error) {
	begun := time.Now()
	m, err := l.runtime.CompileBuild(ctx, code, limits)
	if err != nil {
		return running{}, err
	}
	l.log.Debug("module compiled", "module", m.Manifest().Module, "version", m.Manifest().Version, "took", time.Since(begun))
	run := running{module: m, close: func() { closeModule(m) }}
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

// closeModule lets the last session that ends free the module.
func closeModule(m *wasm.Module) {
	done, cancel := context.WithCancel(context.Background())
	cancel()
	_ = m.Close(done)
}

// testModule runs the module's own cases and the kit's checks on a version that
// is open. Its sessions share instances, so that one that disturbs another is
// found whatever the limits are.
func (l *loader) testModule(v *version) error {
	if l.cfg.Lenient {
		return nil
	}
	limits := l.limitsOf(v.Manifest.Module)
	shared, err := v.running.module.WithSessions(max(limits.SessionsPerInstance, 16))
	if err != nil {
		return &RefusedError{Module: v.Manifest.Module, Step: StepCompile, Cause: err}
	}
	defer closeModule(shared)
	return l.testParsers(v.build, shared.Parser)
}

// testParsers runs the cases that a module carries, and the kit's checks.
func (l *loader) testParsers(b *build, engine func(name string) (parser.Engine, error)) error {
	if l.cfg.Lenient {
		return nil
	}
	if err := runOwnCases(b, engine); err != nil {
		return &RefusedError{Module: b.Manifest.Module, Step: StepCases, Cause: err}
	}
	if err := tck.CheckModule(b.Manifest, engine); err != nil {
		return &RefusedError{Module: b.Manifest.Module, Step: StepChecks, Cause: err}
	}
	return nil
}

// carriedCases reads the cases that a module carries; nil where it has none.
func carriedCases(b *build) (*cases.File, error) {
	if b.code == nil {
		return nil, nil
	}
	binary, err := b.code.Bytes()
	if err != nil {
		return nil, err
	}
	raw, err := manifest.Section(binary, abi.SectionCases)
	if errors.Is(err, manifest.ErrNoSection) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return cases.ParseFile(abi.SectionCases, raw)
}

// runOwnCases runs the cases that a module carries.
func runOwnCases(b *build, engine func(name string) (parser.Engine, error)) error {
	file, err := carriedCases(b)
	if file == nil || err != nil {
		return err
	}
	own := manifest.Set{b.Manifest}
	splits, err := tck.ParseSplits("random:2")
	if err != nil {
		return err
	}
	var failures strings.Builder
	sum, err := conform.Run(conform.Config{Files: []*cases.File{file}, Name: b.Engine, Splits: splits, Engine: func(family string) (parser.Engine, error) {
		if found, ok := own.Find(family); ok {
			return engine(found.Parser.Name)
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
