// Package turn reads the turns of families whose thoughts stand between think
// tags and whose calls stand between block tags:
//
//	turn    = { text | thought | block | function } ;
//	thought = THINK { text | block | function } ( ENDTHINK | EOF ) ;
//
// A call inside a thought is a call, and the thought goes on behind it. Stray
// closers, and an opener inside a thought, are taken out. See toolblock for
// blocks, prose for quotations.
package turn

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/toolblock"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/guided"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
)

// Kind says what a parser reads. What it does not read stays as the model wrote
// it.
type Kind uint8

const (
	Unified   Kind = iota // thoughts and calls
	Tools                 // calls
	Reasoning             // thoughts
)

// Config says how a family writes its turns.
type Config struct {
	Think, EndThink string
	Block           toolblock.Config // its Escape is EndThink
}

// Grammar is a Config with its tables. It does not change and may be shared.
type Grammar struct {
	Config
	blocks *toolblock.Grammar
	prose  [2][2]*prose.Grammar // by whether thoughts, and whether calls, are read
	guided [2]*guided.Grammar   // by whether thoughts are read
}

// New builds the tables of c.
func New(c Config) *Grammar {
	c.Block.Escape = c.EndThink
	g := &Grammar{Config: c, blocks: toolblock.NewGrammar(c.Block)}
	for thoughts := range g.prose {
		var think, endThink []string
		if thoughts == 1 {
			think, endThink = []string{c.Think}, []string{c.EndThink}
		}
		strip, calls := []string{c.Block.Close}, []string{c.Block.Open}
		m := guided.Markup{Think: think, EndThink: endThink, Strip: append(calls, strip...)}
		if x := c.Block.XML; x != nil {
			calls = append(calls, x.Function)
			m.Strip = append(m.Strip, x.FunctionClose, x.ParameterClose)
			m.Headers = []guided.Header{{Marker: x.Function, End: ">"}}
			m.Bodies = []guided.Body{{Open: x.Parameter, Close: x.ParameterClose}}
		}
		g.prose[thoughts][0] = prose.Compile(prose.Markers{Think: think, EndThink: endThink})
		g.prose[thoughts][1] = prose.Compile(prose.Markers{Think: think, EndThink: endThink, Strip: strip, Calls: calls})
		g.guided[thoughts] = guided.Compile(m)
	}
	return g
}

// Parser makes a parser of that kind. Where the request offers no tools nothing
// is a call. Where the prompt left the visible channel open (response), think
// tags are text.
func (g *Grammar) Parser(s *abi.Session, kind Kind) sdk.Parser {
	start := g.start(s)
	thoughts, calls := 0, 0
	if kind != Tools && start != abi.ChannelResponse {
		thoughts = 1
	}
	if kind == Tools {
		start = abi.ChannelContent
	}
	if kind != Reasoning && s.Mode != abi.ModeNative {
		open := *s
		open.Start = start
		return bare{guided.New(g.guided[thoughts], &open), channel(start)}
	}
	if kind != Reasoning && len(s.Tools) > 0 {
		calls = 1
	}
	p := &parser{channel: channel(start), g: g, tools: s.Tools, block: g.blocks.Block()}
	p.prose.Start(g.prose[thoughts][calls], start == abi.ChannelReasoning)
	return p
}

// channel is the channel that was open at the start.
type channel abi.Channel

// Channel implements sdk.Channeler.
func (c channel) Channel() abi.Channel { return abi.Channel(c) }

// bare is the parser of a guided mode.
type bare struct {
	sdk.Parser
	channel
}

// start is the channel that the prompt left open.
func (g *Grammar) start(s *abi.Session) abi.Channel {
	if s.Start != abi.ChannelUnknown {
		return s.Start
	}
	if bytes.HasSuffix(bytes.TrimSpace([]byte(s.PromptTail)), []byte(g.Think)) {
		return abi.ChannelReasoning
	}
	return abi.ChannelContent
}

// parser reads one session in native mode.
type parser struct {
	channel
	g     *Grammar
	tools []string
	prose prose.Machine
	block toolblock.Block
	in    part
}

// part is where in the turn the parser stands.
type part uint8

const (
	inProse  part = iota
	inBlock       // in a block or in a function without one
	atMarker      // at a function's marker that stands in prose
)

// The places of the markers in prose.Markers.Calls.
const (
	callBlock = iota
	callFunction
)

// Step implements sdk.Parser.
func (p *parser) Step(w *sdk.Window) {
	for p.step(w) {
	}
}

// step goes on as far as one part of the turn goes. It answers false when more
// input is needed.
func (p *parser) step(w *sdk.Window) bool {
	switch p.in {
	case inBlock:
		if !p.block.Step(w) {
			return false
		}
		p.in = inProse
	case atMarker:
		return p.function(w)
	}
	id, ok := p.prose.Next(w)
	switch {
	case !ok:
		return false
	case id == callBlock:
		w.Skip(len(p.g.Block.Open))
		p.block.Enter(p.prose.Thought)
		p.in = inBlock
	default:
		p.in = atMarker
	}
	return true
}

// function looks at a function's header in prose. It begins a call, whose
// block's opener was lost, if it names a tool that was offered; else it is prose.
func (p *parser) function(w *sdk.Window) bool {
	marker := len(p.g.Block.XML.Function)
	name := w.Bytes()[marker:]
	for _, tool := range p.tools {
		switch n := min(len(name), len(tool)); {
		case string(name[:n]) != tool[:n]:
		case len(name) > n && name[n] == '>':
			w.Skip(marker)
			p.block.EnterFunction(p.prose.Thought)
			p.in = inBlock
			return true
		case len(name) <= n && w.Final: // cut: the beginning of a call
			w.Skip(w.Len())
			return false
		case len(name) <= n:
			return false
		}
	}
	if p.prose.Thought {
		w.Reasoning(marker)
	} else {
		w.Text(marker)
	}
	p.in = inProse
	return true
}
