package registry

import (
	"context"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/host/process"
)

// watched is a parser of a process. fault is told of each fault: a module's are
// told by package wasm.
type watched struct {
	engine parser.Engine
	fault  func()
}

func (e *watched) Parser() *manifest.Parser { return e.engine.Parser() }

func (e *watched) Open(open *abi.OpenBlock) (parser.Source, abi.Answer, error) {
	s, answer, err := e.engine.Open(open)
	if err != nil {
		e.fault()
		return nil, abi.Answer{}, err
	}
	return &watchedSource{s, e.fault}, answer, nil
}

// Constraint implements parser.Constrainer.
func (e *watched) Constraint(open *abi.OpenBlock) ([]byte, error) { return constraint(e.engine, open) }

type watchedSource struct {
	parser.Source
	fault func()
}

func (s *watchedSource) Push(off abi.RawOffset, back int, data []byte) (abi.Answer, error) {
	return s.counted(s.Source.Push(off, back, data))
}

func (s *watchedSource) Finish(off abi.RawOffset, reason abi.Finish) (abi.Answer, error) {
	return s.counted(s.Source.Finish(off, reason))
}

func (s *watchedSource) counted(a abi.Answer, err error) (abi.Answer, error) {
	if err != nil {
		s.fault()
	}
	return a, err
}

func (s *watchedSource) Discard(why error) {
	s.fault()
	s.Source.Discard(why)
}

// startProcess starts a parser process and makes it a module.
func (r *Registry) startProcess(ctx context.Context, c Process) error {
	if c.Logger == nil {
		c.Logger = r.log
	}
	p, err := process.Start(ctx, c.Config)
	if err != nil {
		return err
	}
	m := p.Manifest()
	b := &build{Info: Info{Manifest: m, Origin: OriginProcess, Engine: EngineProcess, SHA256: c.SHA256}}
	var v *version
	v = newVersion(b, func(context.Context) (run running, err error) {
		for i := range m.Parsers {
			e, err := p.Parser(m.Parsers[i].Name)
			if err != nil {
				return running{}, err
			}
			run.engines = append(run.engines, &watched{e, func() { r.fault(v) }})
		}
		run.close = p.Close
		return run, nil
	})
	if err := v.open(ctx); err != nil {
		return err
	}
	if err := r.check(ctx, v); err != nil {
		v.close()
		return err
	}
	name := m.Module
	if r.state.Load().slots[name] != nil {
		v.close()
		return &RefusedError{Module: name, Step: StepNames, Cause: errTwice}
	}
	next := r.newSlot(name)
	next.live = v
	if err := r.swap(ctx, name, next, nil); err != nil {
		v.close()
		return err
	}
	r.log.Info("parser process started", "process", c.Name, "module", name, "version", m.Version)
	return nil
}
