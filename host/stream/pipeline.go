package stream

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/host/framing"
	"github.com/turnkey-parsers/turnkey/host/jail"
	"github.com/turnkey-parsers/turnkey/host/parse"
)

// pipeline takes a choice's text through the parsers of the route. thought takes the
// reasoning out and leaves the rest to calls; either may be missing, and the
// unified route has calls only. Without both the text is content.
type pipeline struct {
	run    *run
	framer *framing.Framer

	opened  bool
	thought *parse.Session
	calls   jail.Reader
	spans   spans
	offset  abi.RawOffset // raw text so far, where no parser reads it
	lead    lead
}

func (p *pipeline) init(r *run) {
	p.run = r
	p.lead.starts = r.o.plan.JSONStarts
}

// engine is the parser that reads the calls; nil: there is none.
func (p *pipeline) engine() parser.Engine {
	if e := p.run.o.plan.Unified; e != nil {
		return e
	}
	return p.run.o.plan.Calls
}

// open starts the sessions, when the first text is there. answer says that the
// text is the answer, whatever the prompt left open.
func (p *pipeline) open(answer bool, dst []framing.Delta) ([]framing.Delta, error) {
	p.opened = true
	p.frame()
	if e := p.run.o.plan.Thought; e != nil {
		s, events, err := p.session(e, answer)
		if err != nil {
			return dst, err
		}
		p.thought = s
		dst = p.framer.Apply(events, dst)
	}
	var s *parse.Session
	if e := p.engine(); e != nil {
		var events []parse.CheckedEvent
		var err error
		if s, events, err = p.session(e, answer); err != nil {
			return dst, err
		}
		dst = p.framer.Apply(events, dst)
	}
	p.calls = p.readerOf(s)
	return dst, nil
}

// readerOf puts round the session what the route needs: a jail, and what makes text
// of calls. There is no session where the model has no parser of calls.
func (p *pipeline) readerOf(s *parse.Session) jail.Reader {
	plan, model := p.run.o.plan, p.run.o.model
	var reader jail.Reader
	var native *jail.Jail
	switch {
	case s != nil && plan.Jailed():
		native = jail.New(s, p.engine().Parser().Jail)
		reader = native
	case s != nil:
		reader = jail.Direct(s)
	}
	if plan.Jailed() && plan.Mode != abi.ModeNative {
		reader = jail.NewImmediate(native)
	}
	if s != nil && model.Unknown == framing.UnknownText && plan.Mode == abi.ModeNative && !plan.CallsOff && plan.Chat.ToolChoice.Name == "" {
		reader = jail.UnknownTools(reader, p.engine().Parser(), p.run.offered, func() { model.Hooks.anomaly(anomalyUnknownTool, 1) })
	}
	return reader
}

func (p *pipeline) session(e parser.Engine, answer bool) (*parse.Session, []parse.CheckedEvent, error) {
	m := p.run.o.model
	open := p.run.o.plan.Open(e)
	if answer {
		open.Start = abi.ChannelResponse
	}
	return parse.Open(parse.Config{
		Engine: e, Open: open, Policy: m.OnFault, Sent: p.sent,
		Limits: parse.Limits{Held: m.Limits.held(), Call: m.Limits.held()},
		OnFault: func(f *parse.FaultError) {
			m.Hooks.anomaly(anomalyFault, 1)
			m.Hooks.warn("parser fault", "request", p.run.o.id, "parser", f.Parser, "offset", uint64(f.Offset), "cause", f.Cause)
		},
		OnNote: func(n parse.Note) {
			if n.Error {
				m.Hooks.anomaly(anomalyParserError, 1)
				return
			}
			m.Hooks.anomaly(anomalyParserNote, 1)
		},
	})
}

// sent says whether it is decided what the client sees of a call.
func (p *pipeline) sent(call uint16) bool {
	return (p.calls == nil || !p.calls.Owns(call)) && p.framer.Sent(call)
}

// frame makes the framer, once.
func (p *pipeline) frame() {
	if p.framer != nil {
		return
	}
	model, plan, engine := p.run.o.model, p.run.o.plan, p.engine()
	cfg := framing.Config{
		Tools: p.run.tools, IDs: p.run.ids,
		Guided: plan.Mode, NamedTool: plan.Chat.ToolChoice.Name,
		GuidedEager: model.Arguments == framing.Eager && !plan.Jailed(),
		Arguments:   model.Arguments, Invalid: model.Invalid, Unknown: model.Unknown,
		Single: !plan.Chat.ParallelToolCalls, CallsOff: plan.CallsOff, KeepControl: model.KeepControl, MaxHeld: model.Limits.held(),
		Raw: func(start, end abi.RawOffset) []byte {
			if p.calls == nil {
				return nil
			}
			return p.calls.Raw(start, end)
		},
	}
	if engine != nil {
		cfg.Typing = engine.Parser().Typing
	}
	if plan.Jailed() || engine != nil && engine.Parser().Strict {
		cfg.Arguments = framing.Whole // the call may turn out to be none
	}
	if plan.Mode == abi.ModeNative {
		cfg.Only = plan.Chat.ToolChoice.Name
	}
	p.framer = framing.New(cfg)
}

