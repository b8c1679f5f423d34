package parse

import (
	"errors"
	"fmt"

	"github.com/turnkey-parsers/turnkey/abi"
)

// FaultError says that a parser failed: its engine returned an error, or its
// answer was malformed. Where the session falls back to text it is told only to
// Config.OnFault; under FaultIsError the session returns it.
type FaultError struct {
	Parser string        // name of the parser within its module
	Offset abi.RawOffset // how far the input was accounted for
	Cause  error
}

// Error names the parser, the place and the cause.
func (e *FaultError) Error() string {
	return fmt.Sprintf("parser %s failed at byte %d: %v", e.Parser, e.Offset, e.Cause)
}

// Unwrap gives the error of the engine, or a *check.Error.
func (e *FaultError) Unwrap() error { return e.Cause }

// StrictError is an ERROR event of a session with a turn grammar: the request
// fails. The text that was parsed is not in it.
type StrictError struct {
	Code    uint32 // one of abi's Code… values
	Fatal   bool   // the session could not go on
	Message string // what the module says, for the operator's log only
}

// Error gives the code. The model's text is not in it.
func (e *StrictError) Error() string {
	return fmt.Sprintf("the model's output breaks the turn grammar (code %d)", e.Code)
}

// OpenError says that a parser can't be opened as asked: the module has no such
// parser, or can't read the open block. It is an error of the configuration.
type OpenError struct {
	Parser  string
	Code    uint32
	Message string
}

// Error gives the message, or else the code.
func (e *OpenError) Error() string {
	if e.Message != "" {
		return fmt.Sprintf("parser %s can't be opened: %s", e.Parser, e.Message)
	}
	return fmt.Sprintf("parser %s can't be opened (code %d)", e.Parser, e.Code)
}

// ErrHeld is the cause of a fault in which a session held back more than its
// limit, or a call that nothing was sent of grew beyond its own.
var ErrHeld = errors.New("more is held back than the limit allows")

// errTooLong is the cause of a fault at the end of what offsets can count.
var errTooLong = errors.New("the text is longer than offsets can count (4 GiB)")
