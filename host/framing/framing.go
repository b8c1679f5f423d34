// Package framing turns the events of a parse session into the deltas that a
// client gets: content, reasoning and tool calls in order, with ids and indexes, and
// with the policies for calls and their arguments applied. The JSON of arguments is
// made in package typing, calls in guided JSON are read in package guided.
package framing

import "github.com/turnkey-parsers/turnkey/abi"

// Kind says what a Delta holds.
type Kind uint8

const (
	Content   Kind = iota + 1 // Text
	Reasoning                 // Text
	CallHead                  // Index, ID, Name: the first delta of a call
	CallArgs                  // Index, Text: a fragment of the arguments' JSON
	CallEnd                   // Index, Unsound: the call is complete
	CallCut                   // Index: the call was given up after its head was sent
)

// Delta is one piece of a choice's answer, in order.
type Delta struct {
	Kind  Kind
	Index int // the call's number on the wire
	ID    string
	Name  string
	Text  string
	// Unsound says that the call was closed, but that its arguments are no JSON
	// object. What went out for them is the policy's.
	Unsound bool
	// Start and End are the range of the session's raw text that the delta came
	// from.
	Start, End abi.RawOffset
}
