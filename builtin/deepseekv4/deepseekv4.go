package deepseekv4

import (
	_ "embed"

	"github.com/turnkey-parsers/turnkey/builtin/internal/dsml"
	"github.com/turnkey-parsers/turnkey/sdk"
)

//go:embed manifest.json
var described string

// Module is the family's parser module.
var Module = sdk.Module{Manifest: described, New: sdk.Family("deepseek_v4", grammar.Parser), Constraint: grammar.Constraint}

var grammar = dsml.New(dsml.Config{Block: "tool_calls", Other: "function_calls"})
