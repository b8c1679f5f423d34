package think

import (
	_ "embed"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/option"
	"github.com/turnkey-parsers/turnkey/builtin/internal/turn"
	"github.com/turnkey-parsers/turnkey/sdk"
)

//go:embed manifest.json
var described string

// Module is the module of reasoning parsers that belong to no family.
var Module = sdk.Module{Manifest: described, New: newParser}

// parsers say by name where a session starts whose prompt is not known, and the marks of
// a thought.
var parsers = map[string]struct{ start, open, close string }{
	"think":      {"content", "<think>", "</think>"},
	"think_open": {"reasoning", "<think>", "</think>"},
	"kimi":       {"content", "◁think▷", "◁/think▷"},
}

var grammars option.Cache

func newParser(s *abi.OpenBlock) sdk.Parser {
	p, ok := parsers[s.Parser]
	if !ok {
		return nil
	}
	return grammars.GetOrBuild(s.Parser, s, func() *option.Built {
		r := option.NewReader(s)
		c := option.Reasoning(r, p.start, p.open, p.close)
		if problem := r.Problem(option.ReasoningPrefix); problem != "" {
			return &option.Built{Problem: problem}
		}
		return &option.Built{Grammar: turn.New(c)}
	}).Parser(s, sdk.Reasoning)
}
