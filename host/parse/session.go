package parse

import (
	"errors"
	"unicode/utf8"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/check"
	"github.com/turnkey-parsers/turnkey/abi/parser"
)

// FaultPolicy says what becomes of a session whose parser failed.
type FaultPolicy uint8

// The policies.
const (
	// FaultToText makes the input that is not accounted for, and all that
	// follows, text.
	FaultToText FaultPolicy = iota
	// FaultIsError makes Push and Finish return a *FaultError.
	FaultIsError
)

// Limits bound what one session keeps. Zero values mean the defaults.
type Limits struct {
	Held int // bytes that the parser may hold back; default 1 MiB
	Call int // bytes kept of an open call of which nothing was sent; default 8 MiB
}

// Default limits.
const (
	DefaultHeld = 1 << 20
	DefaultCall = 8 << 20
)

// Config opens a Session.
type Config struct {
	Engine parser.Engine
	Open   abi.OpenBlock // its Parser is the engine's
	Policy FaultPolicy
	Limits Limits
	// Sent says whether anything of a call, or of its being given up on purpose,
	// is already decided: such a call can't become text again after a fault.
	// framing.Framer.Sent is meant. nil: nothing ever is.
	Sent func(call uint16) bool
	// OnFault is told of a fault, whatever the policy. It may be nil.
	OnFault func(*FaultError)
	// OnNote gets what the module tells the operator: its NOTEs, and the ERRORs
	// that are not errors of the request. It may be nil.
	OnNote func(Note)
}

// Note is a module's word to the operator. It may quote the model's output.
type Note struct {
	Code    uint32 // of an ERROR; 0 for a NOTE
	Error   bool   // it was an ERROR
	Call    uint16
	Message string
}

// Session parses the raw text of one output: it hands the text to a parser, heeds
// the parser's WATCH, checks each answer, and falls back to plain text after a
// fault. It is used by one goroutine at a time.
type Session struct {
	cfg    Config
	name   string        // of the parser, within its module
	source parser.Source // nil once it is closed

	text      rawText
	delivered abi.RawOffset // up to where the text went to the source, or to a WATCH
	sourceEnd abi.RawOffset // up to where it went to the source

	check   check.Checker
	watch   watcher
	channel abi.Channel

	events checkedEvents // of this call into the session

	fault       *FaultError
	passThrough bool // no parser reads the text any more: all of it is TEXT
	closed      bool
}

// Open starts a session and gives the events of the opening answer. Where it
// returns a *FaultError or a *StrictError the session is not nil; it is over. A
// *parser.BusyError and a *parser.TooLargeError are errors under every policy: text that no parser has read must
// not go out for want of room.
func Open(cfg Config) (*Session, []CheckedEvent, error) {
	if cfg.Limits.Held <= 0 {
		cfg.Limits.Held = DefaultHeld
	}
	if cfg.Limits.Call <= 0 {
		cfg.Limits.Call = DefaultCall
	}
	p := cfg.Engine.Parser()
	cfg.Open.Parser = p.Name
	s := &Session{cfg: cfg, name: p.Name, check: check.Checker{Rules: check.Rules{Synthesises: p.Synthesises}}}
	src, answer, err := cfg.Engine.Open(&s.cfg.Open)
	var busy *parser.BusyError
	var large *parser.TooLargeError
	switch {
	case errors.As(err, &busy):
		return nil, nil, busy
	case errors.As(err, &large):
		return nil, nil, large
	case err != nil:
		err = s.failSession(err)
		return s, s.events.list, err
	}
	s.source = src
	if err := findOpenError(&s.cfg.Open, &answer); err != nil {
		s.Close()
		return nil, nil, err
	}
	err = s.takeAnswer(&answer, check.Opening)
	return s, s.events.list, err
}

// findOpenError finds the ERROR that says that the parser can't be opened as asked.
func findOpenError(open *abi.OpenBlock, a *abi.Answer) error {
	for i, e := range a.Events {
		if e.Kind != abi.Error || e.Flags&abi.FlagFatal == 0 ||
			(e.Start != abi.CodeUnknownParser && e.Start != abi.CodeBadOpen) {
			continue
		}
		err := &OpenError{Parser: open.Parser, Code: e.Start}
		for _, l := range a.Events[:i] {
			if l.Kind == abi.Literal && uint64(l.Start)+uint64(l.Len) <= uint64(len(a.Literals)) {
				err.Message = string(a.Literals[l.Start : l.Start+l.Len])
			}
		}
		return err
	}
	return nil
}

// Push gives the session more text. The events and their data are valid until
// the next call into the session. Events that come along with an error are
// certain and go before it.
func (s *Session) Push(text string) ([]CheckedEvent, error) {
	s.events.reset()
	if s.closed {
		return nil, nil
	}
	s.text.dropBefore(s.keepFrom())
	if !s.text.appendText(text) {
		err := s.failSession(errTooLong)
		return s.events.list, err
	}
	err := s.deliverText()
	return s.events.list, err
}

// Finish ends the text, and the session.
func (s *Session) Finish(reason abi.Finish) ([]CheckedEvent, error) {
	s.events.reset()
	if s.closed {
		return nil, nil
	}
	defer s.Close()
	s.text.dropBefore(s.keepFrom())
	if !s.text.endText() {
		err := s.failSession(errTooLong)
		return s.events.list, err
	}
	if err := s.deliverText(); err != nil || s.passThrough {
		return s.events.list, err
	}
	if s.watch.holds() {
		s.delivered = s.sourceEnd
		if err := s.pushAll(); err != nil || s.passThrough {
			return s.events.list, err
		}
	}
	answer, err := s.source.Finish(s.text.length, reason)
	if err != nil {
		err = s.failSession(err)
		return s.events.list, err
	}
	err = s.takeAnswer(&answer, check.Finishing)
	return s.events.list, err
}

