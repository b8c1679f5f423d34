package museglimmer

import (
	_ "embed"

	"github.com/turnkey-parsers/turnkey/abi"
	turnopening "github.com/turnkey-parsers/turnkey/builtin/internal/opening"
	"github.com/turnkey-parsers/turnkey/builtin/internal/param"
	"github.com/turnkey-parsers/turnkey/builtin/internal/structag"
	"github.com/turnkey-parsers/turnkey/sdk"
)

//go:embed manifest.json
var described string

// Module is the family's parser module.
var Module = sdk.Module{Manifest: described, New: sdk.Family("muse_glimmer", newParser), Constraint: frame.Build}

// frame is all that a grammar can ask of the calls: their parameters are in tags
// that no engine knows. The header is written without what stands before " to=":
// the prompt ends there, and a later message's "<|start|>assistant" is free text.
var frame = structag.Calls{
	Trigger:    " to=$" + message,
	Begin:      " to=$" + message + blockOpen + "\n" + invoke + ` name="$">` + "\n",
	End:        invokeClose + "\n" + blockClose,
	Style:      structag.AnyText,
	EndThink:   eom,
	AfterThink: start + assistant,
	Banned:     []string{invoke},
}

func newParser(s *abi.OpenBlock, kind sdk.Kind) sdk.Parser {
	p := &parser{start: sdk.StartOf(s), tools: s.Tools, keys: param.In(s), calls: kind.Calls() && len(s.Tools) > 0, think: kind != sdk.Tools}
	p.guided = s.Mode != abi.ModeNative && kind.Calls()
	p.prose.Trial = turnopening.Trial(s, kind, newParser)
	p.startTurn()
	return p
}
