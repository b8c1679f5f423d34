package server

import (
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/builtin"
	"github.com/turnkey-parsers/turnkey/host/config"
	"github.com/turnkey-parsers/turnkey/host/registry"
)

// The parser auto is found by the engine's name for the model, then by the markers in its
// template, then by its own name.
func TestAuto(t *testing.T) {
	r, err := registry.New(t.Context(), registry.Config{Linked: builtin.Modules, Native: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close(t.Context())
	for _, c := range []struct{ name, engineName, template, model, want, refused string }{
		{name: "by the engine's name", engineName: "zai-org/GLM-5.2-FP8", model: "house-model", want: "glm"},
		{name: "engine's name before the template", engineName: "openai/gpt-oss-20b", template: "{{ '<|tool_calls_section_begin|><|tool_call_begin|>' }}", model: "x", want: "harmony"},
		{name: "by the template", template: "{{ '<|tool_calls_section_begin|><|tool_call_begin|>' }}", model: "house-model", want: "kimi_k2"},
		{name: "template before the name", template: "{% if tools %}<|tool_call>call:{% endif %}<tool_call|>", model: "Qwen/Qwen3-8B", want: "gemma4"},
		{name: "name among those with the template's markers", template: "{{ '<tool_call>' }}{{ '</tool_call>' }}", model: "Qwen/Qwen3-8B", want: "hermes"},
		{name: "markers of several", template: "{{ '<tool_call>' }}{{ '</tool_call>' }}", model: "house-model", refused: "name one"},
		{name: "template without markers", template: "{{ messages }}", model: "Qwen/Qwen3-8B", want: "hermes"},
		{name: "by the name", model: "moonshotai/Kimi-K2.5", want: "kimi_k2"},
		{name: "unknown", model: "acme/mistrel-9", refused: "nearest are mistral"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := configuredParsers(&config.Model{Name: c.model, UpstreamModel: c.engineName, ChatTemplate: c.template, Parser: autoParser}, r.View())
			if c.refused != "" {
				if err == nil || !strings.Contains(err.Error(), c.refused) {
					t.Errorf("parser %s, error %v; want one that says %q", got.tool, err, c.refused)
				}
				return
			}
			if err != nil || got.tool != c.want {
				t.Errorf("parser %q, error %v; want %q", got.tool, err, c.want)
			}
		})
	}
}

// A name that is only a parser of thoughts does not stand for a whole grammar where parsers
// of calls are called like it.
func TestParserOfThoughtsOnly(t *testing.T) {
	r, err := registry.New(t.Context(), registry.Config{Linked: builtin.Modules, Native: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close(t.Context())
	_, err = configuredParsers(&config.Model{Name: "x", Parser: "kimi"}, r.View())
	if err == nil || !strings.Contains(err.Error(), "reasoning_parser: kimi") || !strings.Contains(err.Error(), "kimi_k2") {
		t.Errorf("error %v", err)
	}
	for _, c := range []config.Model{{Name: "x", ReasoningParser: "kimi"}, {Name: "x", Parser: "think"}, {Name: "x", Parser: "step3"}} {
		if _, err := configuredParsers(&c, r.View()); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
