package beam

import (
	_ "embed"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/harmonymsg"
	"github.com/turnkey-parsers/turnkey/builtin/internal/opening"
	"github.com/turnkey-parsers/turnkey/builtin/internal/structag"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/guided"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

//go:embed manifest.json
var manifest string

// Module is the family's parser module.
var Module = sdk.Module{Manifest: manifest, New: sdk.Family("beam", newParser), Constraint: constraint.Build}

const (
	openParam  = `<rfl:parameter name="`
	closeKey   = `">`
	closeParam = "</rfl:parameter>"
)

var (
	// inCall are the markers that a call's body may meet outside values: those of
	// harmonymsg.Enders in their places, then a parameter's opener.
	inCall = scan.NewSet(harmonymsg.End, harmonymsg.Call, harmonymsg.Return, harmonymsg.Start, harmonymsg.Channel, openParam)
	value  = scan.NewSet(closeParam)

	guidedGrammar = guided.Compile(guided.Markup{
		Think:    []string{harmonymsg.AnalysisHeader},
		EndThink: []string{harmonymsg.End},
		Frames:   []string{"<|start|>assistant"}, Openers: []string{" to="},
		Strip: []string{
			harmonymsg.FinalHeader, "<|channel|>analysis", "<|constrain|>xml",
			harmonymsg.Message, harmonymsg.Call, harmonymsg.Return, harmonymsg.Start, harmonymsg.Channel, harmonymsg.Constrain, // also of half a header
		},
	})
)

// constraint holds the whole turn to the grammar.
var constraint = structag.Turn{
	Separator:  "<|start|>assistant",
	Thought:    structag.Message{Begin: "<|channel|>analysis<|message|>", End: []string{harmonymsg.End}},
	Answer:     structag.Message{Begin: "<|channel|>final<|message|>", End: []string{harmonymsg.Return, harmonymsg.End}},
	Call:       structag.Message{Begin: " to=$<|channel|>analysis <|constrain|>xml<|message|>", End: []string{harmonymsg.Call}},
	ParamBegin: openParam + "$" + closeKey,
	ParamEnd:   closeParam,
}

// isParam is the place of openParam in inCall.
const isParam = 5

type state uint8

const (
	inTurn   state = iota // outside calls
	inParams              // in a call, outside parameters
	inValue               // in a parameter's value
	bad                   // in a malformed call
	returned              // after a call's whole body and a "<|return|>"
)

type parser struct {
	state  state
	turn   harmonymsg.Turn
	strict bool
	calls  bool // messages with a recipient are calls
	think  bool // analysis is reasoning
	start  abi.Channel
	params int // closed parameters of the open call
}

func newParser(s *abi.OpenBlock, kind sdk.Kind) sdk.Parser {
	p := &parser{
		strict: s.Flags&abi.OpenTurnGrammar != 0,
		calls:  kind.Calls() && len(s.Tools) > 0,
		think:  kind != sdk.Tools,
		start:  sdk.StartOf(s),
	}
	if s.Mode != abi.ModeNative {
		return guided.New(guidedGrammar, s, kind.Native(newParser))
	}
	p.turn.ReturnEnds = true
	p.turn.Trial = opening.Trial(s, kind, newParser)
	if p.strict {
		p.turn.NoWords = func(w *sdk.Window) { w.Error(abi.CodeMalformedHeader, abi.FlagMalformed) }
	}
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
	switch p.state {
	case inTurn:
		return p.enterMessage(w)
	case inParams:
		return p.readParameters(w)
	case inValue:
		return p.readValue(w)
	case bad:
		return p.skipMessage(w)
	default:
		if !w.Final {
			w.Skip(w.Len())
		}
		p.endText(w)
		return false
	}
}

// enterMessage reads up to the next header, and the header.
func (p *parser) enterMessage(w *sdk.Window) bool {
	h, ok := p.turn.NextHeader(w)
	switch {
	case !ok:
		return false
	case h.Recipient.Len == 0:
		p.turn.EnterMessage(w, h, p.think && h.Channel.Bytes(w.Bytes()) == "analysis")
	case p.calls:
		w.Call(h.Recipient.At, h.Recipient.Len, 0)
		w.Skip(h.Len)
		p.state, p.params = inParams, 0
	default:
		p.turn.EnterLiteral(w, h)
	}
	return true
}

// readParameters reads a call's body outside values.
func (p *parser) readParameters(w *sdk.Window) bool {
	w.Skip(scan.LeadingSpace(w.Bytes()))
	id, v := inCall.MatchPrefix(w.Bytes(), false)
	switch {
	case v == scan.Wait:
		p.endText(w)
		return false
	case v == scan.No:
		return p.dropMalformedCall(w)
	case id == isParam:
		return p.readKey(w)
	case id == harmonymsg.EnderReturn:
		w.Skip(inCall.Len(id))
		p.state = returned
		return true
	case id >= harmonymsg.EnderHeaders: // the closer is missing
		w.CallDrop()
	default:
		w.Skip(inCall.Len(id))
		w.CallEnd()
	}
	return p.endMessage(id)
}

func (p *parser) endMessage(ender int) bool {
	p.turn.MessageEnded(ender)
	p.state = inTurn
	return true
}

// readKey reads a parameter's opener.
func (p *parser) readKey(w *sdk.Window) bool {
	b, at := w.Bytes(), len(openParam)
	w.Scanned = max(w.Scanned, at)
	for w.Scanned < len(b) && b[w.Scanned] != '"' && b[w.Scanned] != '<' && b[w.Scanned] != '\n' {
		w.Scanned++
	}
	end := w.Scanned
	switch v := scan.Prefix(b[end:], closeKey, false); {
	case v == scan.Wait:
		p.endText(w)
		return false
	case v == scan.No || end == at:
		return p.dropMalformedCall(w)
	}
	w.Key(at, end-at, 0)
	w.Skip(end + len(closeKey))
	w.Value(0, 0, abi.ReadSchema|abi.FlagMore)
	w.Scanned = 0
	p.state = inValue
	return true
}

// readValue reads a parameter's value up to its closer.
func (p *parser) readValue(w *sdk.Window) bool {
	at, _, v := value.Find(w.Bytes(), 0, w.Final)
	if v == scan.Yes {
		w.Value(0, at, abi.ReadSchema)
		w.Skip(at + len(closeParam))
		p.params++
		p.state = inParams
		return true
	}
	if w.Final { // a parameter without its closer
		w.CallDrop()
		if p.strict && w.Reason == abi.FinishEOS {
			w.Error(abi.CodeUnfinishedCall, abi.FlagMalformed)
		}
		w.Skip(w.Len())
		return false
	}
	if at > 0 {
		w.Value(0, at, abi.ReadSchema|abi.FlagMore)
		w.Skip(at)
	}
	w.Watch(abi.Value, value.FirstBytes())
	return false
}

// dropMalformedCall gives the open call up.
func (p *parser) dropMalformedCall(w *sdk.Window) bool {
	w.CallDrop()
	if p.strict {
		w.Error(abi.CodeMalformedBody, abi.FlagMalformed)
	}
	w.Scanned = 0
	p.state = bad
	return true
}

// skipMessage goes to where a malformed call is over.
func (p *parser) skipMessage(w *sdk.Window) bool {
	id, ok := harmonymsg.SkipToEnder(w)
	return ok && p.endMessage(id)
}

// endText is where a call's body stops without its closer. At the end of the text, a
// whole body is a call if nothing stands behind it and nothing cut the answer, or if
// the model's EOS was confirmed under the turn grammar.
func (p *parser) endText(w *sdk.Window) {
	if !w.Final {
		return
	}
	whole := p.params > 0 && (w.Len() == 0 || p.state == returned)
	confirmed := p.strict && w.Reason == abi.FinishEOS
	bare := p.state != returned && w.Reason == abi.FinishUnknown
	if whole && (confirmed || bare) {
		w.CallEnd()
	} else {
		w.CallDrop()
	}
	w.Skip(w.Len())
}
