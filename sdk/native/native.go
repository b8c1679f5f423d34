// Package native runs the parsers of a linked Go package, without WebAssembly:
// in tests, in benchmarks, and in a program that links the modules it needs.
package native

import (
	"fmt"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/sdk"
)

// Parser gives the parser of that name, or alias, of a linked module. It also
// implements parser.Constrainer.
func Parser(m *sdk.Module, name string) (parser.Engine, error) {
	described, err := manifest.Parse([]byte(m.Manifest))
	if err != nil {
		return nil, err
	}
	found, ok := manifest.Set{described}.Find(name)
	if !ok {
		return nil, fmt.Errorf("module %s has no parser %s", described.Module, name)
	}
	return &engine{module: m, parser: found.Parser}, nil
}

type engine struct {
	module *sdk.Module
	parser *manifest.Parser
}

func (e *engine) Parser() *manifest.Parser { return e.parser }

func (e *engine) Open(block *abi.OpenBlock) (src parser.Source, answer abi.Answer, err error) {
	defer recoverPanic(&err)
	s, answer := sdk.Open(e.module, block)
	return &source{s}, answer, nil
}

// Constraint implements parser.Constrainer.
func (e *engine) Constraint(block *abi.OpenBlock) (constraint []byte, err error) {
	if e.module.Constraint == nil {
		return nil, nil
	}
	defer recoverPanic(&err)
	return e.module.Constraint(block), nil
}

type source struct{ session *sdk.Session }

func (s *source) Push(off abi.RawOffset, back int, data []byte) (answer abi.Answer, err error) {
	defer recoverPanic(&err)
	return s.session.Push(off, back, data), nil
}

func (s *source) Finish(off abi.RawOffset, reason abi.Finish) (answer abi.Answer, err error) {
	defer recoverPanic(&err)
	return s.session.Finish(off, reason), nil
}

func (s *source) Discard(error) {}

func (s *source) Close() {}

// recoverPanic makes an error of a panic, as a trap of a WebAssembly module is
// one.
func recoverPanic(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("panic: %v", r)
	}
}
