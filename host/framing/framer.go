package framing

import "github.com/turnkey-parsers/turnkey/host/parse"

// Framer frames the events of one choice.
type Framer struct {
	cfg    Config
	counts Counts
	next   int
}

// New makes a Framer.
func New(cfg Config) *Framer {
	if cfg.IDs == nil {
		cfg.IDs = NewIDs(false)
	}
	return &Framer{cfg: cfg}
}

// Apply appends the deltas that events make to dst. What can't be told yet waits
// for the next Apply or for Finish.
func (f *Framer) Apply(events []parse.Event, dst []Delta) []Delta { return dst }

// Finish appends what waited. It comes after the events of the parse session's
// own end.
func (f *Framer) Finish(dst []Delta) []Delta { return dst }

// Sent says whether it is decided what the client sees of a call: something of
// it went out, or it goes nowhere on purpose. Only other calls can still become
// text.
func (f *Framer) Sent(call uint16) bool { return false }

// TakeIndex gives the next index on the wire away, for a call that the engine
// itself made.
func (f *Framer) TakeIndex() int {
	f.next++
	return f.next - 1
}

// Counts is what was counted so far.
func (f *Framer) Counts() Counts { return f.counts }
