package process

import (
	"context"
	"fmt"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
)

// Parser gives the process's parser of that name. It also implements
// parser.Constrainer.
func (p *Process) Parser(name string) (parser.Engine, error) {
	for i := range p.manifest.Parsers {
		if d := &p.manifest.Parsers[i]; d.Name == name {
			return &engine{p, d}, nil
		}
	}
	return nil, fmt.Errorf("module %s has no parser %q", p.manifest.Module, name)
}

type engine struct {
	process *Process
	parser  *manifest.Parser
}

func (e *engine) Parser() *manifest.Parser { return e.parser }

func (e *engine) Open(open *abi.OpenBlock) (parser.Source, abi.Answer, error) {
	s, answer, err := e.process.Open(open)
	if err != nil { // a nil *Session is no nil Source
		return nil, abi.Answer{}, err
	}
	return s, answer, nil
}

// Constraint implements parser.Constrainer.
func (e *engine) Constraint(open *abi.OpenBlock) ([]byte, error) {
	if !e.parser.Constraint {
		return nil, nil
	}
	return e.process.Constraint(context.Background(), open)
}
