package deepseekv41

import (
	_ "embed"

	"github.com/turnkey-parsers/turnkey/builtin/internal/dsml"
	"github.com/turnkey-parsers/turnkey/sdk"
)

//go:embed manifest.json
var described string

// Module is the family's parser module.
var Module = sdk.Module{Manifest: described, New: sdk.Family("deepseek_v41", grammar.Parser), Constraint: grammar.Constraint}

var grammar = dsml.New(dsml.Config{Block: "calls", Space: " ", Chosen: true})
