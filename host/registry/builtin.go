package registry

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/native"
)

// builtins lists the modules that come with the program. A family that is linked
// and embedded is listed once, in the form that is preferred.
func (r *Registry) builtins() ([]*version, error) {
	embedded, err := r.embedded()
	if err != nil {
		return nil, err
	}
	linked, err := r.linked()
	if err != nil {
		return nil, err
	}
	first, second := embedded, linked
	if r.cfg.Native {
		first, second = linked, embedded
	}
	listed := map[string]bool{}
	var out []*version
	for _, v := range append(first, second...) {
		if name := v.Manifest.Module; !listed[name] {
			listed[name] = true
			out = append(out, v)
		}
	}
	return out, nil
}

func (r *Registry) linked() ([]*version, error) {
	var out []*version
	for _, m := range r.cfg.Linked {
		described, err := manifest.Parse([]byte(m.Manifest))
		if err != nil {
			return nil, fmt.Errorf("a linked module's manifest: %w", err)
		}
		b := &build{Info: Info{Manifest: described, Origin: OriginLinked, Engine: EngineNative}}
		out = append(out, newVersion(b, func(context.Context) (running, error) { return r.link(m, described) }))
	}
	return out, nil
}

func (r *Registry) link(m *sdk.Module, described *manifest.Manifest) (run running, err error) {
	if !r.cfg.Native {
		r.log.Warn("no WebAssembly module is at hand: the linked parser is used", "module", described.Module)
	}
	for _, p := range described.Parsers {
		e, err := native.Parser(m, p.Name)
		if err != nil {
			return running{}, err
		}
		run.engines = append(run.engines, e)
	}
	return run, nil
}

// embedded describes the embedded modules. Their bytes are read again when they
// are compiled: most modules never are.
func (r *Registry) embedded() ([]*version, error) {
	if r.cfg.Embedded == nil {
		return nil, nil
	}
	names := r.cfg.Embedded.Names()
	out := make([]*version, len(names))
	var group errgroup.Group
	for i, name := range names {
		group.Go(func() error {
			binary, err := r.cfg.Embedded.Module(name)
			if err != nil {
				return err
			}
			b, err := describe(OriginEmbedded, binary)
			if err != nil {
				return fmt.Errorf("module %s: %w", name, err)
			}
			b.binary = nil
			out[i] = newVersion(b, func(ctx context.Context) (running, error) {
				binary, err := r.cfg.Embedded.Module(name)
				if err != nil {
					return running{}, err
				}
				run, err := r.compile(ctx, binary, *r.cfg.Shipped)
				if err != nil {
					return running{}, fmt.Errorf("module %s: %w", name, err)
				}
				return run, nil
			})
			return nil
		})
	}
	return out, group.Wait()
}
