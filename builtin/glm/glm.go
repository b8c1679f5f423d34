package glm

import (
	_ "embed"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/jsonbody"
	"github.com/turnkey-parsers/turnkey/builtin/internal/opening"
	"github.com/turnkey-parsers/turnkey/builtin/internal/param"
	"github.com/turnkey-parsers/turnkey/builtin/internal/structag"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/guided"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

//go:embed manifest.json
var described string

// Module is the family's parser module.
var Module = sdk.Module{Manifest: described, New: sdk.Family("glm", newParser), Constraint: constraint.Build}

const (
	think      = "<think>"
	endThink   = "</think>"
	callOpen   = "<tool_call>"
	callClose  = "</tool_call>"
	keyOpen    = "<arg_key>"
	keyClose   = "</arg_key>"
	valueOpen  = "<arg_value>"
	valueClose = "</arg_value>"
)

// tags may stand in a call outside its values.
var tags = scan.NewSet(callOpen, callClose, keyOpen, keyClose, valueOpen, valueClose, endThink)

// The tags' places in their set.
const (
	isCallOpen = iota
	isCallClose
	isKeyOpen
	isKeyClose
	isValueOpen
	isValueClose
	isEndThink
)

// inside are the markers that matter in a value.
var inside = scan.NewSet(valueClose, callClose, callOpen, keyOpen, endThink)

const (
	insideValueClose = iota
	insideCallClose
	insideCallOpen
	insideKeyOpen
)

var strays = []string{callClose, keyOpen, keyClose, valueOpen, valueClose}

// bodies are arguments that a model writes as a JSON object, by whether the call
// stands in a thought.
var bodies = [2]*jsonbody.Grammar{
	jsonbody.Compile(jsonbody.Markers{Close: []string{callClose}, Break: []string{callOpen}}),
	jsonbody.Compile(jsonbody.Markers{Close: []string{callClose}, Break: []string{callOpen, endThink}}),
}

var thinking = prose.Markers{Think: []string{think}, EndThink: []string{endThink}}

// Prose in which nothing is a call, with thoughts and without.
var (
	thoughts = prose.Compile(thinking)
	nothing  = prose.Compile(prose.Markers{})
)

// maxBare is how many tools may be recognised without the opener before them.
const maxBare = 100

// proseGrammar is the prose of a session with these tools: a call's opener, or the name
// of a tool with the first key's opener behind it, begins a call.
func proseGrammar(tools []string, literal bool) *prose.Grammar {
	m := thinking
	if literal {
		m = prose.Markers{}
	}
	m.Calls = append([]string{callOpen}, strays...)
	if len(tools) > maxBare {
		tools = nil
	}
	for _, name := range tools {
		if name != "" && !scan.IsSpace(name[0]) {
			m.Calls = append(m.Calls, name+keyOpen, name+"\n"+keyOpen)
		}
	}
	return prose.Compile(m)
}

var guidedGrammar, guidedTools = guidedFor(thinking), guidedFor(prose.Markers{})

func guidedFor(m prose.Markers) *guided.Grammar {
	return guided.Compile(guided.Markup{
		Think: m.Think, EndThink: m.EndThink,
		Strip:   strays,
		Headers: []guided.Header{{Marker: callOpen}},
	})
}

var constraint = structag.Calls{
	Trigger:  callOpen,
	Begin:    callOpen + "$",
	End:      callClose,
	Style:    "glm_xml",
	EndThink: endThink,
	Banned:   []string{callOpen, callClose, keyOpen, keyClose, valueOpen, valueClose},
}

func newParser(s *abi.OpenBlock, kind sdk.Kind) sdk.Parser {
	p := &parser{start: sdk.StartOf(s), tools: s.Tools, keys: param.In(s)}
	read, g := kind.Calls(), guidedGrammar
	if !kind.Thoughts() {
		p.start, g = abi.ChannelContent, guidedTools
	}
	literal := p.start == abi.ChannelResponse || g == guidedTools
	switch {
	case read && s.Mode != abi.ModeNative:
		open := *s
		open.Start = p.start
		return guided.New(g, &open, kind.Native(newParser))
	case read && len(s.Tools) > 0:
		p.grammar = proseGrammar(s.Tools, literal)
	case literal:
		p.grammar = nothing
	default:
		p.grammar = thoughts
	}
	p.prose.Trial = opening.Trial(s, kind, newParser)
	p.prose.Start(p.grammar, p.start == abi.ChannelReasoning)
	return p
}
