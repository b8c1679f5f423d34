package prompt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
)

// chatML has what templates of the field lean on: namespaces, tojson, loops with
// conditions, string methods, white space control and a thinking switch.
const chatML = `{%- set ns = namespace(last=-1) -%}
{%- for m in messages -%}{%- if m.role == 'user' -%}{%- set ns.last = loop.index0 -%}{%- endif -%}{%- endfor -%}
{%- if tools %}{{ '<tools>' }}{% for t in tools %}{{ t | tojson }}{% endfor %}{{ '</tools>' }}{% endif -%}
{%- for m in messages %}
{{- '<|im_start|>' + m.role + '\n' }}
{%- if m.content is string %}{{ m.content.split('</think>')[-1].lstrip('\n') }}{% endif %}
{%- for c in m.tool_calls or [] %}{{ '<call>' + c.function.name }}{% for k, v in c.function.arguments.items() %}{{ ' ' ~ k ~ '=' ~ v }}{% endfor %}{{ '</call>' }}{% endfor %}
{{- '<|im_end|>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% if enable_thinking is defined and enable_thinking is false %}{{ '<think>\n\n</think>\n\n' }}{% else %}{{ '<think>\n' }}{% endif %}{% endif -%}`

func rawValues(list ...string) []jsonx.Raw {
	out := make([]jsonx.Raw, len(list))
	for i, s := range list {
		out[i] = jsonx.Raw(s)
	}
	return out
}

func TestRender(t *testing.T) {
	conversation := rawValues(
		`{"role":"user","content":"Rain?"}`,
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"look","arguments":"{\"town\":\"Oslo\"}"}}]}`,
		`{"role":"tool","tool_call_id":"c","content":"wet"}`)
	tests := []struct {
		name string
		in   Input
		want string
	}{
		{"thinking by default", Input{Messages: conversation[:1]},
			"<|im_start|>user\nRain?<|im_end|>\n<|im_start|>assistant\n<think>\n"},
		{"thinking off", Input{Messages: conversation[:1], Args: []jsonx.Member{{Name: "enable_thinking", Value: jsonx.Raw("false")}}},
			"<|im_start|>user\nRain?<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"},
		{"calls of earlier turns are objects", Input{Messages: conversation},
			"<|im_start|>user\nRain?<|im_end|>\n<|im_start|>assistant\n<call>look town=Oslo</call><|im_end|>\n<|im_start|>tool\nwet<|im_end|>\n<|im_start|>assistant\n<think>\n"},
		{"tools", Input{Messages: conversation[:1], Tools: rawValues(`{"type":"function"}`)},
			`<tools>{"type": "function"}</tools><|im_start|>user` + "\nRain?<|im_end|>\n<|im_start|>assistant\n<think>\n"},
	}
	template, err := Compile(chatML)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := template.Render(t.Context(), tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestErrorsNameTheSetting(t *testing.T) {
	if _, err := Compile("{% if %}"); err == nil || !strings.Contains(err.Error(), "chat_template") {
		t.Errorf("a broken template: %v", err)
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none.jinja")); err == nil || !strings.Contains(err.Error(), "chat_template") {
		t.Errorf("a missing file: %v", err)
	}
	template, err := Compile(`{{ raise_exception("only user and assistant roles") }}`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := template.Render(t.Context(), Input{}); err == nil || !strings.Contains(err.Error(), "only user and assistant") {
		t.Errorf("a template that refuses: %v", err)
	}
	if _, err := template.Render(t.Context(), Input{Messages: rawValues(`{"role":`)}); err == nil || !strings.Contains(err.Error(), "messages[0]") {
		t.Errorf("a broken message: %v", err)
	}
}

func TestLoadReadsFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.jinja")
	if err := os.WriteFile(file, []byte("{{ messages | length }}<think>"), 0o600); err != nil {
		t.Fatal(err)
	}
	template, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := template.Render(t.Context(), Input{Messages: rawValues(`{}`, `{}`)}); err != nil || got != "2<think>" {
		t.Errorf("got %q, %v", got, err)
	}
}
