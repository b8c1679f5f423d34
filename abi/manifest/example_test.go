package manifest_test

import (
	"fmt"

	"github.com/turnkey-parsers/turnkey/abi/manifest"
)

func ExampleParse() {
	m, err := manifest.Parse([]byte(`{"abi": "1.0", "module": "larch", "version": "1.0.0", "parsers": [
		{"name": "larch", "kind": "unified", "models": ["(?i)larch"], "prompt": {"reasoning": ["<think>"]},
		 "siblings": {"tools": {}, "reasoning": {}}}]}`))
	if err != nil {
		panic(err)
	}
	for _, p := range m.Parsers {
		fmt.Println(p.Name, p.Kind, p.Suggests("org/Larch-7B"))
	}
	// Output:
	// larch unified true
	// larch_tools tools false
	// larch_reasoning reasoning false
}

func ExampleParser_StartAfter() {
	p := manifest.Parser{Prompt: &manifest.Prompt{Reasoning: []string{"<think>"}, Response: []string{"</think>"}}}
	for _, tail := range []string{"assistant\n", "assistant\n<think>\n", "<think>\n\n</think>\n\n"} {
		fmt.Println(p.StartAfter(tail)) // START: 1 content, 2 reasoning, 3 response
	}
	// Output:
	// 1
	// 2
	// 3
}
