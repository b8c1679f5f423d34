package qwen3

import (
	_ "embed"

	"github.com/turnkey-parsers/turnkey/builtin/internal/structag"
	"github.com/turnkey-parsers/turnkey/builtin/internal/toolblock"
	"github.com/turnkey-parsers/turnkey/builtin/internal/turn"
	"github.com/turnkey-parsers/turnkey/sdk"
)

//go:embed manifest.json
var described string

// Module is the family's parser module.
var Module = sdk.Module{Manifest: described, New: sdk.Family("qwen3", grammar.Parser), Constraint: calls.Build}

var grammar = turn.New(turn.Config{
	Think: "<think>", EndThink: "</think>",
	Block: toolblock.Config{
		Open: "<tool_call>", Close: "</tool_call>",
		XML: toolblock.Functions, JSON: true,
	},
})

var calls = structag.Calls{
	Trigger:    "<tool_call>\n<function=",
	Begin:      "<tool_call>\n<function=$>\n",
	End:        "\n</function>\n</tool_call>",
	Style:      "qwen_xml",
	EndThink:   "</think>",
	AfterThink: "\n\n",
	Banned:     []string{"<tool_call>", "<function="},
}
