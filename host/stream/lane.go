package stream

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/host/framing"
	"github.com/turnkey-parsers/turnkey/host/jail"
	"github.com/turnkey-parsers/turnkey/host/parse"
)

// reader is what reads a text and says what it holds: a parse session, or the
// jail around one.
type reader interface {
	Push(text string) ([]parse.CheckedEvent, error)
	Finish(reason abi.Finish) ([]parse.CheckedEvent, error)
	Raw(start, end uint32) []byte
	Close()
}

// jailed is what a jail can do beyond.
type jailed interface {
	// Last is Push for the text that came with the finish reason.
	Last(text string) ([]parse.CheckedEvent, error)
	// Holding says whether text is held back.
	Holding() bool
}

// lane takes a choice's text through the parsers of the route. thought takes the
// reasoning out and leaves the rest to calls; either may be missing, and the
// unified route has calls only. Without both the text is content.
type lane struct {
	r      *run
	framer *framing.Framer

	opened  bool
	thought *parse.Session
	calls   reader
	jail    *jail.Jail
	unknown *asText // around calls, where calls of other tools become text
	jailed  jailed  // calls, where it is a jail
	spans   spans
	offset  uint32 // raw text so far, where no parser reads it
	lead    lead
}

func (l *lane) init(r *run) {
	l.r = r
	l.lead.starts = r.o.plan.JSONStarts
}

// engine is the parser that reads the calls; nil: there is none.
func (l *lane) engine() parser.Engine {
	if e := l.r.o.plan.Unified; e != nil {
		return e
	}
	return l.r.o.plan.Calls
}

// open starts the sessions, when the first text is there. answer says that the
// text is the answer, whatever the prompt left open.
func (l *lane) open(answer bool, dst []framing.Delta) ([]framing.Delta, error) {
	l.opened = true
	l.frame()
	if e := l.r.o.plan.Thought; e != nil {
		s, events, err := l.session(e, answer)
		if err != nil {
			return dst, err
		}
		l.thought = s
		dst = l.framer.Apply(events, dst)
	}
	var s *parse.Session
	if e := l.engine(); e != nil {
		var events []parse.CheckedEvent
		var err error
		if s, events, err = l.session(e, answer); err != nil {
			return dst, err
		}
		dst = l.framer.Apply(events, dst)
	}
	l.read(s)
	return dst, nil
}

// read puts around the session what the route needs: a jail, and what makes text
// of calls. There is no session where the model has no parser of calls.
func (l *lane) read(s *parse.Session) {
	p, m := l.r.o.plan, l.r.o.model
	if s != nil {
		l.calls = s
		if p.Jailed() {
			l.jail = jail.New(s, l.engine().Parser().Jail)
			l.calls, l.jailed = l.jail, l.jail
		}
	}
	if p.Jailed() && p.Mode != abi.ModeNative {
		immediate := jail.NewImmediate(l.jail)
		l.calls, l.jailed = immediate, immediate
	}
	if s != nil && m.Unknown == framing.UnknownText && p.Mode == abi.ModeNative && !p.CallsOff && p.Chat.ToolChoice.Name == "" {
		l.unknown = newAsText(l.calls, l.engine().Parser(), l.r.offered, func() { m.Hooks.anomaly(anomalyUnknownTool, 1) })
		l.calls = l.unknown
		if l.jailed != nil {
			l.jailed = l.unknown
		}
	}
}

