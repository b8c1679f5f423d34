package conform_test

import (
	"encoding/json"
	"fmt"

	"github.com/turnkey-parsers/turnkey/abi/cases"
	"github.com/turnkey-parsers/turnkey/abi/tck"
	"github.com/turnkey-parsers/turnkey/abi/tck/toy"
	"github.com/turnkey-parsers/turnkey/host/conform"
	"github.com/turnkey-parsers/turnkey/sdk/native"
)

var weather = cases.Case{
	Name: "weather", Input: `<t>Rain?</t>I'll look. (weather{"city":"Oslo"})`,
	Tools: []json.RawMessage{[]byte(`{"type":"function","function":{"name":"weather","parameters":{"type":"object"}}}`)},
	Want: []cases.Piece{
		{Kind: cases.KindReasoning, Text: "Rain?"},
		{Kind: cases.KindText, Text: "I'll look. "},
		{Kind: cases.KindToolCall, Name: "weather", Arguments: []byte(`{"city":"Oslo"}`)},
	},
}

// What a client of turnkey gets of a raw text that comes in two chunks.
func ExampleAssemble() {
	parser, err := native.Parser(&toy.Module, "toy")
	if err != nil {
		fmt.Println(err)
		return
	}
	raw := weather.Input
	pieces, err := conform.Assemble(parser, &weather, []string{raw[:30], raw[30:]})
	for _, p := range pieces {
		p.ID = "" // the host makes it up
		fmt.Println(p)
	}
	fmt.Println("error:", err)
	// Output:
	// {"kind":"reasoning","text":"Rain?"}
	// {"kind":"text","text":"I'll look. "}
	// {"kind":"tool_call","name":"weather","arguments":{"city":"Oslo"}}
	// error: <nil>
}

// A case is run at every split of its text.
func ExampleRun() {
	parser, err := native.Parser(&toy.Module, "toy")
	if err != nil {
		fmt.Println(err)
		return
	}
	failure := cases.Check(conform.Assemble, parser, &weather, tck.EverySplit)
	fmt.Println("failure:", failure)
	// Output: failure: <nil>
}
