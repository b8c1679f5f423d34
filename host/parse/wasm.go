package parse

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/wasm"
)

// Wasm runs one parser of a compiled module.
func Wasm(m *wasm.Module, parser string) (Engine, error) {
	for i := range m.Manifest().Parsers {
		if p := &m.Manifest().Parsers[i]; p.Name == parser {
			return &wasmEngine{m, p}, nil
		}
	}
	return nil, fmt.Errorf("module %s has no parser %q", m.Manifest().Module, parser)
}

type wasmEngine struct {
	module *wasm.Module
	parser *manifest.Parser
}

func (e *wasmEngine) Parser() *manifest.Parser { return e.parser }

func (e *wasmEngine) Open(open *abi.OpenBlock) (Source, abi.Answer, error) {
	s, answer, err := e.module.Open(context.Background(), open)
	if err != nil { // a nil *wasm.Session is no nil Source
		return nil, abi.Answer{}, openFailed(e.parser.Name, err)
	}
	return s, answer, nil
}

// openFailed makes a *BusyError of an error of a module that has no room for
// another session.
func openFailed(parser string, err error) error {
	var limit *wasm.LimitError
	if errors.As(err, &limit) && limit.Limit == "Instances" {
		return &BusyError{Parser: parser, Cause: err}
	}
	return err
}

// Constraint implements Constrainer.
func (e *wasmEngine) Constraint(open *abi.OpenBlock) ([]byte, error) {
	if !e.parser.Constraint {
		return nil, nil
	}
	return e.module.Constraint(context.Background(), open)
}
