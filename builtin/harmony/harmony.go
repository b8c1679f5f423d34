package harmony

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/harmonymsg"
	"github.com/turnkey-parsers/turnkey/builtin/internal/jsonbody"
	"github.com/turnkey-parsers/turnkey/builtin/internal/opening"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/guided"
)

//go:embed manifest.json
var manifest string

// Module is the family's parser module.
var Module = sdk.Module{Manifest: manifest, New: sdk.Family("harmony", newParser)}

const functions = "functions."

var (
	// arguments ends like any message: its closers come first, in the order of
	// harmonymsg.Enders.
	arguments = jsonbody.Compile(jsonbody.Markers{
		Close: []string{harmonymsg.End, harmonymsg.Call, harmonymsg.Return},
		Break: []string{harmonymsg.Start, harmonymsg.Channel},
	})

	guidedGrammar = guided.Compile(guided.Markup{
		Think:    []string{harmonymsg.AnalysisHeader},
		EndThink: []string{harmonymsg.End},
		Strip: []string{
			harmonymsg.FinalHeader, harmonymsg.Channel + "commentary" + harmonymsg.Message,
			"<|constrain|>json", harmonymsg.Message, harmonymsg.Call, harmonymsg.Return, harmonymsg.Start, harmonymsg.Channel, harmonymsg.Constrain, // also of half a header
		},
		Frames:  []string{"<|start|>assistant"},
		Headers: []guided.Header{{Marker: "<|channel|>commentary to=functions."}, {Marker: "<|channel|>analysis to=functions."}},
	})
)

type parser struct {
	turn   harmonymsg.Turn
	body   jsonbody.Body
	inCall bool
	start  abi.Channel
	tools  []string
	calls  bool // messages to functions are calls
	think  bool // analysis is reasoning
}

func newParser(s *abi.OpenBlock, kind sdk.Kind) sdk.Parser {
	p := &parser{tools: s.Tools, calls: kind.Calls() && len(s.Tools) > 0, think: kind != sdk.Tools, start: sdk.StartOf(s)}
	if s.Mode != abi.ModeNative {
		return guided.New(guidedGrammar, s, kind.Native(newParser))
	}
	p.turn.Trial = opening.Trial(s, kind, newParser)
	switch p.start {
	case abi.ChannelReasoning:
		p.turn.EnterBody(p.think)
	case abi.ChannelResponse:
		p.turn.EnterBody(false)
	}
	return p
}

// Channel implements sdk.Channeler.
func (p *parser) Channel() abi.Channel { return p.start }

// Step implements sdk.Parser.
func (p *parser) Step(w *sdk.Window) {
	for p.readPart(w) {
	}
}

// readPart says whether it can go on with what the window holds.
func (p *parser) readPart(w *sdk.Window) bool {
	if p.inCall {
		ender, done := p.body.Next(w)
		if !done {
			return false
		}
		p.inCall = false
		if ender == jsonbody.NoEnder {
			return false
		}
		p.turn.MessageEnded(ender)
		return true
	}
	h, ok := p.turn.NextHeader(w)
	if ok {
		p.enterMessage(w, h)
	}
	return ok
}

// enterMessage does what a header asks.
func (p *parser) enterMessage(w *sdk.Window, h harmonymsg.Header) {
	b := w.Bytes()
	role, to := h.Role.Bytes(b), h.Recipient.Bytes(b)
	name, function := strings.CutPrefix(to, functions)
	switch {
	case role != "" && role != "assistant":
		p.turn.EnterIgnored(w, h)
	case to != "" && (function || slices.Contains(p.tools, to)) && name != "":
		if !p.calls {
			p.turn.EnterLiteral(w, h)
			return
		}
		w.Call(h.Recipient.At+len(to)-len(name), len(name), 0)
		w.Skip(h.Len)
		p.body.Start(arguments, false)
		p.inCall = true
	default:
		p.turn.EnterMessage(w, h, p.think && h.Channel.Bytes(b) == "analysis")
	}
}
