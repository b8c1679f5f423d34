package registry

import (
	"context"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/host/process"
	"github.com/turnkey-parsers/turnkey/wasm"
)

// wasmEngines are the parsers of a compiled module.
func wasmEngines(m *wasm.Module) []parse.Engine {
	var out []parse.Engine
	for i := range m.Manifest().Parsers {
		if e, err := parse.Wasm(m, m.Manifest().Parsers[i].Name); err == nil {
			out = append(out, e)
		}
	}
	return out
}

// processEngine runs one parser of a process. fault is told of each fault.
type processEngine struct {
	process *process.Process
	parser  *manifest.Parser
	fault   func()
}

func (e *processEngine) Parser() *manifest.Parser { return e.parser }

func (e *processEngine) Open(open *abi.Session) (parse.Source, abi.Answer, error) {
	s, answer, err := e.process.Open(open)
	if err != nil {
		e.fault()
		return nil, abi.Answer{}, err
	}
	return &processSource{s, e.fault}, answer, nil
}

// Constraint implements parse.Constrainer.
func (e *processEngine) Constraint(open *abi.Session) ([]byte, error) {
	if !e.parser.Constraint {
		return nil, nil
	}
	return e.process.Constraint(context.Background(), open)
}

type processSource struct {
	*process.Session
	fault func()
}

func (s *processSource) Push(off uint32, back int, data []byte) (abi.Answer, error) {
	return s.counted(s.Session.Push(off, back, data))
}

func (s *processSource) Finish(off uint32, reason abi.Finish) (abi.Answer, error) {
	return s.counted(s.Session.Finish(off, reason))
}

func (s *processSource) counted(a abi.Answer, err error) (abi.Answer, error) {
	if err != nil {
		s.fault()
	}
	return a, err
}

func (s *processSource) Discard(why error) {
	s.fault()
	s.Session.Discard(why)
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
			run.engines = append(run.engines, &processEngine{p, &m.Parsers[i], func() { r.fault(v) }})
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
