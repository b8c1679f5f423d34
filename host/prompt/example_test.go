package prompt_test

import (
	"context"
	"fmt"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/prompt"
)

// The prompt's end tells that this model's answer begins inside a thought.
func ExampleTemplate_Render() {
	template, err := prompt.Compile("{% for m in messages %}<|{{ m.role }}|>{{ m.content }}\n{% endfor %}" +
		"{% if add_generation_prompt %}<|assistant|>{% if enable_thinking %}<think>{% endif %}{% endif %}")
	if err != nil {
		panic(err)
	}
	text, err := template.Render(context.Background(), prompt.Input{
		Messages: []jsonx.Raw{jsonx.Raw(`{"role":"user","content":"How warm is it?"}`)},
		Args:     []jsonx.Member{{Name: "enable_thinking", Value: jsonx.Raw("true")}},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(text)
	// Output:
	// <|user|>How warm is it?
	// <|assistant|><think>
}
