package framing_test

import (
	"fmt"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/framing"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/host/typing"
)

// A parser's events become the deltas of a response: ids and indexes are given, bare
// values typed, and what the client should not see is left out.
func ExampleFramer() {
	framer := framing.New(framing.Config{
		Tools: typing.NewTools([]typing.Tool{{Name: "open_vent", Parameters: []byte(`{"properties": {"house": {"type": "integer"}}}`)}}),
		IDs:   framing.NewIDs("functions.{name}:{index}"),
	})
	events := []parse.CheckedEvent{
		{Kind: abi.Reasoning, Data: []byte("It is hot.")},
		{Kind: abi.Call, Data: []byte("open_vent")},
		{Kind: abi.Key, Data: []byte("house")},
		{Kind: abi.Value, Flags: abi.ReadSchema, Data: []byte("3")},
		{Kind: abi.CallEnd},
		{Kind: abi.Text, Data: []byte("Done.")},
	}
	deltas := framer.Apply(events, nil)
	for _, d := range framer.Finish(deltas) {
		switch d.Kind {
		case framing.Reasoning:
			fmt.Println("reasoning", d.Text)
		case framing.Content:
			fmt.Println("content", d.Text)
		case framing.CallHead:
			fmt.Println("call", d.Index, d.ID, d.Name)
		case framing.CallArgs:
			fmt.Println("arguments", d.Index, d.Text)
		case framing.CallEnd:
			fmt.Println("end of call", d.Index)
		}
	}
	// Output:
	// reasoning It is hot.
	// call 0 functions.open_vent:0 open_vent
	// arguments 0 {"house":3}
	// end of call 0
	// content Done.
}
