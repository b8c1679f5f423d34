// Package parser says what a running parser is to the one who drives it, whatever
// runs it: a WebAssembly module (package wasm), a linked Go package (sdk/native)
// or a process (host/process). Its types speak of nothing but package abi.
//
// An Engine opens sessions; a Source is one of them. Neither checks what the
// parser answers: package check says whether an answer is well-formed.
package parser

import (
	"fmt"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
)

// Engine opens sessions of one parser. It may be used by many goroutines.
type Engine interface {
	// Parser is what the module's manifest says of the parser. It is not to be
	// changed.
	Parser() *manifest.Parser
	// Open starts a session; the answer is that of tk_open, valid until the next
	// call into the Source. The block is not kept. An error is a fault of the
	// parser, unless it is a *BusyError or a *TooLargeError.
	Open(block *abi.OpenBlock) (Source, abi.Answer, error)
}

// Source is one session in an Engine, for one goroutine at a time. An answer is
// valid until the next call. An error from any method is a fault of the parser:
// the session is over, and its instance is already discarded.
type Source interface {
	// Push hands in text, as tk_push does: the first back bytes of data are left
	// context (at most abi.MaxLeftContext), the rest stands at offset off of the
	// session's raw text. data is not kept.
	Push(off abi.RawOffset, back int, data []byte) (abi.Answer, error)
	// Finish says that the raw text ended at offset off, as tk_finish does. Its
	// answer is the last.
	Finish(off abi.RawOffset, reason abi.Finish) (abi.Answer, error)
	// Discard says that an answer was malformed: the instance is not to be used
	// again.
	Discard(why error)
	// Close forgets the session. It may be called at any time, also twice.
	Close()
}

// Constrainer is an Engine whose parser can say how to guide the inference
// engine's decoding.
type Constrainer interface {
	// Constraint gives the constraint for guided native calls, JSON
	// {"scope":"calls|turn","structural_tag":{…}}, or nil where none applies.
	Constraint(block *abi.OpenBlock) ([]byte, error)
}

// Admitter is an Engine that can tell before a session is needed whether a request is
// too large for one.
type Admitter interface {
	// Admit gives a *TooLargeError for a block that can't be opened for its size, and
	// nil for all others.
	Admit(block *abi.OpenBlock) error
}

// TooLargeError says that a request goes beyond what the parser's module may use up: a
// session can't be opened, or a constraint not be built, for so many tools. It is no
// fault of the parser.
type TooLargeError struct {
	Parser string // its name within its module
	// Limit is the limit's setting, among those of the module's class: fuel_most,
	// fuel_constraint, memory, literals, events.
	Limit string
	Cause error
}

// Error names the parser and the limit.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the request's tools are too much for the parser %s: beyond the limit %s of its module", e.Parser, e.Limit)
}

// Unwrap gives what the module's engine answered.
func (e *TooLargeError) Unwrap() error { return e.Cause }

// BusyError says that no room is free for another session. It is no fault of the
// parser: the request has to come again later.
type BusyError struct {
	Parser string // its name within its module
	Cause  error
}

// Error names the parser and the limit that was met.
func (e *BusyError) Error() string {
	return fmt.Sprintf("parser %s has no room for another session: %v", e.Parser, e.Cause)
}

// Unwrap gives what the engine answered.
func (e *BusyError) Unwrap() error { return e.Cause }
