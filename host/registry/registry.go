// Package registry keeps the parser modules: those that ship, those of an
// operator's folder, those that an administrator hands in, and parser processes.
//
// A request takes a Lease of the versions that are live; a change of a module
// is one atomic swap: new requests take the new version, running ones keep
// theirs, and a version that was replaced is closed when its last request ends.
// Before a version goes live it is verified, inspected, compiled and tested.
package registry

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
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

// Registry holds the modules.
type Registry struct {
	cfg     Config
	log     *slog.Logger
	runtime *wasm.Runtime

	state   atomic.Pointer[state]
	refused atomic.Pointer[[]Refusal]

	change  sync.Mutex // one change at a time; guards the fields below
	files   map[string]*file
	checks  map[int]func(context.Context, *View) error
	checkID int
	closed  bool

	wake   chan struct{} // a version is over its budget, or a trial is decided
	reload chan struct{}
}

// state is what is live. It is never changed, only replaced.
type state struct {
	builtins []*version
	slots    map[string]*slot
	table    *table
}

// names lists the slots in a fixed order.
func (s *state) names() []string { return slices.Sorted(maps.Keys(s.slots)) }

// New reads the manifests of the built-in modules, which are compiled when they
// are first needed, and loads the operator's. A module of the operator's that is
// refused is an error; later on, while Run runs, it is logged.
func New(ctx context.Context, c Config) (*Registry, error) {
	c.defaults()
	r := &Registry{cfg: c, log: c.Logger, files: map[string]*file{}, checks: map[int]func(context.Context, *View) error{},
		wake: make(chan struct{}, 1), reload: make(chan struct{}, 1)}
	rt, err := wasm.NewRuntime(ctx, wasm.NewConfig().WithCacheDir(c.CacheDir).WithLogger(c.Logger).WithOnFault(r.faultOf))
	if err != nil {
		return nil, err
	}
	r.runtime = rt
	if err := r.begin(ctx); err != nil {
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

func (r *Registry) begin(ctx context.Context) error {
	for name, rule := range r.cfg.Rules {
		if err := rule.Rollout.Check(); err != nil {
			return fmt.Errorf("modules.rules[%s]: %w", name, err)
		}
	}
	builtins, err := r.builtins()
	if err != nil {
		return err
	}
	r.change.Lock()
	defer r.change.Unlock()
	s := &state{builtins: builtins, slots: map[string]*slot{}}
	s.table = newTable(s)
	r.state.Store(s)
	for _, p := range r.cfg.Processes {
		if err := r.startProcess(ctx, p); err != nil {
			return err
		}
	}
	if r.cfg.Dir == "" {
		return nil
	}
	refused, err := r.scan(ctx)
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
	if s := r.state.Swap(&state{table: &table{closed: true}}); s != nil {
		for _, slot := range s.slots {
			for _, v := range slot.versions() {
				v.retire(&slot.counts.draining)
			}
		}
	}
	return r.runtime.Close(ctx)
}

// Require makes every change pass a check of what would then be live: a change
// that check gives an error for is refused. The function that is returned takes
// the check away.
func (r *Registry) Require(check func(context.Context, *View) error) (remove func()) {
	r.change.Lock()
	defer r.change.Unlock()
	r.checkID++
	id := r.checkID
	r.checks[id] = check
	return func() {
		r.change.Lock()
		defer r.change.Unlock()
		delete(r.checks, id)
	}
}

// View gives what is live now.
func (r *Registry) View() *View { return &View{r.state.Load().table} }

// swap makes next the slot of that name, nil takes it away. What is left behind
// is closed when its last request ends. commit, if not nil, is what has to happen
// just before. The error leaves everything as it was.
func (r *Registry) swap(ctx context.Context, name string, next *slot, commit func() error) error {
	now := r.state.Load()
	s := now.with(name, next)
	if err := r.permit(ctx, s, name); err != nil {
		return err
	}
	if commit != nil {
		if err := commit(); err != nil {
			return err
		}
	}
	if next != nil && (now.slots[name] == nil || next.live != now.slots[name].live) {
		next.counts.swaps.Add(1)
	}
	r.state.Store(s)
	for _, v := range now.slots[name].versions() {
		if !slices.Contains(next.versions(), v) {
			v.retire(&now.slots[name].counts.draining)
		}
	}
	return nil
}

// with is the state with another slot of that name, or without one.
func (s *state) with(name string, next *slot) *state {
	n := s.untabled(name, next)
	n.table = newTable(n)
	return n
}

func (s *state) untabled(name string, next *slot) *state {
	n := &state{builtins: s.builtins, slots: maps.Clone(s.slots)}
	if next == nil {
		delete(n.slots, name)
	} else {
		n.slots[name] = next
	}
	return n
}

// permit says whether s may go live, in which the slot of that name is new: no
// name may be claimed twice, and the models that are served must find their
// parsers, with the version on trial too.
func (r *Registry) permit(ctx context.Context, s *state, name string) error {
	if err := s.clash(); err != nil {
		return &RefusedError{Module: name, Step: StepNames, Cause: err}
	}
	tables := []*table{s.table}
	if slot := s.slots[name]; slot != nil && slot.trial != nil {
		promoted := *slot
		promoted.live, promoted.trial = slot.trial.version, nil
		tables = append(tables, s.with(name, &promoted).table)
	}
	for _, t := range tables {
		for _, check := range r.checks {
			if err := check(ctx, &View{t}); err != nil {
				return &RefusedError{Module: name, Step: StepModels, Cause: err}
			}
		}
	}
	return nil
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
	return fmt.Sprintf("there is no parser %q; known are %s", e.Name, joined(e.Known))
}
