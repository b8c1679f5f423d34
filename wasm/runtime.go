package wasm

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// features is what modules may use: core version 2 and tail calls.
const features = api.CoreFeaturesV2 | experimental.CoreFeaturesTailCall

// Runtime compiles modules. A process needs one.
type Runtime struct {
	logger  *slog.Logger
	onFault func(*Fault)
	engine  wazero.Runtime
	cache   wazero.CompilationCache

	compiling sync.WaitGroup

	mu      sync.Mutex
	modules map[*Module]struct{}
	closed  bool
}

// NewRuntime makes a Runtime. An error means that the cache folder can't be used.
func NewRuntime(ctx context.Context, config *Config) (*Runtime, error) {
	cache := wazero.NewCompilationCache()
	if config.cacheDir != "" {
		var err error
		if cache, err = wazero.NewCompilationCacheWithDir(config.cacheDir); err != nil {
			return nil, fmt.Errorf("compilation cache %s: %w", config.cacheDir, err)
		}
	}
	rc := wazero.NewRuntimeConfigCompiler().
		WithCoreFeatures(features).
		WithCompilationCache(cache).
		WithDebugInfoEnabled(false)
	r := &Runtime{
		logger:  config.logger,
		onFault: config.onFault,
		engine:  wazero.NewRuntimeWithConfig(ctx, rc),
		cache:   cache,
		modules: map[*Module]struct{}{},
	}
	if err := addWASI(ctx, r.engine); err != nil {
		r.closeEngine(ctx)
		return nil, err
	}
	return r, nil
}

// Compile checks and compiles a module. It is run once, to compare what it says
// of itself with its custom section. An error is a *LoadError.
func (r *Runtime) Compile(ctx context.Context, binary []byte, limits Limits) (*Module, error) {
	return r.CompileBuild(ctx, NewBuild(binary), limits)
}

// CompileBuild is Compile for bytes that may have been hashed and read before.
func (r *Runtime) CompileBuild(ctx context.Context, b *Build, limits Limits) (*Module, error) {
	m := newModule(r, b, limits)
	if err := m.compileAndCheck(ctx); err != nil {
		e := &LoadError{Cause: err}
		if m.manifest != nil {
			e.Module, e.Version = m.manifest.Module, m.manifest.Version
		}
		m.freeCode()
		return nil, e
	}
	if err := r.addModule(m); err != nil {
		return nil, err
	}
	return m, nil
}

func newModule(r *Runtime, b *Build, limits Limits) *Module {
	m := &Module{
		runtime:     r,
		limits:      limits,
		build:       b,
		outputLimit: newOutputLimit(),
		drained:     make(chan struct{}),
	}
	m.pool.module = m
	return m
}

// addModule notes a module, so that it is closed with the runtime.
func (r *Runtime) addModule(m *Module) error {
	r.mu.Lock()
	closed := r.closed
	if !closed {
		r.modules[m] = struct{}{}
	}
	r.mu.Unlock()
	if closed {
		m.freeCode()
		return ErrClosed
	}
	return nil
}

// compile runs wazero's compiler within the limit, which is processor time: on a
// busy machine a module is as good as on an idle one. The compiler can't be
// stopped: one that takes too long goes on in the background, and what it makes
// is closed.
func (r *Runtime) compile(ctx context.Context, binary []byte, limits *Limits) (wazero.CompiledModule, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	limit := limits.CompileTime * compilerSlowdown
	done, used, err := r.startCompiler(ctx, binary)
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(max(time.Millisecond, min(limit/20, time.Second)))
	defer tick.Stop()
	for {
		select {
		case c := <-done:
			if c.err == nil && c.used > limit {
				c.code.Close(context.Background())
				return nil, compileTimeError(limits)
			}
			return c.code, c.err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-tick.C:
			if used() > limit {
				return nil, compileTimeError(limits)
			}
		}
	}
}

func compileTimeError(limits *Limits) error {
	return &LimitError{Limit: "CompileTime", Max: int64(limits.CompileTime)}
}

// compilation is what became of a compiler's run, and the processor time that
// it took.
type compilation struct {
	code wazero.CompiledModule
	err  error
	used time.Duration
}

// startCompiler runs the compiler on a thread of its own, of which used tells
// the processor time so far. What comes after ctx has ended is closed.
func (r *Runtime) startCompiler(ctx context.Context, binary []byte) (done chan compilation, used func() time.Duration, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, nil, ErrClosed
	}
	r.compiling.Add(1)
	done = make(chan compilation)
	clock := make(chan func() time.Duration, 1)
	go func() {
		defer r.compiling.Done()
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		used := threadClock()
		clock <- used
		code, err := r.compileSafely(binary)
		select {
		case done <- compilation{code, err, used()}:
		case <-ctx.Done():
			if err == nil {
				code.Close(context.Background())
			}
		}
	}()
	return done, <-clock, nil
}

// compileSafely turns a panic of the compiler into an error.
func (r *Runtime) compileSafely(binary []byte) (code wazero.CompiledModule, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the compiler failed: %v", p)
		}
	}()
	work.compiled.Add(1)
	return r.engine.CompileModule(context.Background(), binary)
}

// Close closes all modules at once: it waits for no session, but for calls that
// are running.
func (r *Runtime) Close(ctx context.Context) error {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil
	}
	r.closed = true
	modules := r.modules
	r.modules = nil
	r.mu.Unlock()
	for m := range modules {
		m.closeNow()
	}
	return r.closeEngine(ctx)
}

func (r *Runtime) closeEngine(ctx context.Context) error {
	r.compiling.Wait()
	err := r.engine.Close(ctx)
	if e := r.cache.Close(ctx); err == nil {
		err = e
	}
	return err
}

func (r *Runtime) removeModule(m *Module) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.modules, m)
}
