package jail

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/parse"
)

// Reader reads one choice's text and gives the events in it: a parse session, or
// something round one that delays or changes what it gives. Offsets are those of
// the text that the reader is pushed.
type Reader interface {
	// Push takes more text. last says that it came with the finish reason. The
	// events are valid until the next call.
	Push(text string, last bool) ([]parse.CheckedEvent, error)
	// PushThought takes text of a thought: a call may stand in it, bare JSON can't.
	// What is no call is given as abi.Text; the caller knows what it is.
	PushThought(text string) ([]parse.CheckedEvent, error)
	// Finish ends the text.
	Finish(reason abi.Finish) ([]parse.CheckedEvent, error)
	// Raw gives the text of a range, as far as the reader still has it.
	Raw(start, end abi.RawOffset) []byte
	// Holding says whether a finish reason has to wait: text is held back that the
	// end decides about.
	Holding() bool
	// Owns says whether a call is held back whole: none of its events was given, so
	// that all of it can still become text.
	Owns(call uint16) bool
	Close()
}

// Direct reads with the session alone: what it says is given at once.
func Direct(s *parse.Session) Reader { return direct{s} }

type direct struct{ *parse.Session }

func (d direct) Push(text string, _ bool) ([]parse.CheckedEvent, error) { return d.Session.Push(text) }

func (d direct) PushThought(text string) ([]parse.CheckedEvent, error) { return d.Session.Push(text) }

// Holding is false: what a session holds back, it gives at the end.
func (d direct) Holding() bool { return false }

func (d direct) Owns(uint16) bool { return false }
