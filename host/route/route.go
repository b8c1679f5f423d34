// Package route decides, once per request and before the engine is called, what
// is to happen with the answer: which route it takes, what constrains the
// engine's decoding, where reasoning begins, and whether the request can be
// served at all. It does nothing itself.
package route

// Route is the way that an answer takes through the host.
type Route uint8

const (
	// Pass leaves calls alone; reasoning is split off where a parser is at hand.
	Pass Route = iota
	// Jail holds text back from the first sign of a call until the call is whole.
	Jail
	// Split takes reasoning out first and streams calls from the rest.
	Split
	// Unified has one parser for reasoning and calls.
	Unified
)

func (r Route) String() string { return [...]string{"pass", "jail", "split", "unified"}[r] }
