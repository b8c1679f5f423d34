package prompt

import "testing"

func TestReadTokenizerConfig(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       TokenizerConfig
		err        string
	}{
		{"texts", `{"chat_template":"{{ x }}","bos_token":"<s>","eos_token":"</s>"}`, TokenizerConfig{"{{ x }}", "<s>", "</s>"}, ""},
		{"token objects", `{"chat_template":"x","bos_token":null,"eos_token":{"content":"<|end|>","lstrip":false}}`, TokenizerConfig{"x", "", "<|end|>"}, ""},
		{"named templates", `{"chat_template":[{"name":"tool_use","template":"t"},{"name":"default","template":"d"}]}`, TokenizerConfig{ChatTemplate: "d"}, ""},
		{"no template", `{"eos_token":"x"}`, TokenizerConfig{}, "chat_template: there is none; it may stand in a file of its own, chat_template.jinja"},
		{"no text", `{"chat_template":"x","eos_token":7}`, TokenizerConfig{ChatTemplate: "x"}, "eos_token: want a token's text"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ReadTokenizerConfig([]byte(tt.text))
			said := ""
			if err != nil {
				said = err.Error()
			}
			if got != tt.want || said != tt.err {
				t.Errorf("%+v, %q", got, said)
			}
		})
	}
}
