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
var Module = sdk.Module{Manifest: described, New: newParser, Constraint: buildConstraint}

var grammar = dsml.New(dsml.Config{Block: "function_calls", Other: "tool_calls", Section: &sections})

func newParser(s *abi.OpenBlock) sdk.Parser {
	switch family, kind := sdk.SplitName(s.Parser); family {
	case "deepseek_v3":
		return grammar.Parser(s, kind)
	case "deepseek_r1":
		return grammar.Parser(withReasoningStart(s), kind)
	}
	return nil
}

// withReasoningStart is the session of R1, whose prompt opens the thought where the host does
// not know the prompt.
func withReasoningStart(s *abi.OpenBlock) *abi.OpenBlock {
	if s.Start != abi.ChannelUnknown || s.Flags&abi.OpenReasoning == 0 {
		return s
	}
	open := *s
	open.Start = abi.ChannelReasoning
	return &open
}
