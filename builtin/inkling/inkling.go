package inkling

import (
	"bytes"
	_ "embed"
	"slices"

	"github.com/turnkey-parsers/turnkey/abi"
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
var Module = sdk.Module{Manifest: described, New: sdk.Family("inkling", newParser)}

const (
	end      = "<|end_message|>"
	sampled  = "<|content_model_end_sampling|>"
	message  = "<|message_model|>"
	thinking = "<|content_thinking|>"
	text     = "<|content_text|>"
	call     = "<|content_invoke_tool_json|>"
	textCall = "<|content_invoke_tool_text|>"
	failed   = "<|content_tool_error|>"
)

// Places in markers: what ends a frame comes first, then what opens one.
const (
	isEnd = iota
	isSampled
	isMessage
	isThinking
	isText
	isCall
)

var (
	markers = scan.NewSet(all...)
	all     = []string{end, sampled, message, thinking, text, call, textCall, failed}
	body    = prose.Compile(prose.Markers{Calls: all})
	blocks  = toolblock.NewGrammar(toolblock.Config{
		Open: call, Close: end, Breaks: []string{sampled, message, thinking, text, textCall, failed},
		JSON: true, Members: toolblock.Members{Arguments: []string{"args"}},
	})
	guidedGrammar = guided.Compile(guided.Markup{
		Think: []string{thinking}, EndThink: []string{end, sampled}, Frames: []string{message},
		Strip: []string{text, textCall, failed, end, sampled}, Openers: []string{call},
	})
)

// maxHeader is the longest header in bytes. What is longer is an answer that
// lacks its frame.
const maxHeader = 256

type state uint8

const (
	inHeader state = iota
	inFrame        // of text
	inCall
)

type parser struct {
	state   state
	start   abi.Channel
	calls   bool // frames of calls are read
	think   bool // frames of thoughts are reasoning
	literal bool // the frame's markers are text
	tools   []string
	framed  bool // a frame was seen
	named   bool // what comes stands behind a message's marker
	begun   bool // prose was started
	prose   prose.Machine
	block   toolblock.Block
}

func newParser(s *abi.OpenBlock, kind sdk.Kind) sdk.Parser {
	p := &parser{
		start: sdk.StartOf(s), calls: kind.Calls() && len(s.Tools) > 0, think: kind.Thoughts(),
		block: blocks.Block(s), tools: s.Tools,
	}
	if kind.Calls() && s.Mode != abi.ModeNative {
		started := *s
		started.Start = p.start
		return guided.New(guidedGrammar, &started, kind.Native(newParser))
	}
	p.prose.Trial = opening.Trial(s, kind, newParser)
	switch p.start {
	case abi.ChannelReasoning:
		p.enterProse(p.think)
	case abi.ChannelResponse:
		p.enterProse(false)
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

func (p *parser) readPart(w *sdk.Window) bool {
	switch p.state {
	case inHeader:
		return p.readHeader(w)
	case inFrame:
		return p.skipFraming(w)
	}
	if !p.block.Step(w) {
		return false
	}
	p.state = inHeader
	if n := p.block.Refused(); n > 0 { // prose, in the frame that it stands in
		thought := p.begun && p.prose.Thought
		if thought {
			w.Reasoning(n)
		} else {
			w.Text(n)
		}
		p.enterProse(thought)
	}
	return true
}

// enterProse goes on in a frame of text.
func (p *parser) enterProse(thought bool) {
	p.state, p.literal, p.framed = inFrame, false, true
	if !p.begun { // else it goes on from the frame before
		p.prose.Start(body, thought)
		p.begun = true
	}
	p.prose.Thought = thought
}

// readHeader drops what stands in front of a frame.
func (p *parser) readHeader(w *sdk.Window) bool {
	at, id, v := markers.Find(w.Bytes(), w.Scanned, w.Final)
	w.Scanned = at
	switch {
	case at > maxHeader:
		w.Scanned = 0
		p.enterProse(false)
		return true
	case v != scan.Yes:
		if w.Final {
			p.settleCutHeader(w)
		}
		return false
	}
	if p.isUnframedAnswer(w.Bytes()[:at], id == isCall) {
		w.Text(at)
	} else {
		w.Skip(at)
	}
	marker := markers.Len(id)
	p.named = id == isMessage
	switch {
	case id < isThinking:
		w.Skip(marker)
	case id == isCall && p.calls:
		p.framed, p.state = true, inCall
		p.block.Enter(false, marker)
	case id == isCall:
		w.Text(marker)
		p.enterProse(false)
		p.literal = true
	default:
		w.Skip(marker)
		p.enterProse(id == isThinking && p.think)
	}
	return true
}

// isUnframedAnswer says whether the bytes in front of a call's frame, another or the text's
// end are no header but an answer that lacks its frame: words, behind no message's
// marker. Behind a reasoning parser, which takes the frames off, it may be one
// word.
func (p *parser) isUnframedAnswer(header []byte, call bool) bool {
	switch {
	case p.named:
		return false
	case bytes.ContainsAny(header, " \n"):
		return true
	case p.think:
		return false
	}
	return !call || !slices.Contains(p.tools, string(header))
}

// settleCutHeader settles a header that the end of the text cut. In a turn without any frame,
// and behind no message's marker, it was an answer: the engine kept the special
// tokens to itself, say. A lone word may
// be the name of a call that was cut.
func (p *parser) settleCutHeader(w *sdk.Window) {
	ended := w.Reason == abi.FinishUnknown || w.Reason == abi.FinishEOS
	if !p.framed && (ended || bytes.ContainsAny(w.Bytes(), " \n")) || p.isUnframedAnswer(w.Bytes(), false) {
		w.Text(w.Len())
		return
	}
	w.Skip(w.Len())
}

// skipFraming reads a frame of text up to its end.
func (p *parser) skipFraming(w *sdk.Window) bool {
	id, ok := p.prose.Next(w)
	if !ok {
		return false
	}
	switch {
	case id >= isThinking:
	case p.literal && id == isEnd:
		w.Text(markers.Len(id))
	default:
		w.Skip(markers.Len(id))
	}
	p.state, p.named = inHeader, id == isMessage
	w.Scanned = 0
	return true
}
