package parse_test

import (
	"fmt"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/tck/toy"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/sdk/native"
)

// A session takes the inference engine's text in the pieces in which it comes, and
// gives what is certain at once.
func ExampleSession() {
	parser, err := native.Parser(&toy.Module, "toy")
	if err != nil {
		fmt.Println(err)
		return
	}
	session, _, err := parse.Open(parse.Config{Engine: parser, Open: abi.OpenBlock{Tools: []string{"weather"}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	for _, chunk := range []string{"<t>Rai", "n?</", "t>I'll look. (weather{", `"city":"Oslo"})`} {
		events, err := session.Push(chunk)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, e := range events {
			fmt.Printf("behind %q: %v %q\n", chunk, e.Kind, e.Data)
		}
	}
	if _, err := session.Finish(abi.FinishUnknown); err != nil {
		fmt.Println(err)
	}
	// Output:
	// behind "<t>Rai": COMMIT ""
	// behind "<t>Rai": REASONING "Rai"
	// behind "n?</": REASONING "n?"
	// behind "t>I'll look. (weather{": COMMIT ""
	// behind "t>I'll look. (weather{": TEXT "I'll look. "
	// behind "\"city\":\"Oslo\"})": CALL "weather"
	// behind "\"city\":\"Oslo\"})": ARGS "{\"city\":\"Oslo\"}"
	// behind "\"city\":\"Oslo\"})": CALL_END ""
}
