package cases_test

import (
	"fmt"

	"github.com/turnkey-parsers/turnkey/abi/cases"
)

// A file of cases: a raw text, and what a client must get of it.
func ExampleParseFile() {
	file, err := cases.ParseFile("larch.json", []byte(`{"family": "larch", "cases": [
	  {"name": "thought", "why": "what stands in the markers is reasoning", "input": "<t>Rain?</t>Yes.",
	   "want": {"events": [{"kind": "reasoning", "text": "Rain?"}, {"kind": "text", "text": "Yes."}]}}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range file.Cases {
		fmt.Println(c.Family, c.Name, cases.RenderPieces(c.Want))
	}
	// Output: larch thought [{"kind":"reasoning","text":"Rain?"},{"kind":"text","text":"Yes."}]
}
