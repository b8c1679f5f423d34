package museglimmer

import (
	_ "embed"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/structag"
	"github.com/turnkey-parsers/turnkey/sdk"
)

//go:embed manifest.json
var described string

// Module is the family's parser module.
var Module = sdk.Module{Manifest: described, New: newParser, Constraint: frame.Build}

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

func newParser(s *abi.OpenBlock) sdk.Parser {
	p := &parser{start: sdk.StartOf(s), tools: s.Tools, calls: len(s.Tools) > 0, think: true}
	switch s.Parser {
	case "muse_glimmer", "muse_glimmer_batch":
	case "muse_glimmer_tools":
		p.think = false
	case "muse_glimmer_reasoning":
		p.calls = false
	default:
		return nil
	}
	p.guided = s.Mode != abi.ModeNative && s.Parser != "muse_glimmer_reasoning"
	p.begin()
	return p
}
