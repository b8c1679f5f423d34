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
// parser.Constrainer and parser.Admitter. Where all instances are taken its Open answers a
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
		return nil, abi.Answer{}, requestError(e.parser.Name, err)
	}
	return s, answer, nil
}

// Admit implements parser.Admitter. Only a block whose size may matter is tried.
func (e *engine) Admit(block *abi.OpenBlock) error {
	if !e.module.mayBeTooLarge(len(abi.AppendOpen(nil, block))) {
		return nil
	}
	s, _, err := e.Open(block)
	if err == nil {
		s.Close()
		return nil
	}
	if large := (*parser.TooLargeError)(nil); errors.As(err, &large) {
		return large
	}
	return nil // for the session that is opened in earnest to tell
}

// requestError makes a *parser.BusyError of an error of a module that has no room for
// another session, names the parser in a *parser.TooLargeError, and leaves others as they
// are.
func requestError(name string, err error) error {
	var limit *LimitError
	var large *parser.TooLargeError
	switch {
	case errors.As(err, &large):
		large.Parser = name
	case errors.As(err, &limit) && limit.Limit == "Instances":
		return &parser.BusyError{Parser: name, Cause: err}
	}
	return err
}

// Constraint implements parser.Constrainer.
func (e *engine) Constraint(block *abi.OpenBlock) ([]byte, error) {
	if !e.parser.Constraint {
		return nil, nil
	}
	constraint, err := e.module.Constraint(context.Background(), block)
	return constraint, requestError(e.parser.Name, err)
}
