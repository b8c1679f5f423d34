package tck_test

import (
	"fmt"
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/tck"
	"github.com/turnkey-parsers/turnkey/abi/tck/toy"
	"github.com/turnkey-parsers/turnkey/sdk/native"
)

// A parser has to say the same of a text, however the text is cut. The parser
// toy_late does not: it loses a call that comes in more than two pushes.
func ExampleCheckText() {
	for _, name := range []string{"toy", "toy_late"} {
		parser, err := native.Parser(&toy.Module, name)
		if err != nil {
			fmt.Println(err)
			return
		}
		block := abi.OpenBlock{Tools: []string{"f"}}
		err = tck.CheckText(parser, block, `Yes. (f{"a":1})`, abi.FinishUnknown, tck.EverySplit)
		if err == nil {
			fmt.Println(name, "says the same at every split")
			continue
		}
		first, _, _ := strings.Cut(err.Error(), "\n")
		fmt.Println(name, "does not:", first)
	}
	// Output:
	// toy says the same at every split
	// toy_late does not: text "Yes. (f{\"a\":1})": split whole, WATCH ignored: after 15 bytes, what was said differs:
}
