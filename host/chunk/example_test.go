package chunk_test

import (
	"fmt"

	"github.com/turnkey-parsers/turnkey/host/chunk"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// What rides on chunks that a parser swallows leaves with the next output; what
// belongs to the end waits for the finish reason.
func ExampleJoiner() {
	joiner := chunk.Joiner{Wants: func(string) bool { return true }}
	for _, nvext := range []string{`{"completion_token_ids":[1,2]}`, `{"completion_token_ids":[3],"timing":{"ms":4}}`} {
		joiner.Collect(&chunk.Item{Data: &openai.Chunk{NVExt: openai.Raw(nvext)}})
	}
	maker := chunk.Maker{}
	out := maker.WithChoice(0)
	joiner.Attach(out, false)
	fmt.Printf("%s\n", out.NVExt)
	last := maker.WithChoice(0)
	joiner.Attach(last, true)
	fmt.Printf("%s\n", last.NVExt)
	// Output:
	// {"completion_token_ids":[1,2,3]}
	// {"timing":{"ms":4}}
}
