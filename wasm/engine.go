package wasm

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
)

// Parser gives the module's parser of that name. It also implements
// parser.Constrainer. Where all instances are taken its Open answers a
// *parser.BusyError.
func (m *Module) Parser(name string) (parser.Engine, error) {
	for i := range m.manifest.Parsers {
		if p := &m.manifest.Parsers[i]; p.Name == name {
			return &engine{m, p}, nil
		}
	}
	return nil, fmt.Errorf("module %s has no parser %q", m.manifest.Module, name)
}

type engine struct {
	module *Module
	parser *manifest.Parser
}

func (e *engine) Parser() *manifest.Parser { return e.parser }

func (e *engine) Open(block *abi.OpenBlock) (parser.Source, abi.Answer, error) {
	s, answer, err := e.module.Open(context.Background(), block)
	if err != nil { // a nil *Session is no nil Source
		return nil, abi.Answer{}, busyOr(e.parser.Name, err)
	}
	return s, answer, nil
}

// busyOr makes a *parser.BusyError of an error of a module that has no room for
// another session, and leaves others as they are.
func busyOr(name string, err error) error {
	var limit *LimitError
	if errors.As(err, &limit) && limit.Limit == "Instances" {
		return &parser.BusyError{Parser: name, Cause: err}
	}
	return err
}

// Constraint implements parser.Constrainer.
func (e *engine) Constraint(block *abi.OpenBlock) ([]byte, error) {
	if !e.parser.Constraint {
		return nil, nil
	}
	return e.module.Constraint(context.Background(), block)
}
