package stream

import (
	"bytes"
	"slices"
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/host/framing"
	"github.com/turnkey-parsers/turnkey/host/jail"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/host/route"
)

// pipeline takes a choice's text through the parsers of the route. thought takes the
// reasoning out and leaves the rest to calls; either may be missing, and the
// unified route has calls only. Without both the text is content.
type pipeline struct {
	run    *run
	plan   *route.Plan
	model  *Model
	framer *framing.Framer
	ids    *framing.IDs

	opened           bool
	reasoningSession *parse.Session
	callSession      *parse.Session // within callReader; nil: no parser reads calls
	callReader       jail.Reader
	thoughtTail      thoughtTail
	spans            visibleSpans
	inChannels       []parse.CheckedEvent
	plainOffset      abi.RawOffset // raw text so far, where no parser reads it
	leadingSpace     leadingSpace
}

func (p *pipeline) init(r *run) {
	p.run, p.plan, p.model = r, r.operator.plan, r.operator.model
	p.ids = framing.NewIDs(r.operator.idForm(), r.usedIDs...)
	p.leadingSpace.jsonStarts = r.operator.plan.JSONStarts
	if calls := p.plan.Calls; calls != nil && p.plan.TwoFamilies && calls.Parser().Jail != nil {
		p.thoughtTail = thoughtTail{markers: calls.Parser().Jail.Open, room: p.model.Limits.held()}
	}
}

// callEngine is the parser that reads the calls; nil: there is none.
func (p *pipeline) callEngine() parser.Engine {
	if e := p.plan.Unified; e != nil {
		return e
	}
	return p.plan.Calls
}

// thoughtParser describes the parser that reads the thoughts; nil: there is none.
func (p *pipeline) thoughtParser() *manifest.Parser {
	if e := p.plan.Thought; e != nil {
		return e.Parser()
	}
	if e := p.callEngine(); e != nil {
		return e.Parser()
	}
	return nil
}

// openSessions starts the sessions, when the first text is there. answer says that the
// text is the answer, whatever the prompt left open.
func (p *pipeline) openSessions(answer bool, dst []framing.Delta) ([]framing.Delta, error) {
	p.opened = true
	p.ensureFramer()
	if e := p.plan.Thought; e != nil {
		s, events, err := p.openSession(e, answer)
		if err != nil {
			return dst, err
		}
		p.reasoningSession = s
		dst = p.framer.Apply(events, dst)
	}
	var s *parse.Session
	if e := p.callEngine(); e != nil {
		var events []parse.CheckedEvent
		var err error
		if s, events, err = p.openSession(e, answer); err != nil {
			return dst, err
		}
		dst = p.framer.Apply(events, dst)
	}
	p.callSession, p.callReader = s, p.readerOf(s)
	return dst, nil
}

// readerOf puts round the session what the route needs: a jail, and what makes text
// of calls. There is no session where the model has no parser of calls.
func (p *pipeline) readerOf(s *parse.Session) jail.Reader {
	plan, model := p.plan, p.model
	var reader jail.Reader
	var native *jail.Jail
	switch {
	case s != nil && plan.Jailed():
		native = jail.New(s, p.callEngine().Parser().Jail)
		reader = native
	case s != nil:
		reader = jail.Direct(s)
	}
	if plan.Jailed() && plan.Mode != abi.ModeNative {
		reader = jail.NewImmediate(native)
	}
	if s != nil && model.Unknown == framing.UnknownText && plan.Mode == abi.ModeNative && !plan.CallsOff && plan.Chat.ToolChoice.Name == "" {
		reader = jail.UnknownTools(reader, p.callEngine().Parser(), p.run.toolOffered, func() { model.Hooks.anomaly(anomalyUnknownTool, 1) })
	}
	return reader
}

