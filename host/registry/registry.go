package registry

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/turnkey-parsers/turnkey/host/process"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/wasm"
)

// Config says where modules come from and what they may do.
type Config struct {
	// Embedded holds the modules that ship. It may be nil.
	Embedded Embedded
	// Linked are the parsers that are linked into the program.
	Linked []*sdk.Module
	// Native prefers linked parsers to embedded modules.
	Native bool
	// Dir is the folder with the operator's modules, *.wasm at its top; "" is none.
	Dir string
	// Processes are parsers that run as processes of their own.
	Processes []Process
	// CacheDir keeps compiled code; "" keeps none.
	CacheDir string

	// Shipped and ThirdParty are the limits of the two trust classes; nil means
	// those of package wasm.
	Shipped, ThirdParty *wasm.Limits
	// Rules are what modules of the operator's may do, by the module's name.
	Rules map[string]Rule
	// Keys are the public keys of which one must have signed every module of the
	// operator's; none: signatures are not looked at.
	Keys []ed25519.PublicKey
	// LockFile names the file of permitted digests; "" permits all. See verify.go.
	LockFile string
	// Budget is the faults after which a version is taken out of service.
	Budget Budget
	// Keep is how many replaced versions of a module are kept for a rollback.
	Keep int
	// Poll is the time between two looks at the folder, for file systems that
	// announce no changes; 0 is never. Debounce is how long the folder must be
	// still after a change before it is read.
	Poll, Debounce time.Duration
	// Lenient loads modules without testing them and lets any of them shadow a
	// built-in one: for tools that show what a module does.
	Lenient bool

	Logger *slog.Logger
}

// Process is a parser that runs as a process. Name stands for it in messages.
type Process struct {
	Name string
	process.Config
}

// Rule is what a module of the operator's may do. The zero value is the default.
type Rule struct {
	// Shadow lets the module take the place of a built-in one.
	Shadow bool
	// Trusted gives it the limits of a module that ships.
	Trusted bool
	// Rollout is how new versions go live.
	Rollout Rollout
}

// Embedded is a set of modules inside the program.
type Embedded interface {
	Names() []string
	Module(name string) ([]byte, error)
}

// Registry holds the modules. Its parts are in the package's description.
type Registry struct {
	cfg     Config
	log     *slog.Logger
	runtime *wasm.Runtime

	names    *names
	loader   *loader
	store    *store
	deployer *deployer
	guard    *guard

	change sync.Mutex // one change at a time; guards the parts, but for what requests read
	closed bool

	reload chan struct{}
}

// New reads the manifests of the built-in modules, which are compiled when they
// are first needed, and loads the operator's. A module of the operator's that is
// refused is an error; later on, while Run runs, it is logged.
func New(ctx context.Context, c Config) (*Registry, error) {
	c.defaults()
	r := &Registry{cfg: c, log: c.Logger, reload: make(chan struct{}, 1)}
	r.names = newNames()
	r.guard = newGuard(&r.cfg, r.names)
	rt, err := wasm.NewRuntime(ctx, wasm.NewConfig().WithCacheDir(c.CacheDir).WithLogger(c.Logger).WithOnFault(r.guard.onModuleFault))
	if err != nil {
		return nil, err
	}
	r.runtime = rt
	r.loader = &loader{cfg: &r.cfg, log: c.Logger, runtime: rt}
	r.store = newStore(&r.cfg, r.loader.maxModuleBytes())
	r.deployer = &deployer{cfg: &r.cfg, log: c.Logger, names: r.names, loader: r.loader, store: r.store,
		onFault: r.guard.onFault, wake: r.guard.wakeUp}
	r.guard.deployer = r.deployer
	if err := r.loadAll(ctx); err != nil {
		return nil, errors.Join(err, r.Close(ctx))
	}
	return r, nil
}

