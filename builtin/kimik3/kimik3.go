package kimik3

import (
	_ "embed"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/opening"
	"github.com/turnkey-parsers/turnkey/builtin/internal/structag"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/guided"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
)

//go:embed manifest.json
var manifest string

// Module is the family's parser module.
var Module = sdk.Module{Manifest: manifest, New: sdk.Family("kimi_k3", newParser), Constraint: constraint.Build}

// grammar is what a channel's prose is read with.
type grammar struct {
	*prose.Grammar
	kinds []mark // of the markers that prose.Machine returns
}

func newGrammar(think bool, strip, calls []mark) *grammar {
	m := prose.Markers{Strip: markTexts(strip...)}
	if think {
		m.Think, m.EndThink = markTexts(openThink), markTexts(closeThink)
	}
	var kinds []mark
	m.Calls, kinds = spellingsOf(calls...)
	return &grammar{prose.Compile(m), kinds}
}

// dialect is what a session reads: the grammar outside the response, with the
// thoughts, and the one inside it, where markers of thoughts are text.
type dialect struct{ idle, response *grammar }

var (
	// Stray markers of calls, taken out where calls are read.
	strays = []mark{closeTools, closeCall, closeArgument, closeJSON}
	// What begins a call or a part of one.
	calls = []mark{openTools, headCall, headArgument, headJSON}
	// What ends the turn or frames it.
	frame = []mark{closeMessage, endMark, headMessage, bare}
)

func concatMarks(lists ...[]mark) []mark {
	var all []mark
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

var (
	unified = dialect{
		idle:     newGrammar(true, concatMarks(strays, []mark{closeResponse}), concatMarks(calls, frame, []mark{openResponse, headThink})),
		response: newGrammar(false, concatMarks(strays, []mark{openResponse}), concatMarks(calls, frame, []mark{closeResponse})),
	}
	// Without tools nothing is a call.
	noTools = dialect{
		idle:     newGrammar(true, []mark{closeResponse}, concatMarks(frame, []mark{openResponse, headThink})),
		response: newGrammar(false, []mark{openResponse}, concatMarks(frame, []mark{closeResponse})),
	}
	// Calls, where thoughts have been taken out before.
	callsOnly   = flatDialect(concatMarks(strays, []mark{openResponse, closeResponse}), concatMarks(calls, frame))
	nothingOnly = flatDialect([]mark{openResponse, closeResponse}, frame)
	// Thoughts, where another parser reads the calls: what begins one ends the
	// thought, and stays.
	thoughtsOnly = dialect{
		idle: newGrammar(true, []mark{closeResponse, closeMessage, endMark},
			[]mark{openResponse, headThink, headMessage, bare, openTools, headCall}),
		response: newGrammar(false, []mark{openResponse, closeMessage, endMark}, []mark{closeResponse, headMessage, bare}),
	}
)

func flatDialect(strip, calls []mark) dialect {
	g := newGrammar(false, strip, calls)
	return dialect{g, g}
}

// guidedGrammar is the markup of a guided mode.
var guidedGrammar = guided.Compile(guided.Markup{
	Think:    markTexts(openThink),
	EndThink: markTexts(closeThink, headThink, openResponse),
	Strip:    markTexts(closeTools, closeCall, closeArgument, closeJSON, closeResponse, closeMessage, endMark),
	Openers:  markTexts(openTools),
	Headers: []guided.Header{
		{Marker: open + "call", End: separator, Attributes: true}, {Marker: open + " call", End: separator, Attributes: true},
		{Marker: open + "message", End: separator, Attributes: true}, {Marker: open + " message", End: separator, Attributes: true},
	},
})

func newParser(s *abi.OpenBlock, kind sdk.Kind) sdk.Parser {
	start := sdk.StartOf(s)
	hasTools := len(s.Tools) > 0
	p := &parser{start: start, reading: true}
	switch kind {
	case sdk.Unified:
		p.dialect = noTools
		if hasTools {
			p.dialect = unified
		}
	case sdk.Tools, sdk.Batch:
		p.dialect, p.start = nothingOnly, abi.ChannelContent
		if hasTools {
			p.dialect = callsOnly
		}
	case sdk.Reasoning:
		p.dialect, p.reading = thoughtsOnly, false
	}
	if s.Mode != abi.ModeNative && p.reading {
		open := *s
		open.Start = p.start
		return guided.New(guidedGrammar, &open, kind.Native(newParser))
	}
	p.prose.Trial = opening.Trial(s, kind, newParser)
	if p.start == abi.ChannelResponse {
		p.enterChannel(inResponse)
	} else {
		p.enterChannel(idle)
		p.prose.Thought = p.start == abi.ChannelReasoning
	}
	return p
}

var constraint = structag.Channels{
	Think: openThink.String(), EndThink: closeThink.String(),
	Answer: openResponse.String(), EndAnswer: closeResponse.String(),
	Tools: openTools.String(), EndTools: closeTools.String(),
	Call: open + `call tool="$" index="`, Numbered: `"` + separator, EndCall: closeCall.String(),
	Argument: open + `argument key="$" type="%"` + separator, EndArg: closeArgument.String(),
	Object: open + `json type="object"` + separator, EndObject: closeJSON.String(),
	EndMessage: closeMessage.String(), EndTurn: endOfTurn,
}
