package llama3json

import (
	_ "embed"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/opening"
	"github.com/turnkey-parsers/turnkey/builtin/internal/toolblock"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/guided"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
)

//go:embed manifest.json
var described string

// Module is the family's parser module.
var Module = sdk.Module{Manifest: described, New: sdk.Family("llama3_json", newParser)}

const tag = "<|python_tag|>"

var (
	calls   = prose.Compile(prose.Markers{Calls: []string{tag, "{"}})
	nothing = prose.Compile(prose.Markers{})
	bare    = guided.Compile(guided.Markup{Openers: []string{tag}})
	objects = toolblock.NewGrammar(toolblock.Config{Open: tag, JSON: true})
)

// isTag is the tag's place in Calls.
const isTag = 0

func newParser(open *abi.OpenBlock, kind sdk.Kind) sdk.Parser {
	if kind == sdk.Reasoning {
		return nil
	}
	if open.Mode != abi.ModeNative {
		started := *open
		started.Start = abi.ChannelResponse
		return guided.New(bare, &started, kind.Native(newParser))
	}
	p := &parser{object: object{tools: open.Tools}, call: objects.Block(open)}
	if len(open.Tools) == 0 {
		p.prose.Start(nothing, false)
		p.state = inProse
	} else {
		p.prose.Trial = opening.Trial(open, kind, newParser)
		p.prose.Start(calls, false)
	}
	return p
}
