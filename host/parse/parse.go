// Package parse runs a parse session: raw model text in, checked and ordered
// events out. What runs the parser, a WebAssembly module, a linked Go package or
// a process, stands behind Engine.
package parse

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
)

// Engine opens sessions of one parser.
type Engine interface {
	// Parser is what the module's manifest says of the parser.
	Parser() *manifest.Parser
	// Open starts a session; the answer is that of tk_open. An error is a fault,
	// unless it is a *BusyError.
	Open(s *abi.OpenBlock) (Source, abi.Answer, error)
}

// Source is one session in an Engine. An error from any method is a fault of the
// engine: the session is over, and its instance is already discarded.
type Source interface {
	Push(off uint32, back int, data []byte) (abi.Answer, error)
	Finish(off uint32, reason abi.Finish) (abi.Answer, error)
	// Discard says that an answer was malformed: the instance is not to be used
	// again.
	Discard(why error)
	// Close forgets the session. It may be called at any time, also twice.
	Close()
}

// CheckedEvent is one event of an answer that was found well-formed.
type CheckedEvent struct {
	Kind  abi.Kind
	Flags uint8
	Call  uint16
	// Code is an Error event's code.
	Code uint32
	// Data is the event's text: a slice of the raw text, or literal bytes. It is
	// valid until the next call into the Session.
	Data []byte
	// Literal says that Data is synthesised.
	Literal bool
	// Start and End are the span of the raw text, absolute; End is where it ends,
	// not the event's end. Both are 0 for literals and events without a span.
	Start, End uint32
	// Accounted is the offset up to which the input is accounted for.
	Accounted uint32
}
