package guided_test

import (
	"fmt"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/guided"
)

// The engine was made to write JSON for the calls; the thought before it, and the
// marker that the model wrote all the same, are no part of it.
func Example() {
	grammar := guided.Compile(guided.Markup{
		Think: []string{"<think>"}, EndThink: []string{"</think>"}, Openers: []string{"<tool_call>"}, Strip: []string{"</tool_call>"},
	})
	module := sdk.Module{New: func(open *abi.OpenBlock) sdk.Parser { return guided.New(grammar, open, nil) }}
	text := `<think>hm</think><tool_call>[{"name":"f"}]`
	s, _ := sdk.Open(&module, &abi.OpenBlock{Mode: abi.ModeGuidedRequired, Tools: []string{"f"}})
	for _, a := range []abi.Answer{s.Push(0, 0, []byte(text)), s.Finish(abi.RawOffset(len(text)), abi.FinishUnknown)} {
		for _, e := range a.Events {
			switch {
			case e.Kind == abi.Reasoning:
				fmt.Printf("reasoning %s\n", text[e.Start:e.Start+e.Len])
			case e.Kind == abi.Text && e.Flags&abi.FlagPayload != 0:
				fmt.Printf("payload %s\n", text[e.Start:e.Start+e.Len])
			}
		}
	}
	// Output:
	// reasoning hm
	// payload [{"name":"f"}]
}