// push appends the deltas of more text to dst.
func (p *pipeline) push(dst []framing.Delta, text string, last bool) ([]framing.Delta, error) {
	text, ready, answer := p.lead.take(text)
	if !ready {
		return dst, nil
	}
	if !p.opened {
		var err error
		if dst, err = p.open(answer, dst); err != nil {
			return dst, err
		}
	}
	return p.text(dst, text, last)
}

func (p *pipeline) text(dst []framing.Delta, text string, last bool) ([]framing.Delta, error) {
	switch {
	case p.thought != nil:
		events, err := p.thought.Push(text)
		return p.rest(dst, events, last, err)
	case p.calls != nil:
		events, err := p.calls.Push(text, last)
		return p.framer.Apply(events, dst), err
	}
	start := p.offset
	p.offset += abi.RawOffset(len(text))
	return append(dst, framing.Delta{Kind: framing.Content, Text: text, Start: start, End: p.offset}), nil
}

// rest passes the reasoning of events on, and their text to the parser of calls.
func (p *pipeline) rest(dst []framing.Delta, events []parse.CheckedEvent, last bool, err error) ([]framing.Delta, error) {
	if p.calls == nil {
		return p.framer.Apply(events, dst), err
	}
	for i := range events {
		e := &events[i]
		if e.Kind != abi.Text {
			dst = p.framer.Apply(events[i:i+1], dst)
			continue
		}
		p.spans.add(e.Start, e.End)
		said, pushErr := p.calls.Push(string(e.Data), last && i == len(events)-1)
		dst = p.mapped(dst, said)
		if pushErr != nil {
			return dst, pushErr
		}
	}
	return dst, err
}

// mapped frames events whose offsets are those of the text without reasoning.
func (p *pipeline) mapped(dst []framing.Delta, events []parse.CheckedEvent) []framing.Delta {
	from := len(dst)
	dst = p.framer.Apply(events, dst)
	p.spans.raw(dst[from:])
	return dst
}

// finish appends what is still held to dst, and closes the sessions.
func (p *pipeline) finish(dst []framing.Delta, reason abi.Finish) ([]framing.Delta, error) {
	if text := p.lead.end(); text != "" {
		var err error
		if dst, err = p.open(false, dst); err == nil {
			dst, err = p.text(dst, text, false)
		}
		if err != nil {
			return dst, err
		}
	}
	if !p.opened {
		return dst, nil
	}
	if p.thought != nil {
		events, err := p.thought.Finish(reason)
		if dst, err = p.rest(dst, events, false, err); err != nil {
			return dst, err
		}
	}
	if p.calls != nil {
		events, err := p.calls.Finish(reason)
		if dst = p.mapped(dst, events); err != nil {
			return dst, err
		}
	}
	from := len(dst)
	dst = p.framer.Finish(dst)
	p.spans.raw(dst[from:])
	return dst, nil
}

// holds says whether a finish reason has to wait for the end of the stream.
func (p *pipeline) holds() bool { return p.calls != nil && p.calls.Holding() }

// plain says that no parser reads the text.
func (p *pipeline) plain() bool { return p.opened && p.thought == nil && p.calls == nil }

// cut is how many calls were given up.
func (p *pipeline) cut() int {
	if p.framer == nil {
		return 0
	}
	n := p.framer.Counts()
	return n.Cut + n.Dropped
}

// takeIndex gives the index of a call that the engine itself made.
func (p *pipeline) takeIndex() int {
	p.frame()
	return p.framer.TakeIndex()
}

// count tells the operator what was out of the ordinary.
func (p *pipeline) count(h *Hooks) {
	if p.framer == nil {
		return
	}
	n := p.framer.Counts()
	for name, v := range map[string]int{
		anomalyCallCut: n.Cut, anomalyCallDropped: n.Dropped, anomalyCallSuppressed: n.Suppressed, anomalyUnknownTool: n.Unknown,
		anomalyUnsound: n.Unsound, anomalyKeyRepeated: n.Duplicates, anomalyControl: n.Repaired,
		anomalyIDReplaced: n.IDs, anomalyGuidedVoid: n.NoCalls, anomalyOverlong: n.Overlong,
	} {
		h.anomaly(name, v)
	}
}

func (p *pipeline) close() {
	if p.thought != nil {
		p.thought.Close()
	}
	if p.calls != nil {
		p.calls.Close()
	}
}
