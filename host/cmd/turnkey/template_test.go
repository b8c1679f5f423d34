package main

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// templatesFolder names a folder of published chat templates with what they render to.
// They belong to others, and are no part of this project.
const templatesFolder = "TURNKEY_TEMPLATES"

// TestPublishedTemplates renders published templates, compares the prompts byte for byte
// with what Python gives, and has the families read the turns in them back.
func TestPublishedTemplates(t *testing.T) {
	folder := os.Getenv(templatesFolder)
	if folder == "" {
		t.Skipf("%s names no folder with jinja/*.jinja, families.json and cases.jsonl.gz", templatesFolder)
	}
	var out, errs strings.Builder
	if code := run(t.Context(), []string{"template", "check", "--engine", "native", folder}, nil, &out, &errs); code != 0 {
		t.Errorf("exit %d: %s%s", code, out.String(), errs.String())
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	t.Log(lines[len(lines)-1])
}

// TestTemplateCheck checks a folder with one template, whose turn a built-in family reads,
// with and without an exception for what it loses.
func TestTemplateCheck(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "jinja"), 0o700); err != nil {
		t.Fatal(err)
	}
	write("jinja/mine.jinja", `{% for m in messages %}<|im_start|>{{ m.role }}{{ '\n' }}{{ m.content }}{% for c in m.tool_calls or [] %}<tool_call>`+
		`{"name": "{{ c.function.name }}", "arguments": {"city": "{{ c.function.arguments.city }}"}}</tool_call>{% endfor %}<|im_end|>{% endfor %}`+
		`{% if add_generation_prompt %}<|im_start|>assistant{{ '\n' }}{% endif %}`)
	write("families.json", `{"mine": "hermes"}`)
	write("exceptions.json", `[{"template": "mine", "case": "turn number", "why": "the template writes every value as a string"}]`)
	zipped, err := os.Create(filepath.Join(folder, "cases.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(zipped)
	for _, c := range []struct{ name, city string }{{"turn text", `\"Oslo\"`}, {"turn number", "7"}} {
		_, err := z.Write([]byte(`{"template":"mine","name":"` + c.name + `","tools":[{"type":"function","function":{"name":"rain","parameters":{"type":"object"}}}],` +
			`"kwargs":{"add_generation_prompt":false},"messages":[{"role":"user","content":"Rain?"},{"role":"assistant","content":"","tool_calls":` +
			`[{"id":"a","type":"function","function":{"name":"rain","arguments":"{\"city\": ` + c.city + `}"}}]}],` +
			`"want":"<|im_start|>user\nRain?<|im_end|><|im_start|>assistant\n<tool_call>{\"name\": \"rain\", \"arguments\": {\"city\": \"` +
			strings.Trim(c.city, `\"`) + `\"}}</tool_call><|im_end|>"}` + "\n"))
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		args []string
		code int
		last string
	}{
		{"a difference", nil, 1, "2 renderings: 2 equal, 0 differ; 2 round trips: 1 exact, 0 lenient, 1 failed"},
		{"an exception", []string{"--exceptions", filepath.Join(folder, "exceptions.json")}, 0, "2 renderings: 2 equal, 0 differ; 2 round trips: 1 exact, 1 lenient, 0 failed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out, errs strings.Builder
			code := run(t.Context(), append([]string{"template", "check", "--engine", "native", folder}, tt.args...), nil, &out, &errs)
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			if code != tt.code || lines[len(lines)-1] != tt.last {
				t.Errorf("exit %d: %s%s", code, out.String(), errs.String())
			}
		})
	}
}
