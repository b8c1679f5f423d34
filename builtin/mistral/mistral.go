package mistral

import (
	_ "embed"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/jsonbody"
	"github.com/turnkey-parsers/turnkey/builtin/internal/opening"
	"github.com/turnkey-parsers/turnkey/builtin/internal/toolblock"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/guided"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

//go:embed manifest.json
var described string

// Module is the family's parser module.
var Module = sdk.Module{Manifest: described, New: sdk.Family("mistral", newParser)}

const (
	think     = "[THINK]"
	endThink  = "[/THINK]"
	toolCalls = "[TOOL_CALLS]"
	endCalls  = "[/TOOL_CALLS]"
	callID    = "[CALL_ID]"
	args      = "[ARGS]"
)

// markers are all markers, in the order of the ids that they are known by.
var markers = scan.NewSet(args, callID, toolCalls, endCalls, think, endThink)

const (
	isArgs = iota
	isCallID
	isToolCalls
)

// dialect is the set of markers that a session reads.
type dialect struct {
	calls, noCalls *prose.Grammar
	guided         *guided.Grammar
}

var (
	full  = newDialect([]string{think}, []string{endThink}) // thoughts and calls
	tools = newDialect(nil, nil)                            // calls

	arrays = toolblock.NewGrammar(toolblock.Config{
		Open: toolCalls, Escape: endThink, JSON: true, Members: toolblock.Members{ID: "id"},
	})
	body = jsonbody.Compile(jsonbody.Markers{SelfDelimiting: true, Break: []string{toolCalls, endCalls, think, endThink}})
)

func newDialect(think, endThink []string) dialect {
	calls, strip := []string{toolCalls}, []string{endCalls}
	return dialect{
		calls:   prose.Compile(prose.Markers{Think: think, EndThink: endThink, Calls: calls, Strip: strip}),
		noCalls: prose.Compile(prose.Markers{Think: think, EndThink: endThink}),
		guided: guided.Compile(guided.Markup{
			Think: think, EndThink: endThink,
			Strip:   []string{endCalls, args},
			Headers: []guided.Header{{Marker: toolCalls}, {Marker: callID}},
		}),
	}
}

func newParser(open *abi.OpenBlock, kind sdk.Kind) sdk.Parser {
	start := sdk.StartOf(open)
	d, calls := full, kind.Calls() && len(open.Tools) > 0
	if !kind.Thoughts() {
		start = abi.ChannelResponse
	}
	if start == abi.ChannelResponse {
		d = tools
	}
	if kind.Calls() && open.Mode != abi.ModeNative {
		started := *open
		started.Start = start
		return guided.New(d.guided, &started, kind.Native(newParser))
	}
	g := d.noCalls
	if calls {
		g = d.calls
	}
	p := &parser{start: start, tools: open.Tools, array: arrays.Block(open)}
	p.prose.Trial = opening.Trial(open, kind, newParser)
	p.prose.Start(g, start == abi.ChannelReasoning)
	return p
}
