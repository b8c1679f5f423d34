package dsml

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/opening"
	"github.com/turnkey-parsers/turnkey/builtin/internal/param"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// Parser makes a parser of that kind.
func (g *Grammar) Parser(s *abi.OpenBlock, kind sdk.Kind) sdk.Parser {
	o := opening.For(s, kind, sdk.StartOf(s))
	if guided := o.Guided(&g.guided, kind.Native(g.Parser)); guided != nil {
		return guided
	}
	p := &parser{StartChannel: o.StartChannel, g: g}
	p.prose.Trial = opening.Trial(s, kind, g.Parser)
	p.prose.Start(g.prose[o.Thoughts][o.Calls], o.InThought())
	if o.Calls == 1 {
		p.block.g, p.block.tools, p.block.keys, p.block.prose = g, s.Tools, param.In(s), &p.prose
		if g.Section != nil {
			p.section = g.Section.New(s, &p.prose)
		}
	}
	return p
}

var _ sdk.Channeler = (*parser)(nil)

// parser reads one session in native mode.
type parser struct {
	opening.StartChannel
	g             *Grammar
	prose         prose.Machine
	block         block
	section       Reader
	in            Reader // what is being read; nil in prose
	bare          bool   // it is a call without a block round it
	afterBareCall bool   // such a call is over
}

// maxHeldSpace is how much white space is held to learn what stands behind it.
const maxHeldSpace = 1024

// Step implements sdk.Parser.
func (p *parser) Step(w *sdk.Window) {
	for p.readPart(w) {
	}
}

// readPart goes on as far as one part of the turn goes. It answers false when more
// input is needed.
func (p *parser) readPart(w *sdk.Window) bool {
	if p.in != nil {
		if !p.in.Step(w) {
			return false
		}
		p.in, p.afterBareCall = nil, p.bare && !p.prose.Thought && !p.prose.GaveBack()
	}
	if p.afterBareCall && !p.skipSpaceAfterCall(w) {
		return false
	}
	id, ok := p.prose.Next(w)
	if ok {
		p.enterMarker(w, id)
	}
	return ok
}

// skipSpaceAfterCall looks behind a call that has lost its block: white space before another
// one, or before the block's closer, is structure.
func (p *parser) skipSpaceAfterCall(w *sdk.Window) bool {
	b := w.Bytes()
	n := scan.LeadingSpace(b)
	if n < maxHeldSpace {
		switch _, v := p.g.glue.MatchPrefix(b[n:], w.Final); v {
		case scan.Wait:
			return false
		case scan.Yes:
			w.Skip(n)
		}
	}
	p.afterBareCall = false
	return true
}

// enterMarker begins to read behind the marker that the window begins with.
func (p *parser) enterMarker(w *sdk.Window, id int) {
	n := len(p.g.prose[1][1].Call(id))
	if p.prose.Thought && (id == callFramedBlock || id == callFramedOther || id == callFramedInvoke) {
		w.Reasoning(len(separator))
		n -= len(separator)
	}
	w.Scanned = 0
	if id < ownCalls {
		p.block.marker = n
		p.in, p.bare = &p.block, id >= callFramedInvoke
	} else {
		id -= ownCalls
		p.in, p.bare = p.section, p.g.Section.Bare[id]
	}
	p.in.Enter(id, p.prose.Thought)
}
