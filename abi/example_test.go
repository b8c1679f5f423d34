package abi_test

import (
	"fmt"

	"github.com/turnkey-parsers/turnkey/abi"
)

// What a host opens a session with, on its way to a module and back.
func ExampleAppendOpen() {
	block := abi.AppendOpen(nil, &abi.OpenBlock{
		Parser: "larch", Start: abi.ChannelReasoning, Tools: []string{"get_weather"},
		Flags: abi.OpenReasoning | abi.OpenParallel,
	})
	read, err := abi.DecodeOpen(block)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(block), "bytes:", read.Parser, read.Tools, read.Start == abi.ChannelReasoning)
	// Output: 71 bytes: larch [get_weather] true
}

// A parser points into the raw text: what its events say is sliced from it.
func ExampleEvent() {
	const raw = "<t>Rain?</t>Yes."
	answer := abi.Answer{Events: []abi.Event{
		{Kind: abi.Reasoning, Start: 3, Len: 5, End: 12}, // 8 to 12 is structure
		{Kind: abi.Text, Start: 12, Len: 4, End: 16},
	}}
	for i := range answer.Events {
		e := &answer.Events[i]
		start, end := e.Span()
		fmt.Printf("%v %q, accounted for up to %d\n", e.Kind, raw[start:end], e.End)
	}
	// Output:
	// REASONING "Rain?", accounted for up to 12
	// TEXT "Yes.", accounted for up to 16
}
