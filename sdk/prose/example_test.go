package prose_test

import (
	"fmt"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
)

var exampleGrammar = prose.Compile(prose.Markers{Think: []string{"<think>"}, EndThink: []string{"</think>"}, Calls: []string{"<call>"}})

// turnParser leaves the prose to a Machine and reads a call's body itself.
type turnParser struct{ prose prose.Machine }

func (p *turnParser) Step(w *sdk.Window) {
	for {
		id, ok := p.prose.Next(w)
		if !ok {
			return
		}
		w.Skip(len(exampleGrammar.Call(id))) // a real family reads the call here
	}
}

// Thoughts and markers are told from what the model only quotes.
func Example() {
	module := sdk.Module{New: func(*abi.OpenBlock) sdk.Parser {
		p := &turnParser{}
		p.prose.Start(exampleGrammar, false)
		return p
	}}
	text := "<think>I write '<call>' first.</think>So: <call>"
	s, _ := sdk.Open(&module, &abi.OpenBlock{Tools: []string{"f"}})
	for _, a := range []abi.Answer{s.Push(0, 0, []byte(text)), s.Finish(abi.RawOffset(len(text)), abi.FinishUnknown)} {
		for _, e := range a.Events {
			switch e.Kind {
			case abi.Reasoning:
				fmt.Printf("reasoning %q\n", text[e.Start:e.Start+e.Len])
			case abi.Text:
				fmt.Printf("text %q\n", text[e.Start:e.Start+e.Len])
			}
		}
	}
	// Output:
	// reasoning "I write '<call>' first."
	// text "So: "
}
