package parse

import (
	"fmt"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/sdk"
)

// Constrainer is an Engine whose parser can say how to guide the engine.
type Constrainer interface {
	// Constraint gives the constraint for guided native calls, JSON
	// {"scope":"calls|turn","structural_tag":{…}}, or nil where none applies.
	Constraint(s *abi.OpenBlock) ([]byte, error)
}

// Native runs the parser of that name of a linked module.
func Native(m *sdk.Module, name string) (Engine, error) {
	described, err := manifest.Parse([]byte(m.Manifest))
	if err != nil {
		return nil, err
	}
	found, ok := manifest.Set{described}.Find(name)
	if !ok {
		return nil, fmt.Errorf("module %s has no parser %s", described.Module, name)
	}
	return &native{module: m, parser: found.Parser}, nil
}

type native struct {
	module *sdk.Module
	parser *manifest.Parser
}

func (n *native) Parser() *manifest.Parser { return n.parser }

func (n *native) Open(open *abi.OpenBlock) (src Source, answer abi.Answer, err error) {
	defer recovered(&err)
	s, answer := sdk.Open(n.module, open)
	return &nativeSession{s: s}, answer, nil
}

func (n *native) Constraint(open *abi.OpenBlock) (c []byte, err error) {
	if n.module.Constraint == nil {
		return nil, nil
	}
	defer recovered(&err)
	return n.module.Constraint(open), nil
}

type nativeSession struct{ s *sdk.Session }

func (n *nativeSession) Push(off uint32, back int, data []byte) (a abi.Answer, err error) {
	defer recovered(&err)
	return n.s.Push(off, back, data), nil
}

func (n *nativeSession) Finish(off uint32, reason abi.Finish) (a abi.Answer, err error) {
	defer recovered(&err)
	return n.s.Finish(off, reason), nil
}

func (n *nativeSession) Discard(error) {}

func (n *nativeSession) Close() {}

// recovered makes an error of a panic, as a trap is one.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("panic: %v", r)
	}
}
