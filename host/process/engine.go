package process

import (
	"context"
	"fmt"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/host/parse"
)

// Engine runs one parser of the process.
func (p *Process) Engine(parser string) (parse.Engine, error) {
	for i := range p.manifest.Parsers {
		if d := &p.manifest.Parsers[i]; d.Name == parser {
			return &engine{p, d}, nil
		}
	}
	return nil, fmt.Errorf("module %s has no parser %q", p.manifest.Module, parser)
}

type engine struct {
	process *Process
	parser  *manifest.Parser
}

func (e *engine) Parser() *manifest.Parser { return e.parser }

func (e *engine) Open(open *abi.OpenBlock) (parse.Source, abi.Answer, error) {
	s, answer, err := e.process.Open(open)
	if err != nil { // a nil *Session is no nil Source
		return nil, abi.Answer{}, err
	}
	return s, answer, nil
}

// Constraint implements parse.Constrainer.
func (e *engine) Constraint(open *abi.OpenBlock) ([]byte, error) {
	if !e.parser.Constraint {
		return nil, nil
	}
	return e.process.Constraint(context.Background(), open)
}
