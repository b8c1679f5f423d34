package registry

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/native"
	"github.com/turnkey-parsers/turnkey/wasm"
)

// builtinVersions lists the modules that come with the program. A family that is linked
// and embedded is listed once, in the form that is preferred.
func (l *loader) builtinVersions() ([]*version, error) {
	embedded, err := l.embeddedVersions()
	if err != nil {
		return nil, err
	}
	linked, err := l.linkedVersions()
	if err != nil {
		return nil, err
	}
	first, second := embedded, linked
	if l.cfg.Native {
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

func (l *loader) linkedVersions() ([]*version, error) {
	var out []*version
	for _, m := range l.cfg.Linked {
		described, err := manifest.Parse([]byte(m.Manifest))
		if err != nil {
			return nil, fmt.Errorf("a linked module's manifest: %w", err)
		}
		b := &build{Info: Info{Manifest: described, Origin: OriginLinked, Engine: EngineNative}}
		out = append(out, newVersion(b, func(context.Context) (running, error) { return l.openLinked(m, described) }))
	}
	return out, nil
}

func (l *loader) openLinked(m *sdk.Module, described *manifest.Manifest) (run running, err error) {
	if !l.cfg.Native {
		l.log.Warn("no WebAssembly module is at hand: the linked parser is used", "module", described.Module)
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

// embeddedVersions describes the embedded modules. Their bytes are read again when they
// are compiled: most modules never are.
func (l *loader) embeddedVersions() ([]*version, error) {
	if l.cfg.Embedded == nil {
		return nil, nil
	}
	names := l.cfg.Embedded.Names()
	out := make([]*version, len(names))
	var group errgroup.Group
	for i, name := range names {
		group.Go(func() error {
			v, err := l.embeddedVersion(name)
			if err != nil {
				return fmt.Errorf("module %s: %w", name, err)
			}
			out[i] = v
			return nil
		})
	}
	return out, group.Wait()
}

func (l *loader) embeddedVersion(name string) (*version, error) {
	read := func() ([]byte, error) { return l.cfg.Embedded.Module(name) }
	binary, err := read()
	if err != nil {
		return nil, err
	}
	code := wasm.NewBuild(binary)
	b, err := describeBuild(OriginEmbedded, code)
	if err != nil {
		return nil, err
	}
	code.ReadAgain(read)
	return newVersion(b, func(ctx context.Context) (running, error) {
		run, err := l.compileBuild(ctx, code, *l.cfg.Shipped)
		if err != nil {
			return running{}, fmt.Errorf("module %s: %w", name, err)
		}
		return run, nil
	}), nil
}
