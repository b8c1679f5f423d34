package jail_test

import (
	"fmt"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/hermes"
	"github.com/turnkey-parsers/turnkey/host/jail"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/sdk/native"
)

// A jail lets text out at once and keeps what may be a call until the parser says
// that it is whole.
func ExampleNew() {
	engine, err := native.Parser(&hermes.Module, "hermes_tools")
	if err != nil {
		panic(err)
	}
	session, _, err := parse.Open(parse.Config{Engine: engine, Open: abi.OpenBlock{Parser: "hermes_tools", Tools: []string{"look"}}})
	if err != nil {
		panic(err)
	}
	reader := jail.New(session, engine.Parser().Jail)
	defer reader.Close()
	for _, text := range []string{"One moment.", "<tool_call>{\"name\": \"look\", ", "\"arguments\": {}}</tool_call>"} {
		events, err := reader.Push(text, false)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%d events, holding %v\n", len(events), reader.Holding())
	}
	// Output:
	// 1 events, holding false
	// 0 events, holding true
	// 3 events, holding false
}