func (p *pipeline) openSession(e parser.Engine, answer bool) (*parse.Session, []parse.CheckedEvent, error) {
	m := p.model
	open := p.plan.Open(e)
	if answer {
		open.Start = abi.ChannelResponse
	}
	return parse.Open(parse.Config{
		Engine: e, Open: open, Policy: m.OnFault, Sent: p.callDecided,
		Limits: parse.Limits{Held: m.Limits.held(), Call: m.Limits.held()},
		OnFault: func(f *parse.FaultError) {
			m.Hooks.anomaly(anomalyFault, 1)
			m.Hooks.warn("parser fault", "request", p.run.operator.id, "parser", f.Parser, "offset", uint64(f.Offset), "cause", f.Cause)
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

// callDecided says whether it is decided what the client sees of a call.
func (p *pipeline) callDecided(call uint16) bool {
	return (p.callReader == nil || !p.callReader.Owns(call)) && p.framer.Sent(call)
}

// ensureFramer makes the framer, once.
func (p *pipeline) ensureFramer() {
	if p.framer != nil {
		return
	}
	model, plan, engine := p.model, p.plan, p.callEngine()
	cfg := framing.Config{
		Tools: p.run.tools, IDs: p.ids,
		Guided: plan.Mode, NamedTool: plan.Chat.ToolChoice.Name,
		GuidedEager: model.Arguments == framing.Eager && !plan.Jailed(),
		Arguments:   model.Arguments, Invalid: model.Invalid, Unknown: model.Unknown,
		Single: !plan.Chat.ParallelToolCalls, CallsOff: plan.CallsOff, NoRepair: model.NoRepair, MaxHeld: model.Limits.held(),
		Raw: func(start, end abi.RawOffset) []byte {
			if p.callReader == nil {
				return nil
			}
			return p.callReader.Raw(start, end)
		},
	}
	cfg.Lead = plan.Lead()
	if engine != nil {
		if jail := engine.Parser().Jail; jail != nil {
			cfg.Closers = jail.Close
		}
		cfg.Typing = engine.Parser().Typing
	}
	if plan.Jailed() || engine != nil && engine.Parser().Strict || !plan.Chat.Stream {
		cfg.Arguments = framing.Whole // the call may turn out to be none, and nobody sees it before
	}
	if plan.Mode == abi.ModeNative {
		cfg.Only = plan.Chat.ToolChoice.Name
	}
	p.framer = framing.New(cfg)
}

// push appends the deltas of more text to dst.
func (p *pipeline) push(dst []framing.Delta, text string, last bool) ([]framing.Delta, error) {
	text, ready, answer := p.leadingSpace.push(text)
	if !ready {
		return dst, nil
	}
	if !p.opened {
		var err error
		if dst, err = p.openSessions(answer, dst); err != nil {
			return dst, err
		}
	}
	return p.pushText(dst, text, last)
}

func (p *pipeline) pushText(dst []framing.Delta, text string, last bool) ([]framing.Delta, error) {
	switch {
	case p.reasoningSession != nil:
		events, err := p.reasoningSession.Push(text)
		return p.pushVisible(dst, events, last, err)
	case p.callReader != nil:
		events, err := p.callReader.Push(text, last)
		return p.framer.Apply(events, dst), err
	}
	start := p.plainOffset
	p.plainOffset += abi.RawOffset(len(text))
	return append(dst, framing.Delta{Kind: framing.Content, Text: text, Start: start, End: p.plainOffset}), nil
}

// pushVisible passes what the parser of reasoning gives to the parser of calls: text, and
// reasoning too, for a call may stand in a thought.
func (p *pipeline) pushVisible(dst []framing.Delta, events []parse.CheckedEvent, last bool, err error) ([]framing.Delta, error) {
	if p.callReader == nil {
		return p.framer.Apply(events, dst), err
	}
	for i := range events {
		e := &events[i]
		var pushErr error
		switch {
		case e.Kind == abi.Text:
			dst = p.frameThought(dst, p.thoughtTail.flush())
			dst, pushErr = p.readCalls(dst, e, last && i == len(events)-1)
		case e.Kind == abi.Reasoning && p.thoughtTail.markers != nil:
			dst = p.frameThought(dst, p.thoughtTail.push(e))
		case e.Kind == abi.Reasoning:
			dst, pushErr = p.readCalls(dst, e, false)
		}
		if pushErr != nil {
			return dst, pushErr
		}
	}
	return dst, err
}

// frameThought frames reasoning that the parser of calls does not get: it accounts for
// nothing of what that parser reads.
func (p *pipeline) frameThought(dst []framing.Delta, thought []parse.CheckedEvent) []framing.Delta {
	for i := range thought {
		thought[i].Accounted = p.framer.Accounted()
	}
	return p.framer.Apply(thought, dst)
}

// readCalls passes text or reasoning to the parser of calls.
func (p *pipeline) readCalls(dst []framing.Delta, e *parse.CheckedEvent, last bool) ([]framing.Delta, error) {
	p.spans.append(e)
	var events []parse.CheckedEvent
	var err error
	if e.Kind == abi.Text {
		events, err = p.callReader.Push(string(e.Data), last)
	} else {
		events, err = p.callReader.PushThought(string(e.Data))
	}
	return p.applyVisible(dst, events), err
}

// applyVisible frames events whose offsets are those of what the parser of calls reads.
func (p *pipeline) applyVisible(dst []framing.Delta, events []parse.CheckedEvent) []framing.Delta {
	from := len(dst)
	p.inChannels = p.spans.appendInChannels(p.inChannels[:0], events)
	dst = p.framer.Apply(p.inChannels, dst)
	p.spans.toRaw(dst[from:])
	return dst
}

// finish appends what is still held to dst, and closes the sessions.
func (p *pipeline) finish(dst []framing.Delta, reason abi.Finish) ([]framing.Delta, error) {
	if text := p.leadingSpace.flush(); text != "" {
		var err error
		if dst, err = p.openSessions(false, dst); err == nil {
			dst, err = p.pushText(dst, text, false)
		}
		if err != nil {
			return dst, err
		}
	}
	if !p.opened {
		return dst, nil
	}
	if p.reasoningSession != nil {
		events, err := p.reasoningSession.Finish(reason)
		if dst, err = p.pushVisible(dst, events, false, err); err != nil {
			return dst, err
		}
	}
	for _, e := range p.thoughtTail.flush() { // the thought was never closed
		var err error
		if dst, err = p.readCalls(dst, &e, false); err != nil {
			return dst, err
		}
	}
	if p.callReader != nil {
		events, err := p.callReader.Finish(reason)
		if dst = p.applyVisible(dst, events); err != nil {
			return dst, err
		}
	}
	from := len(dst)
	dst = p.framer.Finish(dst)
	p.spans.toRaw(dst[from:])
	return dst, nil
}

// holdsFinish says whether a finish reason has to wait for the end of the stream.
func (p *pipeline) holdsFinish() bool { return p.callReader != nil && p.callReader.Holding() }

// hasNoParser says that no parser reads the text.
func (p *pipeline) hasNoParser() bool {
	return p.opened && p.reasoningSession == nil && p.callReader == nil
}

// inThought says whether the text so far ends in the words of a thought.
func (p *pipeline) inThought() bool {
	session := p.reasoningSession
	if session == nil {
		session = p.callSession
	}
	return session != nil && session.InThought()
}

// holdsOpener says whether the text that is held back holds what opens a call, by the
// parser's markers.
func (p *pipeline) holdsOpener() bool {
	if p.callSession == nil || p.callEngine().Parser().Jail == nil || len(p.plan.Chat.Tools) == 0 || p.plan.CallsOff {
		return false
	}
	held := p.callSession.Held()
	return slices.ContainsFunc(p.callEngine().Parser().Jail.Open, func(marker string) bool { return bytes.Contains(held, []byte(marker)) })
}

// isCloserOfOpenCall says whether a call is open and text holds what closes it, by the
// parser's markers.
func (p *pipeline) isCloserOfOpenCall(text string) bool {
	if p.callSession == nil || !p.callSession.InCall() || p.callEngine().Parser().Jail == nil {
		return false
	}
	return slices.ContainsFunc(p.callEngine().Parser().Jail.Close, func(marker string) bool { return strings.Contains(text, marker) })
}

// guidedVoid is how many values of guided JSON were no call.
func (p *pipeline) guidedVoid() int {
	if p.framer == nil {
		return 0
	}
	return p.framer.Counts().NoCalls
}

// callsGivenUp is how many calls were given up.
func (p *pipeline) callsGivenUp() int {
	if p.framer == nil {
		return 0
	}
	n := p.framer.Counts()
	return n.Cut + n.Dropped
}

// takeCallIndex gives the index of a call that the engine itself made.
func (p *pipeline) takeCallIndex() int {
	p.ensureFramer()
	return p.framer.TakeIndex()
}

// reportAnomalies tells the operator what was out of the ordinary, and logs what the
// client did not get.
func (p *pipeline) reportAnomalies(h *Hooks) {
	if p.framer == nil {
		return
	}
	n := p.framer.Counts()
	for _, a := range []struct {
		kind    string
		n       int
		dropped bool
	}{
		{anomalyCallCut, n.Cut, true}, {anomalyCallDropped, n.Dropped, true}, {anomalyCallSuppressed, n.Suppressed, true},
		{anomalyKeyRepeated, n.Duplicates, true}, {anomalyUnknownTool, n.Unknown, false}, {anomalyUnsound, n.Unsound, false},
		{anomalyRepaired, n.Repaired, false}, {anomalyIDReplaced, n.IDs, false}, {anomalyGuidedVoid, n.NoCalls, false},
		{anomalyOverlong, n.Overlong, false},
	} {
		h.anomaly(a.kind, a.n)
		if a.dropped && a.n > 0 {
			h.info("a part of the answer was dropped", "request", p.run.operator.id, "kind", a.kind, "count", a.n, "parser", p.callParserName())
		}
	}
}

func (p *pipeline) callParserName() string {
	if e := p.callEngine(); e != nil {
		return e.Parser().Name
	}
	return ""
}

func (p *pipeline) close() {
	if p.reasoningSession != nil {
		p.reasoningSession.Close()
	}
	if p.callReader != nil {
		p.callReader.Close()
	}
}
