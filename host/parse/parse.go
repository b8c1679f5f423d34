// Package parse runs a parse session: raw model text in, checked and ordered
// events out. It knows no engine: what runs the parser is a parser.Engine.
package parse

import (
	"github.com/turnkey-parsers/turnkey/abi"
)

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
	Start, End abi.RawOffset
	// Accounted is the offset up to which the input is accounted for.
	Accounted abi.RawOffset
}
