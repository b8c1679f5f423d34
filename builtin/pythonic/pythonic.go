package pythonic

import (
	_ "embed"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/opening"
	"github.com/turnkey-parsers/turnkey/builtin/internal/pycall"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/guided"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

//go:embed manifest.json
var described string

// Module is the family's parser module.
var Module = sdk.Module{Manifest: described, New: sdk.Family("pythonic", newParser)}

const (
	start = "<|python_start|>"
	end   = "<|python_end|>"
)

var (
	calls   = prose.Compile(prose.Markers{Calls: []string{start, "["}, Strip: []string{end}})
	nothing = prose.Compile(prose.Markers{})
	bare    = guided.Compile(guided.Markup{Strip: []string{end}, Openers: []string{start}})
)

// isStart is the start marker's place in Calls.
const isStart = 0

func newParser(open *abi.OpenBlock, kind sdk.Kind) sdk.Parser {
	if kind == sdk.Reasoning {
		return nil
	}
	if open.Mode != abi.ModeNative {
		started := *open
		started.Start = abi.ChannelResponse
		return guided.New(bare, &started, kind.Native(newParser))
	}
	p := &parser{}
	g := calls
	if len(open.Tools) == 0 {
		g = nothing
	}
	p.prose.Trial = opening.Trial(open, kind, newParser)
	p.prose.Start(g, false)
	return p
}

type state uint8

const (
	inProse state = iota
	started       // behind the start marker
	inList
	ended // behind a list
)

// parser reads one session in native mode.
type parser struct {
	prose prose.Machine
	list  pycall.Reader
	state state
}

// Channel implements sdk.Channeler: there is no other channel.
func (p *parser) Channel() abi.Channel { return abi.ChannelResponse }

// Step implements sdk.Parser.
func (p *parser) Step(w *sdk.Window) {
	for p.readPart(w) {
	}
}

// readPart goes on to the next state. It answers false when it needs more input.
func (p *parser) readPart(w *sdk.Window) bool {
	switch p.state {
	case started:
		return p.readStart(w)
	case inList:
		return p.readList(w)
	case ended:
		return p.readAfterList(w)
	}
	id, ok := p.prose.Next(w)
	switch {
	case !ok:
		return false
	case id == isStart:
		w.Skip(len(start))
		p.state = started
	default:
		p.startList(w, 0)
	}
	return true
}

// InString implements prose.Stringer.
func (p *parser) InString() bool { return p.state == inList && p.list.InString() }

func (p *parser) startList(w *sdk.Window, lead int) {
	p.list.Start(w, pycall.Form{}, lead)
	p.state = inList
}

// readStart looks for the list behind its marker. What else stands there is prose.
func (p *parser) readStart(w *sdk.Window) bool {
	b := w.Bytes()
	switch n := scan.LeadingSpace(b); {
	case n == len(b) && !w.Final && n <= maxSpace:
		return false
	case n < len(b) && n <= maxSpace && b[n] == '[':
		p.startList(w, n)
	default:
		p.state = inProse
	}
	return true
}

// readList reads what a bracket opened. What is no list is prose, up to the byte
// that no list has.
func (p *parser) readList(w *sdk.Window) bool {
	switch v := p.list.Next(w); {
	case v == scan.Yes:
		p.state = ended
		return true
	case v == scan.Wait && !w.Final:
		return false
	case v == scan.Wait && p.list.HasCall():
		p.list.EndText(w)
		return false
	}
	w.Text(w.Scanned)
	p.state = inProse
	return true
}

// maxSpace is how much white space is held to see whether a marker follows.
const maxSpace = 1024

// readAfterList looks for the end marker behind a list: the white space before it goes
// with it.
func (p *parser) readAfterList(w *sdk.Window) bool {
	b := w.Bytes()
	n := scan.LeadingSpace(b)
	switch v := scan.Prefix(b[n:], end, w.Final); {
	case v == scan.Wait && n <= maxSpace:
		return false
	case v == scan.Yes && n <= maxSpace:
		w.Skip(n + len(end))
	}
	p.state = inProse
	return true
}
