package registry

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
)

// canary is a parser of a version on trial that serves requests.
type canary struct {
	engine parser.Engine
	trial  *trial
}

func (e *canary) Parser() *manifest.Parser { return e.engine.Parser() }

func (e *canary) Open(open *abi.OpenBlock) (parser.Source, abi.Answer, error) {
	s, answer, err := e.engine.Open(open)
	if err != nil {
		return nil, abi.Answer{}, err
	}
	return &canarySource{s, e.trial}, answer, nil
}

// Constraint implements parser.Constrainer.
func (e *canary) Constraint(open *abi.OpenBlock) ([]byte, error) { return constraint(e.engine, open) }

// canarySource counts the answers that came to their end.
type canarySource struct {
	parser.Source
	trial *trial
}

func (s *canarySource) Finish(off abi.RawOffset, reason abi.Finish) (abi.Answer, error) {
	answer, err := s.Source.Finish(off, reason)
	if err == nil {
		s.trial.passed()
	}
	return answer, err
}

func constraint(e parser.Engine, open *abi.OpenBlock) ([]byte, error) {
	if c, ok := e.(parser.Constrainer); ok {
		return c.Constraint(open)
	}
	return nil, nil
}
