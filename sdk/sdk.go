// Package sdk is for writing a parser. An author writes one type, a Parser, that
// says which of the bytes it sees are text, reasoning, calls or structure; the
// package keeps the window of unconsumed bytes, the offsets and the events. The
// same type runs natively and, through sdk/guest, as a WebAssembly module.
//
// A parser points, it never writes: everything that it says is a span of what
// the model wrote.
package sdk

import "github.com/turnkey-parsers/turnkey/abi"

// Parser reads the raw text of one session.
type Parser interface {
	// Step consumes what is certain. It is called when the session opens, after
	// each push, and once more at the end, when w.Final is true. What it leaves
	// in the window is there again at the next call, with more behind it.
	//
	// What a Parser has emitted after some bytes may depend on these bytes alone,
	// not on how they were cut into pushes.
	Step(w *Window)
}

// StartOf is the channel that a session starts in. The host decides it, by the
// manifest: it is not for the parser to read the prompt once more. Where the host
// does not know, nothing is open: the content channel.
func StartOf(open *abi.OpenBlock) abi.Channel {
	if open.Start == abi.ChannelUnknown {
		return abi.ChannelContent
	}
	return open.Start
}

// Channeler is a Parser that knows, when it opens, which channel the prompt left
// open. The session then answers STATE.
type Channeler interface {
	Channel() abi.Channel
}

// Module is what a parser module consists of: one grammar family, with all
// parsers that its manifest names.
type Module struct {
	// Manifest is the module's manifest, JSON.
	Manifest string
	// New makes the parser that s.Parser names, or nil if the module has none.
	New func(s *abi.OpenBlock) Parser
	// Constraint builds the constraint for guided native calls: JSON
	// {"scope":"calls|turn","structural_tag":{…}}, or nil where none applies. It
	// may be nil.
	Constraint func(s *abi.OpenBlock) []byte
}

// Session is a running parser: the state behind tk_open, tk_push and tk_finish.
type Session struct {
	window Window
	parser Parser
}

// Open starts a session of m. An unknown parser's session answers a fatal ERROR.
func Open(m *Module, open *abi.OpenBlock) (*Session, abi.Answer) {
	s := &Session{parser: m.New(open)}
	s.window.noTools = len(open.Tools) == 0
	if s.parser == nil {
		s.window.Note("the module has no parser " + open.Parser)
		s.window.Error(abi.CodeUnknownParser, abi.FlagFatal)
		return s, s.window.answer()
	}
	if c, ok := s.parser.(Channeler); ok {
		s.window.emit(abi.Event{Kind: abi.State, Flags: uint8(c.Channel())})
	}
	s.parser.Step(&s.window)
	return s, s.window.answer()
}

// NewSession is a session of p beside that of a host: for a parser that reads ahead with
// another one.
func NewSession(p Parser) *Session { return &Session{parser: p} }

// Push gives the session data, whose first back bytes are left context and whose
// rest stands at absolute offset off.
func (s *Session) Push(off abi.RawOffset, back int, data []byte) abi.Answer {
	s.window.addInput(off, back, data)
	if s.parser != nil {
		s.parser.Step(&s.window)
	}
	return s.window.answer()
}

// Finish ends the session at absolute offset off. A call that is still open is
// dropped, and bytes that the parser left are text.
func (s *Session) Finish(off abi.RawOffset, reason abi.Finish) abi.Answer {
	s.window.addInput(off, 0, nil)
	s.window.Final, s.window.Reason = true, reason
	if s.parser != nil {
		s.parser.Step(&s.window)
	}
	s.window.finish()
	return s.window.answer()
}
