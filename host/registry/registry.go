// Package registry finds the parser for a family's name among the modules at
// hand: those embedded in the program, those of a folder, and the Go packages
// linked natively. A module is compiled when a parser of it is first asked for.
package registry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/host/route"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/wasm"
)

// Config says where modules come from.
type Config struct {
	// Embedded holds the modules that ship. It may be nil.
	Embedded Embedded
	// Linked are the parsers that are linked into the program.
	Linked []*sdk.Module
	// Folder holds modules of the operator's, *.wasm at its top. It may be nil.
	Folder fs.FS
	// Native prefers linked parsers to embedded modules.
	Native bool
	// CacheDir keeps compiled modules; "" keeps none.
	CacheDir string
	Logger   *slog.Logger
	// OnFault is told of each fault of a module. It may be nil.
	OnFault func(*wasm.Fault)
}

// Embedded is a set of modules inside the program.
type Embedded interface {
	Names() []string
	Module(name string) ([]byte, error)
}

// Info describes a module.
type Info struct {
	Manifest *manifest.Manifest
	// Origin is "embedded", "linked" or the file's name in the folder.
	Origin string
	// Engine is "wasm" or "native".
	Engine string
	// SHA256 is that of the module's bytes; "" for a linked one.
	SHA256 string
}

// Family is a grammar's parsers and the module that they come from.
type Family struct {
	route.Family
	Info *Info
}

// Registry holds the modules.
type Registry struct {
	runtime *wasm.Runtime
	modules []*module
	set     manifest.Set // the modules' manifests, in their order
	native  bool
	log     *slog.Logger
}

// module is one module, compiled when it is first needed.
type module struct {
	Info
	load    func(context.Context) ([]parse.Engine, error)
	once    sync.Once
	engines []parse.Engine
	err     error
}

// New reads the manifests of all modules. Nothing is compiled yet.
func New(ctx context.Context, c Config) (*Registry, error) {
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	wc := wasm.NewConfig().WithCacheDir(c.CacheDir).WithLogger(c.Logger)
	if c.OnFault != nil {
		wc = wc.WithOnFault(c.OnFault)
	}
	rt, err := wasm.NewRuntime(ctx, wc)
	if err != nil {
		return nil, err
	}
	r := &Registry{runtime: rt, native: c.Native, log: c.Logger}
	if err := r.gather(c); err != nil {
		return nil, errors.Join(err, rt.Close(ctx))
	}
	return r, nil
}

// gather lists the modules. Where two know one name the earlier has it.
func (r *Registry) gather(c Config) error {
	linked := func() error {
		for _, m := range c.Linked {
			if err := r.addLinked(m); err != nil {
				return err
			}
		}
		return nil
	}
	embedded := func() error { return r.addEmbedded(c.Embedded) }
	order := []func() error{embedded, linked}
	if c.Native {
		order = []func() error{linked, embedded}
	}
	for _, add := range append(order, func() error { return r.addFolder(c.Folder) }) {
		if err := add(); err != nil {
			return err
		}
	}
	return nil
}

// add adds a module, unless one of its name is there: a family that is linked and
// embedded is listed once.
func (r *Registry) add(m *module) {
	for _, known := range r.modules {
		if known.Manifest.Module == m.Manifest.Module {
			if m.Origin != "linked" && m.Origin != "embedded" {
				r.log.Warn("a module of the folder is left out: its name is taken", "file", m.Origin, "module", m.Manifest.Module, "by", known.Origin)
			}
			return
		}
	}
	r.modules = append(r.modules, m)
	r.set = append(r.set, m.Manifest)
}

func (r *Registry) addLinked(m *sdk.Module) error {
	described, err := manifest.Parse([]byte(m.Manifest))
	if err != nil {
		return fmt.Errorf("a linked module's manifest: %w", err)
	}
	r.add(&module{
		Info: Info{Manifest: described, Origin: "linked", Engine: "native"},
		load: func(context.Context) (engines []parse.Engine, err error) {
			for _, p := range described.Parsers {
				e, err := parse.Native(m, p.Name)
				if err != nil {
					return nil, err
				}
				engines = append(engines, e)
			}
			return engines, nil
		},
	})
	return nil
}

