package pythonic

import (
	_ "embed"

	"github.com/turnkey-parsers/turnkey/builtin/internal/barecall"
	"github.com/turnkey-parsers/turnkey/sdk"
)

//go:embed manifest.json
var described string

// Module is the family's parser module.
var Module = sdk.Module{Manifest: described, New: sdk.Family("pythonic", grammar.Parser)}

const (
	start = "<|python_start|>"
	end   = "<|python_end|>"
)

var grammar = barecall.New(barecall.Config{Tag: start, End: end, Python: true})
