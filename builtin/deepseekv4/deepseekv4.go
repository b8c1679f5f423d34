package deepseekv4

import (
	_ "embed"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/dsml"
	"github.com/turnkey-parsers/turnkey/sdk"
)

//go:embed manifest.json
var described string

// Module is the family's parser module.
var Module = sdk.Module{Manifest: described, New: newParser, Constraint: grammar.Constraint}

var grammar = dsml.New(dsml.Config{Block: "tool_calls"})

func newParser(s *abi.OpenBlock) sdk.Parser {
	switch s.Parser {
	case "deepseek_v4":
		return grammar.Parser(s, dsml.Unified)
	case "deepseek_v4_tools", "deepseek_v4_batch":
		return grammar.Parser(s, dsml.Tools)
	case "deepseek_v4_reasoning":
		return grammar.Parser(s, dsml.Reasoning)
	}
	return nil
}
