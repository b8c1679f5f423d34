package beam

import (
	_ "embed"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/channel"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/guided"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

//go:embed manifest.json
var manifest string

// Module is the family's parser module.
var Module = sdk.Module{Manifest: manifest, New: newParser}

const (
	openParam  = `<rfl:parameter name="`
	closeKey   = `">`
	closeParam = "</rfl:parameter>"
)

var (
	// framing are the markers between messages.
	framing = scan.NewSet(channel.Return, channel.End, channel.Call, channel.Message, channel.Constrain, channel.Start, channel.Channel)
	// body is the prose of a thought or an answer, up to its closer or the next
	// header.
	body = prose.Compile(prose.Markers{Calls: []string{channel.End, channel.Call, channel.Return, channel.Start, channel.Channel}})
	// inCall are the markers that a call's body may meet outside values.
	inCall = scan.NewSet(openParam, channel.Call, channel.End, channel.Return, channel.Start, channel.Channel)
	// afterBad is where a malformed call is over.
	afterBad = scan.NewSet(channel.Call, channel.End, channel.Return, channel.Start, channel.Channel)
	value    = scan.NewSet(closeParam)

	words = scan.Join([]byte(" \t\r\n"), framing.First()) // what may end a run of stray words

	guidedGrammar = guided.Compile(guided.Markup{
		Strip: []string{
			"<|start|>assistant", "<|channel|>analysis", "<|channel|>final", "<|constrain|>xml",
			channel.Message, channel.End, channel.Call, channel.Return,
		},
	})
)

// Places of Return in the sets above.
const (
	framingReturn = 0
	bodyReturn    = 2
	bodyHeaders   = 3 // from here on
	callParam     = 0
	callReturn    = 3
	callHeaders   = 4 // from here on
	badReturn     = 2
	badHeaders    = 3 // from here on
)

type state uint8

const (
	between  state = iota // messages
	stray                 // words between messages
	inBody                // a thought or an answer
	inParams              // a call, outside parameters
	inValue               // a parameter's value
	bad                   // a malformed call
	returned              // a call's whole body, then "<|return|>"
	over                  // the turn
)

type parser struct {
	state  state
	prose  prose.Machine
	strict bool
	calls  bool // messages with a recipient are calls
	think  bool // analysis is reasoning
	params int  // of the open call
	text   bool // the body is shown with its markup
}

func newParser(s *abi.Session) sdk.Parser {
	p := &parser{
		strict: s.Flags&abi.OpenTurnGrammar != 0,
		calls:  len(s.Tools) > 0,
		think:  true,
	}
	switch s.Parser {
	case "beam", "beam_batch":
	case "beam_tools":
		p.think = false
	case "beam_reasoning":
		p.calls = false
	default:
		return nil
	}
	if s.Mode != abi.ModeNative {
		return guided.New(guidedGrammar, s)
	}
	switch s.Start {
	case abi.ChannelReasoning:
		p.begin(p.think)
	case abi.ChannelResponse:
		p.begin(false)
	}
	return p
}

func (p *parser) Step(w *sdk.Window) {
	for p.step(w) {
	}
}

// step says whether it can go on with what the window holds.
func (p *parser) step(w *sdk.Window) bool {
	switch p.state {
	case between, stray:
		return p.header(w)
	case inBody:
		return p.message(w)
	case inParams:
		return p.parameters(w)
	case inValue:
		return p.value(w)
	case bad:
		return p.skipBad(w)
	case returned:
		w.Skip(w.Len())
		p.end(w)
	case over:
		w.Skip(w.Len())
	}
	return false
}

// begin enters the body of a thought or an answer.
func (p *parser) begin(thought bool) {
	p.state, p.text = inBody, false
	p.prose.Start(body, thought)
}

// header reads what stands between messages.
func (p *parser) header(w *sdk.Window) bool {
	b := w.Bytes()
	h, v := channel.Read(b, false)
	switch {
	case v == scan.Yes && (p.state == between || b[0] != 't'):
		p.open(w, h)
		return true
	case v == scan.Wait && (p.state == between || len(b) == 0 || b[0] != 't'):
		if w.Final {
			p.cut(w)
		} else if len(b) == 0 && p.state == stray {
			w.Watch(abi.Text, words)
		}
		return false
	}
	n := scan.Space(b)
	id, v := framing.At(b[n:], w.Final)
	switch v {
	case scan.Wait:
		return false
	case scan.Yes:
		w.Skip(n + framing.Len(id))
		p.state = between
		if id == framingReturn {
			p.state = over
		}
		return true
	}
	return p.words(w, n)
}

// words are bytes outside any message, behind n bytes of white space: text, or an
// error under a turn grammar.
func (p *parser) words(w *sdk.Window, n int) bool {
	if p.strict && p.state == between {
		w.Error(abi.CodeMalformedHeader, abi.FlagMalformed)
	}
	b := w.Bytes()
	for n++; n < len(b) && !scan.IsSpace(b[n]) && !framing.Begins(b[n]); n++ {
	}
	w.Text(n)
	p.state = stray
	return true
}

// cut is the end of the text where a header may have begun.
func (p *parser) cut(w *sdk.Window) {
	b := w.Bytes()
	rest := string(b[scan.Space(b):])
	begun := len(rest) >= 2 && rest[:2] == "<|"
	if p.state == between {
		begun = begun || rest == "" || rest == "<" || len(rest) >= 3 && rest[:3] == "to="
	}
	if begun {
		w.Skip(len(b))
	} else {
		w.Text(len(b))
	}
}

func (p *parser) open(w *sdk.Window, h channel.Header) {
	b := w.Bytes()
	switch {
	case h.Recipient.Len > 0 && p.calls:
		w.Call(h.Recipient.At, h.Recipient.Len, 0)
		w.Skip(h.Len)
		p.state, p.params = inParams, 0
	case h.Recipient.Len > 0:
		w.Text(h.Len)
		p.begin(false)
		p.text = true
	default:
		thought := p.think && h.Channel.Of(b) == "analysis"
		w.Skip(h.Len)
		w.NewBlock()
		p.begin(thought)
	}
}

// message reads a thought or an answer up to its closer.
func (p *parser) message(w *sdk.Window) bool {
	id, ok := p.prose.Next(w)
	if !ok {
		return false
	}
	p.state = between
	switch {
	case id >= bodyHeaders: // the closer is missing
	case p.text:
		w.Text(len(body.Call(id)))
	default:
		w.Skip(len(body.Call(id)))
	}
	if id == bodyReturn {
		p.state = over
	}
	return true
}

// parameters reads a call's body outside values.
func (p *parser) parameters(w *sdk.Window) bool {
	w.Skip(scan.Space(w.Bytes()))
	b := w.Bytes()
	id, v := inCall.At(b, w.Final)
	switch {
	case len(b) == 0 || v == scan.Wait:
		if w.Final {
			p.end(w)
		}
		return false
	case v == scan.No:
		if w.Final && scan.Prefix(b, openParam, false) == scan.Wait {
			p.end(w) // cut inside a marker
			return false
		}
		return p.malformed(w)
	case id == callParam:
		return p.key(w)
	case id == callReturn:
		w.Skip(inCall.Len(id))
		p.state = returned
		return true
	case id >= callHeaders: // the closer is missing
		w.CallDrop()
	default:
		w.Skip(inCall.Len(id))
		w.CallEnd()
	}
	p.state = between
	return true
}

// key reads a parameter's opener.
func (p *parser) key(w *sdk.Window) bool {
	b := w.Bytes()
	at := len(openParam)
	w.Scanned = max(w.Scanned, at)
	for w.Scanned < len(b) && b[w.Scanned] != '"' {
		if b[w.Scanned] == '<' || b[w.Scanned] == '\n' {
			return p.malformed(w)
		}
		w.Scanned++
	}
	switch scan.Prefix(b[w.Scanned:], closeKey, false) {
	case scan.Wait:
		if w.Final {
			p.end(w)
		}
		return false
	case scan.No:
		return p.malformed(w)
	}
	n := w.Scanned - at
	if n == 0 {
		return p.malformed(w)
	}
	w.Key(at, n, 0)
	w.Value(at+n+len(closeKey), 0, abi.ReadSchema|abi.FlagMore)
	w.Skip(at + n + len(closeKey))
	w.Scanned = 0
	p.state = inValue
	return true
}

// value reads a parameter's value up to its closer.
func (p *parser) value(w *sdk.Window) bool {
	at, _, v := value.Find(w.Bytes(), 0, w.Final)
	w.Value(0, at, abi.ReadSchema|abi.FlagMore)
	w.Skip(at)
	switch {
	case v == scan.Yes:
		w.Value(0, 0, abi.ReadSchema)
		w.Skip(len(closeParam))
		p.params++
		p.state = inParams
		return true
	case w.Final:
		p.open4EOS(w)
	case w.Len() == 0:
		w.Watch(abi.Value, value.First())
	}
	return false
}

// open4EOS is the end of the text inside a parameter.
func (p *parser) open4EOS(w *sdk.Window) {
	w.Skip(w.Len())
	w.CallDrop()
	if p.strict && w.Reason == abi.FinishEOS {
		w.Error(abi.CodeUnfinishedCall, abi.FlagMalformed)
	}
}

// malformed gives the open call up.
func (p *parser) malformed(w *sdk.Window) bool {
	w.CallDrop()
	if p.strict {
		w.Error(abi.CodeMalformedBody, abi.FlagMalformed)
	}
	w.Scanned = 0
	p.state = bad
	return true
}

// skipBad goes to where a malformed call is over.
func (p *parser) skipBad(w *sdk.Window) bool {
	at, id, v := afterBad.Find(w.Bytes(), 0, w.Final)
	w.Skip(at)
	if v != scan.Yes {
		if w.Final {
			w.Skip(w.Len())
		}
		return false
	}
	p.state = between
	if id < badHeaders {
		w.Skip(afterBad.Len(id))
	}
	if id == badReturn {
		p.state = over
	}
	return true
}

// end is the end of the text behind a call's body without its closer. It waits
// for the finish reason.
func (p *parser) end(w *sdk.Window) {
	if !w.Final {
		return
	}
	whole := p.params > 0 && scan.Space(w.Bytes()) == w.Len()
	w.Skip(w.Len())
	if p.strict && whole && w.Reason == abi.FinishEOS {
		w.CallEnd()
	} else {
		w.CallDrop()
	}
}
