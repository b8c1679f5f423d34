package framing

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/framing/guided"
	"github.com/turnkey-parsers/turnkey/host/parse"
)

// guideProse takes text or reasoning where the engine was guided.
func (f *Framer) guideProse(kind Kind, e *parse.CheckedEvent) {
	if kind == Content && e.Flags&abi.FlagPayload != 0 {
		f.guided.Payload(e.Data, e.Start)
		return
	}
	f.guided.EndPayload()
	if kind == Reasoning {
		f.guided.EndText()
		f.emitBlock(kind, e)
		return
	}
	if f.out.needsLineBreak(kind, e) {
		f.guided.Text(newline, e.Start)
	}
	f.guided.Text(e.Data, e.Start)
}

// guidedSink frames what was read from guided JSON.
type guidedSink struct{ f *Framer }

func (s guidedSink) Text(text []byte, at guided.Span) { s.f.emitProse(Content, text, at) }

func (s guidedSink) BeginCall(tool string, name guided.Span) (asText bool) {
	s.f.beginCall(0, tool, name)
	c := &s.f.call
	asText = c.disposition == becomesText
	c.open = !asText
	return asText
}

func (s guidedSink) Arguments(json []byte, at guided.Span) {
	s.f.frameCallEvent(&parse.CheckedEvent{Kind: abi.Args, Data: json, Start: at.Start, End: at.End})
}

func (s guidedSink) EndCall() { s.f.endCall(&parse.CheckedEvent{Kind: abi.CallEnd}) }

func (s guidedSink) CutCall() { s.f.dropCall() }
