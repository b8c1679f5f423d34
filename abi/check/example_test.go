package check_test

import (
	"fmt"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/check"
)

// A host checks each answer before it takes any of it.
func ExampleChecker() {
	var session check.Checker
	raw := []byte("Rain? Yes.")
	answer := abi.Answer{Events: []abi.Event{
		{Kind: abi.Reasoning, Start: 0, Len: 5, End: 6},
		{Kind: abi.Text, Start: 4, Len: 6, End: 10}, // gives the question mark once more
	}}
	if err := session.Answer(&answer, check.Text{Bytes: raw, End: 10}, check.Pushing); err != nil {
		fmt.Println(err)
	}
	answer.Events[1] = abi.Event{Kind: abi.Text, Start: 6, Len: 4, End: 10}
	if err := session.Answer(&answer, check.Text{Bytes: raw, End: 10}, check.Pushing); err == nil {
		fmt.Println("well-formed, and accounted for up to", session.Accounted())
	}
	// Output:
	// malformed answer: event 1, TEXT: its span begins at 4, but text up to 5 was said before
	// well-formed, and accounted for up to 10
}
