// Package framing turns the events of a parse session into the deltas that a
// client gets: it types bare values by the tool's schema, writes the JSON of
// call arguments, reads guided JSON, gives ids, and applies the policies for
// arguments.
package framing

// Kind says what a Delta holds.
type Kind uint8

const (
	Content   Kind = iota + 1 // Text
	Reasoning                 // Text
	CallHead                  // Index, ID, Name: the first delta of a call
	CallArgs                  // Index, Text: a fragment of the arguments' JSON
	CallEnd                   // Index, Unsound: the call is complete
	CallCut                   // Index: the call was given up after its head went out
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
	// Start and End are the range of the raw text that the delta came from, in
	// bytes, absolute in the session.
	Start, End uint32
}