// Close forgets the session. It may be called at any time, also twice.
func (s *Session) Close() {
	s.closed = true
	if s.source != nil {
		s.source.Close()
		s.source = nil
	}
}

// Pushed is the length of the raw text so far. Bytes that are no UTF-8 count as
// the U+FFFD that stands for them.
func (s *Session) Pushed() abi.RawOffset { return s.text.length }

// Accounted is the offset up to which the text is accounted for.
func (s *Session) Accounted() abi.RawOffset { return s.check.Accounted() }

// Channel is the channel of the last STATE.
func (s *Session) Channel() abi.Channel { return s.channel }

// InCall says that a call is open.
func (s *Session) InCall() bool {
	_, _, open := s.check.OpenCall()
	return open
}

// Held is the raw text that is not accounted for. It is valid until the next call into
// the Session.
func (s *Session) Held() []byte { return s.text.slice(s.check.Accounted(), s.text.length) }

// InThought says that the text so far ends in the words of a thought: they are the
// last that was said, and nothing behind them, such as a closer, is accounted for.
func (s *Session) InThought() bool {
	return s.events.said == abi.Reasoning && s.check.Accounted() == s.check.ProseEnd()
}

// Fault is the parser's fault, or nil. After one all text passes as it is.
func (s *Session) Fault() *FaultError { return s.fault }

// Raw is the raw text from start to end, as far as the session still has it:
// what is not accounted for, and what belongs to an open call of which nothing
// was sent.
func (s *Session) Raw(start, end abi.RawOffset) []byte { return s.text.slice(start, end) }

// keepFrom is the offset from which on the raw text must be kept: for what is not
// accounted for, for left context, and for a call that may yet become text.
func (s *Session) keepFrom() abi.RawOffset {
	keep := min(s.check.Accounted(), s.delivered-min(s.delivered, abi.MaxLeftContext))
	if call, before, open := s.check.OpenCall(); open && !s.callSent(call) {
		keep = min(keep, before)
	}
	return keep
}

// callSent says that something of the call was sent to the client.
func (s *Session) callSent(call uint16) bool {
	return s.cfg.Sent != nil && s.cfg.Sent(call)
}

// deliverText deals with the text that came since: a WATCH serves what it can, the
// source gets the rest.
func (s *Session) deliverText() error {
	if s.passThrough {
		s.emitRest(s.check.Accounted())
		return nil
	}
	for s.delivered < s.text.length && !s.passThrough {
		if s.watch.standing && !s.heedWatch() {
			return s.checkLimits()
		}
		if err := s.pushPart(); err != nil {
			return err
		}
	}
	return nil
}

// pushAll pushes all text that the source was not given, whatever it watches for.
func (s *Session) pushAll() error {
	for s.delivered < s.text.length && !s.passThrough {
		if err := s.pushPart(); err != nil {
			return err
		}
	}
	return nil
}

// heedWatch leaves to the standing WATCH the text that it speaks for. It says
// whether a watched byte came, so that the source is to be called.
func (s *Session) heedWatch() bool {
	fresh := s.text.slice(s.delivered, s.text.length)
	at := s.watch.findWatched(fresh)
	switch {
	case !s.watch.holds():
		s.serveWatch(s.delivered + abi.RawOffset(at))
	case at == len(fresh) && s.text.length-s.sourceEnd < maxHoldBytes:
		s.delivered = s.text.length
	default:
		s.delivered = s.sourceEnd
	}
	return s.delivered < s.text.length
}

// serveWatch emits the text up to end as an event of the kind that the WATCH names,
// as if the parser had answered it.
func (s *Session) serveWatch(end abi.RawOffset) {
	if end == s.delivered {
		return
	}
	e := s.events.emitSpan(s.watch.kind, s.delivered, end, &s.text)
	e.Flags, e.Call = s.check.ServeWatch(s.watch.kind, end)
	s.delivered = end
}

// maxPushBytes is the most that one call hands in, in bytes. How text is cut never
// matters to a parser; a bound on it bounds what a call may compute, and so how
// long the garbage collector can wait for a guest.
const maxPushBytes = 512

// maxHoldBytes is how many bytes a hold keeps from the source at most: the parser
// has a limit of its own to see to.
const maxHoldBytes = 64 << 10

// pushPart pushes the next part of the text.
func (s *Session) pushPart() error {
	from := s.delivered
	back := leftContextLen(s.text.slice(s.sourceEnd, from))
	data := s.text.slice(from-abi.RawOffset(back), s.text.length)
	if n := back + maxPushBytes; len(data) > n {
		for !utf8.RuneStart(data[n]) {
			n--
		}
		data = data[:n]
	}
	s.delivered = from + abi.RawOffset(len(data)-back)
	s.sourceEnd = s.delivered
	answer, err := s.source.Push(from, back, data)
	if err != nil {
		return s.failSession(err)
	}
	return s.takeAnswer(&answer, check.Pushing)
}

// leftContextLen is the length of the last whole characters of b that fit a push's
// left context.
func leftContextLen(b []byte) int {
	n := min(len(b), abi.MaxLeftContext)
	for n > 0 && !utf8.RuneStart(b[len(b)-n]) {
		n--
	}
	return n
}

// checkLimits fails the session that holds back too much.
func (s *Session) checkLimits() error {
	held := s.delivered - s.check.Accounted()
	if uint64(held) > uint64(s.cfg.Limits.Held) {
		return s.failSession(ErrHeld)
	}
	if call, before, open := s.check.OpenCall(); open && uint64(s.delivered-before) > uint64(s.cfg.Limits.Call) && !s.callSent(call) {
		return s.failSession(ErrHeld)
	}
	return nil
}