func (l *lane) session(e parser.Engine, answer bool) (*parse.Session, []parse.CheckedEvent, error) {
	m := l.r.o.model
	open := l.r.o.plan.Open(e)
	if answer {
		open.Start = abi.ChannelResponse
	}
	return parse.Open(parse.Config{
		Engine: e, Open: open, Policy: m.OnFault, Sent: l.sent,
		Limits: parse.Limits{Held: m.Limits.held(), Call: m.Limits.held()},
		OnFault: func(f *parse.FaultError) {
			m.Hooks.anomaly(anomalyFault, 1)
			m.Hooks.warn("parser fault", "request", l.r.o.id, "parser", f.Parser, "offset", f.Offset, "cause", f.Cause)
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
func (l *lane) sent(call uint16) bool {
	return (l.jail == nil || !l.jail.Holds(call)) && (l.unknown == nil || !l.unknown.holds(call)) && l.framer.Sent(call)
}

// frame makes the framer, once.
func (l *lane) frame() {
	if l.framer != nil {
		return
	}
	m, p, e := l.r.o.model, l.r.o.plan, l.engine()
	cfg := framing.Config{
		Tools: l.r.tools, IDs: l.r.ids,
		Guided: p.Mode, NamedTool: p.Chat.ToolChoice.Name,
		GuidedEager: m.Arguments == framing.Eager && !p.Jailed(),
		Arguments:   m.Arguments, Invalid: m.Invalid, Unknown: m.Unknown,
		Single: !p.Chat.ParallelToolCalls, CallsOff: p.CallsOff, KeepControl: m.KeepControl, MaxHeld: m.Limits.held(),
		Raw: func(start, end uint32) []byte {
			if l.calls == nil {
				return nil
			}
			return l.calls.Raw(start, end)
		},
	}
	if e != nil {
		cfg.Typing = e.Parser().Typing
	}
	if p.Jailed() || e != nil && e.Parser().Strict {
		cfg.Arguments = framing.Whole // the call may turn out to be none
	}
	if p.Mode == abi.ModeNative {
		cfg.Only = p.Chat.ToolChoice.Name
	}
	l.framer = framing.New(cfg)
}

// push appends the deltas of more text to dst.
func (l *lane) push(dst []framing.Delta, text string, last bool) ([]framing.Delta, error) {
	text, ready, answer := l.lead.take(text)
	if !ready {
		return dst, nil
	}
	if !l.opened {
		var err error
		if dst, err = l.open(answer, dst); err != nil {
			return dst, err
		}
	}
	return l.text(dst, text, last)
}

func (l *lane) text(dst []framing.Delta, text string, last bool) ([]framing.Delta, error) {
	switch {
	case l.thought != nil:
		events, err := l.thought.Push(text)
		return l.rest(dst, events, last, err)
	case l.calls != nil:
		events, err := l.pushCalls(text, last)
		return l.framer.Apply(events, dst), err
	}
	start := l.offset
	l.offset += uint32(len(text))
	return append(dst, framing.Delta{Kind: framing.Content, Text: text, Start: start, End: l.offset}), nil
}

// rest passes the reasoning of events on, and their text to the parser of calls.
func (l *lane) rest(dst []framing.Delta, events []parse.CheckedEvent, last bool, err error) ([]framing.Delta, error) {
	if l.calls == nil {
		return l.framer.Apply(events, dst), err
	}
	for i := range events {
		e := &events[i]
		if e.Kind != abi.Text {
			dst = l.framer.Apply(events[i:i+1], dst)
			continue
		}
		l.spans.add(e.Start, e.End)
		said, pushErr := l.pushCalls(string(e.Data), last && i == len(events)-1)
		dst = l.mapped(dst, said)
		if pushErr != nil {
			return dst, pushErr
		}
	}
	return dst, err
}

func (l *lane) pushCalls(text string, last bool) ([]parse.CheckedEvent, error) {
	if last && l.jailed != nil {
		return l.jailed.Last(text)
	}
	return l.calls.Push(text)
}

// mapped frames events whose offsets are those of the text without reasoning.
func (l *lane) mapped(dst []framing.Delta, events []parse.CheckedEvent) []framing.Delta {
	from := len(dst)
	dst = l.framer.Apply(events, dst)
	l.spans.raw(dst[from:])
	return dst
}

// finish appends what is still held to dst, and closes the sessions.
func (l *lane) finish(dst []framing.Delta, reason abi.Finish) ([]framing.Delta, error) {
	if text := l.lead.end(); text != "" {
		var err error
		if dst, err = l.open(false, dst); err == nil {
			dst, err = l.text(dst, text, false)
		}
		if err != nil {
			return dst, err
		}
	}
	if !l.opened {
		return dst, nil
	}
	if l.thought != nil {
		events, err := l.thought.Finish(reason)
		if dst, err = l.rest(dst, events, false, err); err != nil {
			return dst, err
		}
	}
	if l.calls != nil {
		events, err := l.calls.Finish(reason)
		if dst = l.mapped(dst, events); err != nil {
			return dst, err
		}
	}
	from := len(dst)
	dst = l.framer.Finish(dst)
	l.spans.raw(dst[from:])
	return dst, nil
}

// holds says whether a finish reason has to wait for the end of the stream.
func (l *lane) holds() bool { return l.jailed != nil && l.jailed.Holding() }

// plain says that no parser reads the text.
func (l *lane) plain() bool { return l.opened && l.thought == nil && l.calls == nil }

// cut is how many calls were given up.
func (l *lane) cut() int {
	if l.framer == nil {
		return 0
	}
	n := l.framer.Counts()
	return n.Cut + n.Dropped
}

// takeIndex gives the index of a call that the engine itself made.
func (l *lane) takeIndex() int {
	l.frame()
	return l.framer.TakeIndex()
}

// count tells the operator what was out of the ordinary.
func (l *lane) count(h *Hooks) {
	if l.framer == nil {
		return
	}
	n := l.framer.Counts()
	for name, v := range map[string]int{
		anomalyCallCut: n.Cut, anomalyCallDropped: n.Dropped, anomalyCallSuppressed: n.Suppressed, anomalyUnknownTool: n.Unknown,
		anomalyUnsound: n.Unsound, anomalyKeyRepeated: n.Duplicates, anomalyControl: n.Repaired,
		anomalyIDReplaced: n.IDs, anomalyGuidedVoid: n.NoCalls, anomalyOverlong: n.Overlong,
	} {
		h.anomaly(name, v)
	}
}

func (l *lane) close() {
	if l.thought != nil {
		l.thought.Close()
	}
	if l.calls != nil {
		l.calls.Close()
	}
}
