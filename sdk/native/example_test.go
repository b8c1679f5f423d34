package native_test

import (
	"bytes"
	"fmt"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/native"
)

// bars is a grammar in which a text up to the first bar is a thought.
var bars = sdk.Module{
	Manifest: `{"abi":"1.0","module":"bars","version":"1.0.0","parsers":[{"name":"bars","kind":"reasoning"}]}`,
	New:      func(*abi.OpenBlock) sdk.Parser { return &barParser{} },
}

type barParser struct{ thought bool }

func (p *barParser) Step(w *sdk.Window) {
	if !p.thought {
		n := bytes.IndexByte(w.Bytes(), '|')
		if n < 0 {
			w.Reasoning(w.Len())
			return
		}
		w.Reasoning(n)
		w.Skip(1)
		p.thought = true
	}
	w.Text(w.Len())
}

// A text is parsed by a linked parser, without WebAssembly and without a host.
func ExampleParser() {
	parser, err := native.Parser(&bars, "bars")
	if err != nil {
		fmt.Println(err)
		return
	}
	const raw = "Is it raining? It is.|Take an umbrella."
	source, _, err := parser.Open(&abi.OpenBlock{Parser: "bars"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer source.Close()
	answer, err := source.Push(0, 0, []byte(raw))
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range answer.Events {
		start, end := answer.Events[i].Span()
		fmt.Printf("%v %q\n", answer.Events[i].Kind, raw[start:end])
	}
	// Output:
	// REASONING "Is it raining? It is."
	// TEXT "Take an umbrella."
}
