package gemma4

import (
	_ "embed"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/opening"
	"github.com/turnkey-parsers/turnkey/builtin/internal/structag"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/guided"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

//go:embed manifest.json
var described string

// Module is the family's parser module.
var Module = sdk.Module{Manifest: described, New: sdk.Family("gemma4", newParser), Constraint: frame.Build}

const (
	openThought  = "<|channel>"
	closeThought = "<channel|>"
	label        = "thought\n"
	openCall     = "<|tool_call>"
	closeCall    = "<tool_call|>"
	response     = "<|tool_response>"
	callWord     = "call:"
	delimiter    = `<|"|>`
)

// Places of what interrupts prose.
const (
	proseCall = iota
	proseBare
)

// Places in marks.
const (
	isDelimiter = iota
	isOpenCall
	isCloseThought
)

// dialect is the set of markers that a session reads.
type dialect struct {
	prose  *prose.Grammar
	guided *guided.Grammar
	// marks are the delimiter and the markers that end a body outside strings.
	marks *scan.Set
	// braces are the same and "{" and "}".
	braces *scan.Set
}

var (
	full     = newDialect([]string{openThought + label, openThought}, []string{closeThought}) // thoughts and calls
	tools    = newDialect(nil, nil)                                                           // calls
	thoughts = prose.Compile(prose.Markers{Think: []string{openThought + label, openThought}, EndThink: []string{closeThought}})
	nothing  = prose.Compile(prose.Markers{})
)

func newDialect(think, endThink []string) dialect {
	strip := []string{closeCall, response, delimiter}
	marks := append([]string{delimiter, openCall}, endThink...)
	if len(think) > 0 {
		marks = append(marks, openThought)
	}
	marks = append(marks, closeCall, response)
	set := scan.NewSet(marks...)
	return dialect{
		prose: prose.Compile(prose.Markers{Think: think, EndThink: endThink, Calls: []string{openCall, callWord}, Strip: strip}),
		guided: guided.Compile(guided.Markup{
			Think: think, EndThink: endThink, Strip: strip, Openers: []string{openCall},
			Asked: []string{callWord}, Ask: func() guided.Ask { return newAsk(set) },
		}),
		marks:  set,
		braces: scan.NewSet(append(marks[:len(marks):len(marks)], "{", "}")...),
	}
}

// frame is all that a grammar can ask of the calls: their arguments are no JSON.
var frame = structag.Calls{
	Trigger:  openCall + callWord,
	Begin:    openCall + callWord + "${",
	End:      "}" + closeCall,
	Style:    structag.AnyText,
	EndThink: closeThought,
	Banned:   []string{openCall},
}

func newParser(s *abi.OpenBlock, kind sdk.Kind) sdk.Parser {
	start, rest := sdk.StartOf(s), labelToCome(s)
	var d dialect
	switch kind {
	case sdk.Unified:
		d = full
	case sdk.Tools, sdk.Batch:
		d, start, rest = tools, abi.ChannelResponse, ""
	case sdk.Reasoning:
		d.prose = thoughts
	}
	p := &parser{start: start, rest: rest, tools: s.Tools}
	if d.guided != nil && s.Mode != abi.ModeNative {
		started := *s
		started.Start = start
		p.guided = guided.New(d.guided, &started, kind.Native(newParser))
		return p
	}
	literal := start == abi.ChannelResponse
	switch {
	case len(s.Tools) > 0 && d.guided != nil && literal:
		d = tools
	case len(s.Tools) > 0 && d.guided != nil:
	case literal:
		d.prose = nothing
	default:
		d.prose = thoughts
	}
	p.dialect = d
	p.prose.Trial = opening.Trial(s, kind, newParser)
	p.prose.Start(d.prose, start == abi.ChannelReasoning)
	return p
}
