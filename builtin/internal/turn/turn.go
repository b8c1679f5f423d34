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
	"slices"
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/opening"
	"github.com/turnkey-parsers/turnkey/builtin/internal/toolblock"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/guided"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// Config says how a family writes its turns.
type Config struct {
	// Think and EndThink are the tags of thoughts; none if empty. Their forms are
	// other spellings: with the line feeds that belong to them, say.
	Think, EndThink           string
	ThinkForms, EndThinkForms []string
	// Once says that Think counts as the first thing of the output only, and the
	// next EndThink then ends all thinking: the tags are ordinary words.
	Once bool
	// PromptOpens says that the prompt opens the thought: where the host does not
	// know the prompt, a session in which reasoning is wanted starts in one.
	PromptOpens bool

	// Strip are markers of calls that mean nothing, Envelope those round an answer.
	Strip, Envelope []string
	// Separator stands between two blocks or functions and belongs to them.
	Separator string

	// Echo says that the model may write a block's body once more behind its closer.
	Echo  bool
	Block toolblock.Config // its Escape is EndThink
}

// Grammar is a Config with its tables. It does not change and may be shared.
type Grammar struct {
	Config
	blocks       *toolblock.Grammar
	thoughts     *scan.Set            // all forms of Think
	openers      *scan.Set            // those of calls that open
	blockOpeners int                  // how many of calls open blocks
	calls        []string             // markers of calls: openers of blocks, then of functions, then closers
	inner        [2]*prose.Grammar    // with Once: in the thought, whose end is a call's marker
	prose        [2][2]*prose.Grammar // by whether thoughts, and whether calls, are read
	guided       [2]*guided.Grammar   // by whether thoughts are read
}

// New builds the tables of c.
func New(c Config) *Grammar {
	c.Block.Escape = c.EndThink
	g := &Grammar{Config: c, blocks: toolblock.NewGrammar(c.Block)}
	g.Block = g.blocks.Config
	g.calls = g.Block.Openers()
	closers := slices.Concat(spellings(g.Block.Close, nil), c.Strip)
	m := guided.Markup{}
	for _, opener := range g.calls {
		m.Openers = append(m.Openers, opener[:g.Block.OpenerLen(opener)])
	}
	m.Strip = slices.Concat(closers, c.Envelope)
	g.blockOpeners = len(g.calls)
	if x := g.Block.XML; x != nil {
		g.calls = append(g.calls, x.Function)
		if g.blockOpeners == 0 {
			closers = append(closers, spellings(x.FunctionClose, nil)...)
		}
		m.Strip = append(m.Strip, spellings(x.FunctionClose, nil)...)
		m.Headers = []guided.Header{{
			Marker: x.Function, End: strings.TrimRight(x.NameEnd, "{["),
			Attributes: strings.Contains(x.Function, " "), // it is a tag's attribute
		}}
		if !x.JSON {
			m.Strip = append(m.Strip, x.ParameterClose)
		}
	}
	g.openers = scan.NewSet(g.calls...)
	g.calls = append(g.calls, closers...)
	think, endThink := spellings(c.Think, c.ThinkForms), spellings(c.EndThink, c.EndThinkForms)
	g.thoughts = scan.NewSet(think...)
	g.inner[0] = prose.Compile(prose.Markers{Strip: c.Envelope, Calls: endThink})
	g.inner[1] = prose.Compile(prose.Markers{Strip: c.Envelope, Calls: append(g.calls[:len(g.calls):len(g.calls)], endThink...)})
	for thoughts := range g.prose {
		var tags prose.Markers
		if thoughts == 1 {
			tags = prose.Markers{Think: think, EndThink: endThink}
		}
		m.Think, m.EndThink = tags.Think, tags.EndThink
		g.guided[thoughts] = guided.Compile(m)
		tags.Strip = c.Envelope
		g.prose[thoughts][0] = prose.Compile(tags)
		tags.Calls = g.calls
		g.prose[thoughts][1] = prose.Compile(tags)
	}
	return g
}

// spellings are all spellings of a marker; none if there is no such marker.
func spellings(marker string, others []string) []string {
	if marker == "" {
		return nil
	}
	return append([]string{marker}, others...)
}

// Parser makes a parser of that kind.
func (g *Grammar) Parser(s *abi.OpenBlock, kind sdk.Kind) sdk.Parser {
	o := opening.For(s, kind, g.startChannel(s))
	if guided := o.Guided(&g.guided, kind.Native(g.Parser)); guided != nil {
		return guided
	}
	p := &parser{StartChannel: o.StartChannel, g: g, tools: s.Tools, block: g.blocks.Block(s), calls: o.Calls}
	p.prose.Trial = opening.Trial(s, kind, g.Parser)
	switch {
	case !g.Once || o.Thoughts == 0:
		p.prose.Start(g.prose[o.Thoughts][o.Calls], o.InThought())
	case o.InThought():
		p.prose.Start(g.inner[o.Calls], true)
	default:
		p.in = atStart
	}
	return p
}

// startChannel is the channel that a session starts in.
func (g *Grammar) startChannel(s *abi.OpenBlock) abi.Channel {
	if s.Start == abi.ChannelUnknown && g.PromptOpens && s.Flags&abi.OpenReasoning != 0 {
		return abi.ChannelReasoning
	}
	return sdk.StartOf(s)
}

var _ sdk.Channeler = (*parser)(nil)

