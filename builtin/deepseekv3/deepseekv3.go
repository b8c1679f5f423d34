package deepseekv3

import (
	_ "embed"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/dsml"
	"github.com/turnkey-parsers/turnkey/sdk"
)

//go:embed manifest.json
var described string

// Module is the family's parser module.
var Module = sdk.Module{Manifest: described, New: newParser, Constraint: constraint}

var grammar = dsml.New(dsml.Config{Block: "function_calls", Section: &sections})

func newParser(s *abi.OpenBlock) sdk.Parser {
	switch s.Parser {
	case "deepseek_v3":
		return grammar.Parser(s, dsml.Unified)
	case "deepseek_r1":
		return grammar.Parser(thinking(s), dsml.Unified)
	case "deepseek_v3_tools", "deepseek_v3_batch", "deepseek_r1_tools", "deepseek_r1_batch":
		return grammar.Parser(s, dsml.Tools)
	case "deepseek_v3_reasoning":
		return grammar.Parser(s, dsml.Reasoning)
	case "deepseek_r1_reasoning":
		return grammar.Parser(thinking(s), dsml.Reasoning)
	}
	return nil
}

// thinking is the session of R1, whose prompt opens the thought where the host does
// not know the prompt.
func thinking(s *abi.OpenBlock) *abi.OpenBlock {
	if s.Start != abi.ChannelUnknown || s.Flags&abi.OpenReasoning == 0 {
		return s
	}
	open := *s
	open.Start = abi.ChannelReasoning
	return &open
}
