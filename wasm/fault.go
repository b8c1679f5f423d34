package wasm

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Fault is an error of a running module. The instance that made it is gone.
type Fault struct {
	Module  string   // the manifest's name
	Version string   // the manifest's version
	Digest  [32]byte // SHA-256 of the module's bytes
	Export  string   // what was called
	Cause   error
}

func (f *Fault) Error() string {
	return fmt.Sprintf("module %s %s: %s: %s", f.Module, f.Version, f.Export, firstLine(f.Cause))
}

// Unwrap gives the cause: a LimitError, an ExitError, wazero's error of a trap,
// or what Discard was told.
func (f *Fault) Unwrap() error { return f.Cause }

// LoadError says why a module can't be used.
type LoadError struct {
	Module  string // the manifest's name, "" where it was not read
	Version string
	Cause   error
}

func (e *LoadError) Error() string {
	name := strings.TrimSpace("module " + e.Module + " " + e.Version)
	return name + " can't be loaded: " + firstLine(e.Cause)
}

// Unwrap gives the cause.
func (e *LoadError) Unwrap() error { return e.Cause }

// LimitError says that a limit was passed.
type LimitError struct {
	Limit string // the field of Limits, e.g. "HeldBytes"
	Max   int64  // in that field's units; a time is in nanoseconds
	Value int64  // what was asked for; 0 where it was cut off at Max
}

func (e *LimitError) Error() string {
	if e.Limit == "CompileTime" {
		return fmt.Sprintf("limit %s: more than %v", e.Limit, time.Duration(e.Max))
	}
	if e.Value == 0 {
		return fmt.Sprintf("limit %s: more than %d", e.Limit, e.Max)
	}
	return fmt.Sprintf("limit %s: %d, more than %d", e.Limit, e.Value, e.Max)
}

// exceeds is a LimitError if value is more than most.
func exceeds[T int | int64 | uint32](limit string, value, most T) error {
	if value <= most {
		return nil
	}
	return &LimitError{Limit: limit, Max: int64(most), Value: int64(value)}
}

// settingOf is a limit's name in the configuration; most is that of the fuel's cap.
func (e *LimitError) settingOf(most string) string {
	switch e.Limit {
	case "MemoryPages":
		return "memory"
	case "LiteralBytes":
		return "literals"
	case "Events":
		return "events"
	}
	return most
}

// ExitError says that a guest called proc_exit.
type ExitError struct{ Code uint32 }

func (e *ExitError) Error() string {
	return fmt.Sprintf("the guest ended itself: proc_exit(%d)", e.Code)
}

var (
	// ErrClosed is what a Module or a Runtime answers once Close was called.
	ErrClosed = errors.New("wasm: closed")

	// ErrWaits says that a guest waits for time or input; neither will come.
	ErrWaits = errors.New("the guest waits (poll_oneoff), but a parser has nothing to wait for")

	errReplay        = errors.New("the module's answers differ when the same text is replayed")
	errReplayTooLong = errors.New("the instance was lost by a fault of another session, and this session is too long to be replayed")
)

// firstLine is an error's text without the stack that wazero adds to it.
func firstLine(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return strings.TrimSuffix(text, " (recovered by wazero)")
}
