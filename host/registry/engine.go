package registry

import (
	"context"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/wasm"
)

// engine runs one parser of a compiled module.
type engine struct {
	module *wasm.Module
	parser *manifest.Parser
}

func engines(m *wasm.Module) []parse.Engine {
	var out []parse.Engine
	for i := range m.Manifest().Parsers {
		out = append(out, &engine{m, &m.Manifest().Parsers[i]})
	}
	return out
}

func (e *engine) Parser() *manifest.Parser { return e.parser }

func (e *engine) Open(open *abi.Session) (parse.Source, abi.Answer, error) {
	s, answer, err := e.module.Open(context.Background(), open)
	if err != nil {
		return nil, abi.Answer{}, err
	}
	return s, answer, nil
}

// Constraint implements parse.Constrainer.
func (e *engine) Constraint(open *abi.Session) ([]byte, error) {
	if !e.parser.Constraint {
		return nil, nil
	}
	return e.module.Constraint(context.Background(), open)
}