func (c *Config) defaults() {
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.Shipped == nil {
		l := wasm.Shipped()
		c.Shipped = &l
	}
	if c.ThirdParty == nil {
		l := wasm.ThirdParty()
		c.ThirdParty = &l
	}
	if c.Budget.Faults == 0 {
		c.Budget = DefaultBudget
	}
	if c.Keep == 0 {
		c.Keep = DefaultKeep
	}
	if c.Debounce == 0 {
		c.Debounce = DefaultDebounce
	}
}

// Defaults of Config.
const (
	DefaultKeep     = 3
	DefaultDebounce = 300 * time.Millisecond
)

// loadAll makes the built-in modules, the processes and the folder's modules live.
func (r *Registry) loadAll(ctx context.Context) error {
	for name, rule := range r.cfg.Rules {
		if err := rule.Rollout.Check(); err != nil {
			return fmt.Errorf("modules.rules[%s]: %w", name, err)
		}
	}
	builtins, err := r.loader.builtinVersions()
	if err != nil {
		return err
	}
	r.change.Lock()
	defer r.change.Unlock()
	r.names.setBuiltins(builtins)
	for _, p := range r.cfg.Processes {
		if err := r.deployer.startProcess(ctx, p); err != nil {
			return err
		}
	}
	if r.cfg.Dir == "" {
		return nil
	}
	refused, err := r.store.scanFolder(ctx, r.deployer)
	return errors.Join(append(refused, err)...)
}

// Close closes all modules and ends all processes. No lease may be held any more.
func (r *Registry) Close(ctx context.Context) error {
	r.change.Lock()
	defer r.change.Unlock()
	if r.closed {
		return nil
	}
	r.closed = true
	r.names.retireAll()
	return r.runtime.Close(ctx)
}

// Require makes every change pass a check of what would then be live: a change
// that check gives an error for is refused. The function that is returned takes
// the check away.
func (r *Registry) Require(check func(context.Context, *View) error) (remove func()) {
	r.change.Lock()
	defer r.change.Unlock()
	forget := r.names.addCheck(check)
	return func() {
		r.change.Lock()
		defer r.change.Unlock()
		forget()
	}
}

// View gives what is live now.
func (r *Registry) View() *View { return &View{r.names.current().table} }

// MaxModuleBytes is the size of the largest module that can be loaded.
func (r *Registry) MaxModuleBytes() int { return r.loader.maxModuleBytes() }

// Refused lists the files of the folder that were not loaded.
func (r *Registry) Refused() []Refusal { return r.store.refusals() }

// Reload makes Run read the folder again, with what was refused before.
func (r *Registry) Reload() {
	select {
	case r.reload <- struct{}{}:
	default:
	}
}

// Run watches the folder and looks after the versions until ctx ends.
func (r *Registry) Run(ctx context.Context) {
	var both sync.WaitGroup
	both.Go(func() { r.guard.runMaintenance(ctx, r.maintain) })
	both.Go(func() { r.store.watchFolder(ctx, r.reload, r.rescan) })
	both.Wait()
}

// rescan reads the folder; all of it, where retry is set also what was refused
// and did not change.
func (r *Registry) rescan(ctx context.Context, retry bool) {
	r.change.Lock()
	defer r.change.Unlock()
	if r.closed || r.cfg.Dir == "" {
		return
	}
	r.store.rescanFolder(ctx, retry, r.deployer)
}

// maintain looks after the versions. It gives the time until it has to again, 0
// where no time is set for that.
func (r *Registry) maintain(ctx context.Context, now time.Time) time.Duration {
	r.change.Lock()
	defer r.change.Unlock()
	if r.closed {
		return 0
	}
	return r.guard.maintainAll(ctx, now)
}

// UnknownError says that no module at hand has a parser of that name, or that
// there is no module of it.
type UnknownError struct {
	Name  string
	Known []string
}

func (e *UnknownError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("there is no parser %q: no module is at hand", e.Name)
	}
	return fmt.Sprintf("there is no parser %q%s; known are %s", e.Name, nearest(e.Name, e.Known), joinNames(e.Known))
}
