package kimik2

import (
	_ "embed"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/jsonbody"
	"github.com/turnkey-parsers/turnkey/builtin/internal/opening"
	"github.com/turnkey-parsers/turnkey/builtin/internal/structag"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/guided"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

//go:embed manifest.json
var manifest string

// Module is the family's parser module.
var Module = sdk.Module{Manifest: manifest, New: sdk.Family("kimi_k2", newParser), Constraint: constraint.Build}

const (
	think         = "<think>"
	endThink      = "</think>"
	sectionBegin  = "<|tool_calls_section_begin|>"
	sectionBegin1 = "<|tool_call_section_begin|>"
	sectionEnd    = "<|tool_calls_section_end|>"
	sectionEnd1   = "<|tool_call_section_end|>"
	callBegin     = "<|tool_call_begin|>"
	argBegin      = "<|tool_call_argument_begin|>"
	callEnd       = "<|tool_call_end|>"
)

// Markers in calls, in the order of structure's list.
const (
	isCallBegin = iota
	isCallEnd
	isArgBegin
	isSectionEnd
	isSectionEnd1
	isSectionBegin
	isSectionBegin1
	isEndThink
	isThink
)

// dialect is the set of markers that a session reads.
type dialect struct {
	prose  *prose.Grammar
	guided *guided.Grammar
	// structure finds what ends a stretch of a call.
	structure *scan.Set
	// inThought is what ends a call's arguments in a thought.
	inThought *jsonbody.Grammar
}

var (
	full     = newDialect([]string{think}, []string{endThink}) // thoughts and calls
	tools    = newDialect(nil, nil)                            // calls
	thoughts = prose.Compile(prose.Markers{Think: []string{think}, EndThink: []string{endThink}})
	nothing  = prose.Compile(prose.Markers{})

	// inText is what ends a call's arguments.
	inText = jsonbody.Compile(bodyEnds)
)

var bodyEnds = jsonbody.Markers{
	Close:           []string{callEnd},
	Break:           []string{callBegin},
	BreakAfterValue: []string{sectionEnd, sectionEnd1},
}

// thoughtEnds are the same in a thought, whose closer ends a call too.
func thoughtEnds(endThink []string) jsonbody.Markers {
	m := bodyEnds
	m.Break = append(m.Break[:1:1], endThink...)
	return m
}

func newDialect(think, endThink []string) dialect {
	structure := []string{callBegin, callEnd, argBegin, sectionEnd, sectionEnd1, sectionBegin, sectionBegin1}
	structure = append(append(structure, endThink...), think...)
	return dialect{
		prose: prose.Compile(prose.Markers{
			Think: think, EndThink: endThink,
			Calls: []string{callBegin, sectionBegin, sectionBegin1},
			Strip: []string{argBegin, callEnd, sectionEnd, sectionEnd1},
		}),
		guided: guided.Compile(guided.Markup{
			Think: think, EndThink: endThink,
			Strip:   []string{sectionEnd, sectionEnd1, callEnd, argBegin},
			Openers: []string{sectionBegin, sectionBegin1},
			Headers: []guided.Header{{Marker: callBegin}},
		}),
		structure: scan.NewSet(structure...),
		inThought: jsonbody.Compile(thoughtEnds(endThink)),
	}
}

var constraint = structag.Section{
	Open: sectionBegin, Close: sectionEnd,
	Begin: callBegin + "functions.$:", Numbered: true, Middle: argBegin, End: callEnd,
	EndThink:  endThink,
	Banned:    []string{sectionEnd, callBegin, argBegin, callEnd, think, endThink},
	BannedAll: []string{sectionBegin, sectionEnd, callBegin, argBegin, callEnd, think, endThink},
}

func newParser(open *abi.OpenBlock, kind sdk.Kind) sdk.Parser {
	start := sdk.StartOf(open)
	var d dialect
	switch kind {
	case sdk.Unified:
		d = full
	case sdk.Tools, sdk.Batch:
		d, start = tools, abi.ChannelResponse
	case sdk.Reasoning:
		d.prose = thoughts
	}
	if d.guided != nil && open.Mode != abi.ModeNative {
		started := *open
		started.Start = start
		return guided.New(d.guided, &started, kind.Native(newParser))
	}
	literal := start == abi.ChannelResponse
	switch {
	case len(open.Tools) > 0 && d.guided != nil && literal:
		d = tools
	case len(open.Tools) > 0 && d.guided != nil:
	case literal:
		d.prose = nothing
	default:
		d.prose = thoughts
	}
	p := &parser{dialect: d, open: open, start: start}
	p.prose.Trial = opening.Trial(open, kind, newParser)
	p.prose.Start(d.prose, start == abi.ChannelReasoning)
	return p
}