// parser reads one session in native mode.
type parser struct {
	opening.StartChannel
	g     *Grammar
	tools []string
	calls int // whether calls are read
	prose prose.Machine
	block toolblock.Block
	echo  echo
	in    turnState

	refused int // openers in prose whose closers have not come
}

// turnState is where in the turn the parser stands.
type turnState uint8

const (
	inProse  turnState = iota
	inBlock            // in a block or in a function without one
	atMarker           // at a function's marker that stands in prose
	between            // behind a block, where a separator may stand
	atEcho             // behind a block, where its body may stand once more
	atStart            // where a thought may begin that only the start can have
)

// InString implements prose.Stringer.
func (p *parser) InString() bool { return p.in == inBlock && p.block.InString() }

// Step implements sdk.Parser.
func (p *parser) Step(w *sdk.Window) {
	for p.readPart(w) {
	}
}

// readPart goes on as far as one part of the turn goes. It answers false when more
// input is needed.
func (p *parser) readPart(w *sdk.Window) bool {
	switch p.in {
	case inBlock:
		p.echo.keep(w)
		if !p.block.Step(w) {
			return false
		}
		p.in = inProse
		if n := p.block.Refused(); n > 0 {
			p.refused++
			p.emitProse(w, n)
			return true
		}
		p.refused = 0
		switch {
		case p.g.Separator != "":
			p.in = between
		case p.g.Echo:
			p.echo.end(w, p.g.Block.Close)
			p.in = atEcho
		}
		return true
	case atMarker:
		return p.readFunctionMarker(w)
	case between:
		return p.skipSeparator(w)
	case atEcho:
		if p.echo.skip(w) {
			p.in = inProse
			return true
		}
		return false
	case atStart:
		return p.readLeadingThought(w)
	}
	id, ok := p.prose.Next(w)
	switch blocks := p.g.blockOpeners; {
	case !ok:
		return false
	case p.calls == 0 || id >= len(p.g.calls): // the end of the one thought
		w.Skip(len(p.g.inner[p.calls].Call(id)))
		p.prose.Start(p.g.prose[0][p.calls], false)
	case id < blocks:
		if p.g.Echo {
			p.echo.start(w, p.g.Block.OpenerLen(p.g.calls[id]))
		}
		p.block.Enter(p.prose.Thought, p.g.Block.OpenerLen(p.g.calls[id]))
		p.in = inBlock
	case id >= p.g.openers.Count():
		p.readCloser(w, len(p.g.calls[id]))
	default:
		p.in = atMarker
	}
	return true
}

// readFunctionMarker looks at a function's header in prose. It begins a call if functions
// stand by themselves, and else, as one whose block's opener was lost, if it names
// a tool that was offered. Any other is prose.
func (p *parser) readFunctionMarker(w *sdk.Window) bool {
	marker := len(p.g.Block.XML.Function)
	switch v := p.namesTool(w.Bytes()[marker:], w.Final); {
	case v == scan.Yes:
		p.block.EnterFunction(p.prose.Thought)
		p.in = inBlock
		return true
	case v == scan.Wait:
		return false
	}
	p.emitProse(w, marker)
	p.in = inProse
	return true
}

func (p *parser) namesTool(b []byte, final bool) scan.Verdict {
	v := p.g.blocks.NamesTool(b, p.tools, final)
	if v == scan.No && p.g.blockOpeners == 0 {
		v = p.g.blocks.StartsWithHeader(b, final)
	}
	return v
}

// readCloser takes a stray closer out, of n bytes. Behind an opener that was prose
// it is prose, too.
func (p *parser) readCloser(w *sdk.Window, n int) {
	if p.refused == 0 {
		w.Skip(n)
		return
	}
	p.refused--
	p.emitProse(w, n)
}

// emitProse consumes n bytes in the channel that is open.
func (p *parser) emitProse(w *sdk.Window, n int) {
	if p.prose.Thought {
		w.Reasoning(n)
	} else {
		w.Text(n)
	}
}

// skipSeparator skips what stands between two blocks. If no block follows it is
// prose.
func (p *parser) skipSeparator(w *sdk.Window) bool {
	separator := p.g.Separator
	next := scan.Prefix(w.Bytes(), separator, w.Final)
	if next == scan.Yes {
		_, next = p.g.openers.MatchPrefix(w.Bytes()[len(separator):], w.Final)
	}
	switch next {
	case scan.Wait:
		return false
	case scan.Yes:
		w.Skip(len(separator))
	}
	p.in = inProse
	return true
}

// maxLead is the most white space before a thought that only the start can have.
const maxLead = 1024

// readLeadingThought looks for a thought at the start of the output, which takes the white
// space before it along.
func (p *parser) readLeadingThought(w *sdk.Window) bool {
	b := w.Bytes()
	n := scan.LeadingSpace(b[:min(len(b), maxLead)])
	id, v := p.g.thoughts.MatchPrefix(b[n:], w.Final)
	switch {
	case n == maxLead:
		p.prose.Start(p.g.prose[0][p.calls], false)
	case v == scan.Wait:
		return false
	case v == scan.Yes:
		w.Skip(n + p.g.thoughts.Len(id))
		p.prose.Start(p.g.inner[p.calls], true)
	default:
		p.prose.Start(p.g.prose[0][p.calls], false)
	}
	p.in = inProse
	return true
}
