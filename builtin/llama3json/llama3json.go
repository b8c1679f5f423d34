package llama3json

import (
	_ "embed"

	"github.com/turnkey-parsers/turnkey/builtin/internal/barecall"
	"github.com/turnkey-parsers/turnkey/sdk"
)

//go:embed manifest.json
var described string

// Module is the family's parser module.
var Module = sdk.Module{Manifest: described, New: sdk.Family("llama3_json", grammar.Parser)}

const tag = "<|python_tag|>"

var grammar = barecall.New(barecall.Config{Tag: tag, Code: true})
