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

// Session is the parse of one choice's text. It is used by one goroutine at a
// time.
type Session struct {
	cfg   Config
	name  string
	synth bool
	src   parser.Source

	text  text
	given abi.RawOffset // how far the text was given to the source, or taken by a WATCH
	seen  abi.RawOffset // how far it was given to the source

	check   check.Checker
	watch   watcher
	channel abi.Channel

	events   []CheckedEvent // of this call into the session
	literals []byte         // what they say that is synthesised

	fault *FaultError
	plain bool // all that comes is text
	over  bool
}

// Open starts a session and gives the events of the opening answer. Where it
// returns a *FaultError or a *StrictError the session is not nil; it is over. A
// *parser.BusyError is an error under every policy: text that no parser has read must
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
	switch {
	case errors.As(err, &busy):
		return nil, nil, busy
	case err != nil:
		err = s.fail(err)
		return s, s.events, err
	}
	s.src = src
	if err := openError(&s.cfg.Open, &answer); err != nil {
		s.Close()
		return nil, nil, err
	}
	err = s.take(&answer, check.Opening)
	return s, s.events, err
}

// openError finds the ERROR that says that the parser can't be opened as asked.
func openError(open *abi.OpenBlock, a *abi.Answer) error {
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
	s.begin()
	if s.over {
		return nil, nil
	}
	s.text.drop(s.needed())
	if !s.text.add(text) {
		return s.events, s.fail(errTooLong)
	}
	return s.events, s.advance()
}

// Finish ends the text, and the session.
func (s *Session) Finish(reason abi.Finish) ([]CheckedEvent, error) {
	s.begin()
	if s.over {
		return nil, nil
	}
	defer s.Close()
	s.text.drop(s.needed())
	if !s.text.end() {
		return s.events, s.fail(errTooLong)
	}
	if err := s.advance(); err != nil || s.plain {
		return s.events, err
	}
	if s.watch.holds() {
		s.given = s.seen
		if err := s.feed(); err != nil || s.plain {
			return s.events, err
		}
	}
	answer, err := s.src.Finish(s.text.pushed, reason)
	if err != nil {
		return s.events, s.fail(err)
	}
	return s.events, s.take(&answer, check.Finishing)
}

// Close forgets the session. It may be called at any time, also twice.
func (s *Session) Close() {
	s.over = true
	if s.src != nil {
		s.src.Close()
		s.src = nil
	}
}

// Pushed is the length of the text so far, in bytes. Bytes that are no UTF-8
// count as the U+FFFD that stands for them.
func (s *Session) Pushed() abi.RawOffset { return s.text.pushed }

// Accounted is how far the text is accounted for, in bytes.
func (s *Session) Accounted() abi.RawOffset { return s.check.Accounted() }

// Channel is the channel that the parser last said is open.
func (s *Session) Channel() abi.Channel { return s.channel }

// Fault is the parser's fault, or nil. After one all text passes as it is.
func (s *Session) Fault() *FaultError { return s.fault }

// Raw is the raw text from start to end, as far as the session still has it:
// what is not accounted for, and what belongs to an open call of which nothing
// was sent.
func (s *Session) Raw(start, end abi.RawOffset) []byte { return s.text.slice(start, end) }

// needed is the offset from which on text must be kept.
func (s *Session) needed() abi.RawOffset {
	keep := min(s.check.Accounted(), s.given-min(s.given, abi.MaxLeftContext))
	if call, before, open := s.check.OpenCall(); open && !s.sent(call) {
		keep = min(keep, before)
	}
	return keep
}

func (s *Session) sent(call uint16) bool {
	return s.cfg.Sent != nil && s.cfg.Sent(call)
}

// begin forgets the events of the call before.
func (s *Session) begin() {
	s.events, s.literals = s.events[:0], s.literals[:0]
}

// advance deals with the text that came since: a WATCH serves what it can, the
// source gets the rest.
func (s *Session) advance() error {
	if s.plain {
		s.say(s.check.Accounted())
		return nil
	}
	for s.given < s.text.pushed && !s.plain {
		if s.watch.on && !s.look() {
			return s.limits()
		}
		if err := s.call(); err != nil {
			return err
		}
	}
	return nil
}

// feed gives the source all that it was not given, whatever it watches for.
func (s *Session) feed() error {
	for s.given < s.text.pushed && !s.plain {
		if err := s.call(); err != nil {
			return err
		}
	}
	return nil
}

// look leaves to the WATCH what it stands for. It says whether a watched byte
// came, so that the source is to be called.
func (s *Session) look() bool {
	fresh := s.text.slice(s.given, s.text.pushed)
	at := s.watch.find(fresh)
	switch {
	case !s.watch.holds():
		s.serve(s.given + abi.RawOffset(at))
	case at == len(fresh) && s.text.pushed-s.seen < holdAtOnce:
		s.given = s.text.pushed
	default:
		s.given = s.seen
	}
	return s.given < s.text.pushed
}

// serve takes the text up to end for the channel that the WATCH names.
func (s *Session) serve(end abi.RawOffset) {
	if end == s.given {
		return
	}
	flags, call := s.check.ServeWatch(s.watch.kind, end)
	s.events = append(s.events, CheckedEvent{Kind: s.watch.kind, Flags: flags, Call: call, Start: s.given, End: end, Accounted: end})
	s.events[len(s.events)-1].Data = s.text.slice(s.given, end)
	s.given = end
}

// pushAtOnce is the most that one call hands in, in bytes. How text is cut never
// matters to a parser; a bound on it bounds what a call may compute, and so how
// long the garbage collector can wait for a guest.
const pushAtOnce = 512

// holdAtOnce is how many bytes a hold keeps from the source at most: the parser
// has a limit of its own to see to.
const holdAtOnce = 64 << 10

// call pushes the next part of the text.
func (s *Session) call() error {
	from := s.given
	back := leftContext(s.text.slice(s.seen, from))
	data := s.text.slice(from-abi.RawOffset(back), s.text.pushed)
	if n := back + pushAtOnce; len(data) > n {
		for !utf8.RuneStart(data[n]) {
			n--
		}
		data = data[:n]
	}
	s.given = from + abi.RawOffset(len(data)-back)
	s.seen = s.given
	answer, err := s.src.Push(from, back, data)
	if err != nil {
		return s.fail(err)
	}
	return s.take(&answer, check.Pushing)
}

// leftContext is the length of the last whole characters of b that fit a push's
// left context.
func leftContext(b []byte) int {
	n := min(len(b), abi.MaxLeftContext)
	for n > 0 && !utf8.RuneStart(b[len(b)-n]) {
		n--
	}
	return n
}

// limits fails the session that holds back too much.
func (s *Session) limits() error {
	held := s.given - s.check.Accounted()
	if uint64(held) > uint64(s.cfg.Limits.Held) {
		return s.fail(ErrHeld)
	}
	if call, before, open := s.check.OpenCall(); open && uint64(s.given-before) > uint64(s.cfg.Limits.Call) && !s.sent(call) {
		return s.fail(ErrHeld)
	}
	return nil
}