func (r *Registry) addEmbedded(e Embedded) error {
	if e == nil {
		return nil
	}
	names := e.Names()
	modules := make([]*module, len(names))
	var group errgroup.Group
	for i, name := range names {
		group.Go(func() (err error) {
			modules[i], err = r.module("embedded", wasm.Shipped(), func() ([]byte, error) { return e.Module(name) })
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, m := range modules {
		r.add(m)
	}
	return nil
}

func (r *Registry) addFolder(folder fs.FS) error {
	if folder == nil {
		return nil
	}
	names, err := fs.Glob(folder, "*.wasm")
	if err != nil {
		return err
	}
	for _, name := range names {
		m, err := r.module(name, wasm.ThirdParty(), func() ([]byte, error) { return fs.ReadFile(folder, name) })
		if err != nil {
			return err
		}
		r.add(m)
	}
	return nil
}

// module describes a WebAssembly module. Its bytes are read again when it is
// compiled: most modules never are.
func (r *Registry) module(origin string, limits wasm.Limits, read func() ([]byte, error)) (*module, error) {
	binary, err := read()
	if err != nil {
		return nil, err
	}
	info, err := inspect(origin, binary)
	if err != nil {
		return nil, err
	}
	return &module{Info: *info, load: func(ctx context.Context) ([]parse.Engine, error) {
		binary, err := read()
		if err != nil {
			return nil, err
		}
		m, err := r.runtime.Compile(ctx, binary, limits)
		if err != nil {
			return nil, fmt.Errorf("module %s: %w", info.Manifest.Module, err)
		}
		return engines(m), nil
	}}, nil
}

// Infos describes all modules, in the order in which names are looked up.
func (r *Registry) Infos() []*Info {
	out := make([]*Info, len(r.modules))
	for i, m := range r.modules {
		out[i] = &m.Info
	}
	return out
}

// Parser gives the parser of that name or alias.
func (r *Registry) Parser(ctx context.Context, name string) (parse.Engine, *Info, error) {
	named, m, err := r.find(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	return named, &m.Info, nil
}

// Family gives the family to which the parser of that name or alias belongs.
func (r *Registry) Family(ctx context.Context, name string) (*Family, error) {
	named, m, err := r.find(ctx, name)
	if err != nil {
		return nil, err
	}
	return &Family{Family: route.FamilyOf(named, m.engines), Info: &m.Info}, nil
}

// UnknownError says that no module at hand has a parser of that name.
type UnknownError struct {
	Name  string
	Known []string
}

func (e *UnknownError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("there is no parser %q: no module is at hand", e.Name)
	}
	return fmt.Sprintf("there is no parser %q; known are %s", e.Name, strings.Join(e.Known, ", "))
}

// families names the first parser of each module.
func (r *Registry) families() []string {
	var names []string
	for _, m := range r.modules {
		names = append(names, m.Manifest.Parsers[0].Name)
	}
	return names
}

func (r *Registry) find(ctx context.Context, name string) (parse.Engine, *module, error) {
	match, ok := r.set.Find(name)
	if !ok {
		return nil, nil, &UnknownError{Name: name, Known: r.families()}
	}
	for _, m := range r.modules {
		if m.Manifest != match.Manifest {
			continue
		}
		m.once.Do(func() { m.engines, m.err = r.open(ctx, m) })
		if m.err != nil {
			return nil, nil, m.err
		}
		for _, e := range m.engines {
			if e.Parser().Name == match.Parser.Name {
				return e, m, nil
			}
		}
	}
	return nil, nil, fmt.Errorf("module %s has lost its parser %s", match.Manifest.Module, match.Parser.Name)
}

func (r *Registry) open(ctx context.Context, m *module) ([]parse.Engine, error) {
	if m.Engine == "native" && !r.native {
		r.log.Warn("no WebAssembly module is at hand: the linked parser is used", "module", m.Manifest.Module)
	}
	begun := time.Now()
	engines, err := m.load(ctx)
	r.log.Debug("module loaded", "module", m.Manifest.Module, "version", m.Manifest.Version, "engine", m.Engine, "took", time.Since(begun))
	return engines, err
}

// Close closes all modules. No session may be open any more.
func (r *Registry) Close(ctx context.Context) error { return r.runtime.Close(ctx) }

// Lookup describes the module of that name, or the one that has the parser of
// that name or alias.
func (r *Registry) Lookup(name string) (*Info, error) {
	match, found := r.set.Find(name)
	for _, m := range r.modules {
		if m.Manifest.Module == name || found && m.Manifest == match.Manifest {
			return &m.Info, nil
		}
	}
	return nil, &UnknownError{Name: name, Known: r.families()}
}

// Inspect describes the module in a file, without running it.
func Inspect(file string) (*Info, error) {
	binary, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return inspect(path.Base(file), binary)
}

func inspect(origin string, binary []byte) (*Info, error) {
	described, err := manifest.Read(binary)
	if err != nil {
		return nil, fmt.Errorf("module %s: %w", origin, err)
	}
	digest := sha256.Sum256(binary)
	return &Info{Manifest: described, Origin: origin, Engine: "wasm", SHA256: hex.EncodeToString(digest[:])}, nil
}
