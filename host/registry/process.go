package registry

import (
	"context"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/process"
)

// processVersion is the version that a parser process is. A module's faults are
// told by package wasm; a process's are seen in what its sessions answer.
func processVersion(p *process.Process, digest string, onFault func(*version)) *version {
	m := p.Manifest()
	var v *version
	v = newVersion(&build{Info: Info{Manifest: m, Origin: OriginProcess, Engine: EngineProcess, SHA256: digest}}, func(context.Context) (running, error) {
		run := running{close: p.Close}
		for i := range m.Parsers {
			e, err := p.Parser(m.Parsers[i].Name)
			if err != nil {
				return running{}, err
			}
			run.engines = append(run.engines, &observed{e, func(*abi.OpenBlock) observer { return faultCounter{func() { onFault(v) }} }})
		}
		return run, nil
	})
	return v
}

// faultCounter counts every error of a session and every answer that was refused.
type faultCounter struct{ count func() }

func (c faultCounter) onAnswer(_ call, a abi.Answer, err error) abi.Answer {
	if err != nil {
		c.count()
	}
	return a
}

func (c faultCounter) onDiscard() { c.count() }

func (faultCounter) onClose() {}
