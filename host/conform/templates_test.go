package conform

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi/cases"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/abi/tck/toy"
	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/prompt"
	"github.com/turnkey-parsers/turnkey/sdk/native"
)

// Templates of the toy grammar: one that writes all of a message, with white space round
// it; one that leaves thoughts out and writes all values as strings; one that opens the
// thought, and finished turns without one.
var toyTemplates = map[string]string{
	"whole": `{% for m in messages %}[{{ m.role }}] {% if m.reasoning_content %}<t>{{ m.reasoning_content|trim }}</t>{% endif %}{{ m.content|trim }}` +
		`{% for c in m.tool_calls or [] %}({{ c.function.name }}{{ c.function.arguments|tojson }}){% endfor %}` + "{{ '\\n' }}" + `{% endfor %}{% if add_generation_prompt %}[assistant] {% endif %}`,
	"loses": `{% for m in messages %}{{ m.role }}> {{ m.content }}{% for c in m.tool_calls or [] %}({{ c.function.name ~ '{' }}` +
		`{% for k, v in c.function.arguments.items() %}"{{ k }}": "{{ v }}"{% endfor %}{{ '})' }}{% endfor %}{% endfor %}{% if add_generation_prompt %}assistant> {% endif %}`,
	"opens": `{% for m in messages %}{{ m.role }}>{{ '<t>' ~ m.reasoning_content ~ '</t>' if m.reasoning_content else '' }}{{ m.content }}<eos>{% endfor %}` +
		`{% if add_generation_prompt %}assistant><t>{% endif %}`,
	"refuses": `{{ raise_exception('no') }}`,
}

// toyTurns are cases; user is the message before the last one.
var toyTurns = strings.NewReplacer("USER", `{"role":"user","content":"Hi"}`, "TOOLS", `"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]`,
	"KWARGS", `"kwargs":{"add_generation_prompt":false},"eos_token":"<eos>"`).Replace(
	`{"template":"whole","name":"turn exact","messages":[USER,{"role":"assistant","content":"Yes.","reasoning_content":"Hm.","tool_calls":[{"function":{"name":"f","arguments":"{\"n\": 42.0}"}}]}],TOOLS,KWARGS,"want":"[user] Hi\n[assistant] <t>Hm.</t>Yes.(f{\"n\": 42.0})\n"}
{"template":"whole","name":"turn white space","messages":[USER,{"role":"assistant","content":" Yes. "}],KWARGS,"want":"[user] Hi\n[assistant] Yes.\n"}
{"template":"whole","name":"turn that is markup","messages":[USER,{"role":"assistant","content":"(f{})"}],TOOLS,KWARGS,"want":"[user] Hi\n[assistant] (f{})\n"}
{"template":"whole","name":"user","messages":[USER],"want":"[user] Hi\n[assistant]"}
{"template":"loses","name":"turn thought","messages":[USER,{"role":"assistant","content":"Yes.","reasoning_content":"Hm."}],KWARGS,"want":"user> Hiassistant> Yes."}
{"template":"loses","name":"turn number","messages":[USER,{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":"{\"n\": 1}"}}]}],TOOLS,KWARGS,"want":"user> Hiassistant> (f{\"n\": \"1\"})"}
{"template":"opens","name":"turn text","messages":[USER,{"role":"assistant","content":"Yes."}],KWARGS,"want":"user>Hi<eos>assistant>Yes.<eos>"}
{"template":"refuses","name":"turn refused","messages":[USER,{"role":"assistant","content":"Yes."}],"error":"TemplateError: no"}
{"template":"refuses","name":"rendered","messages":[USER],"want":"x"}
`)

// writeToyTemplates makes a folder of templates.
func writeToyTemplates(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	files := map[string]string{"families.json": `{"whole":"toy","loses":["toy","larch"],"opens":"toy","refuses":"toy"}`}
	for name, source := range toyTemplates {
		files["jinja/"+name+".jinja"] = source
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write([]byte(toyTurns)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	files["cases.jsonl.gz"] = zipped.String()
	if err := os.Mkdir(filepath.Join(folder, "jinja"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestCheckTemplates(t *testing.T) {
	exceptions, err := ParseTemplateExceptions([]byte(`[
		{"template": "loses", "case": "turn n*", "why": "it writes all values as strings"},
		{"template": "whole", "case": "turn that *", "why": "the template writes what looks like a call"},
		{"template": "opens", "case": "turn *", "why": "nothing differs there"},
		{"template": "elsewhere", "case": "*", "why": "of another folder"}]`))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	sum, err := CheckTemplates(t.Context(), TemplateCheck{
		Folder: writeToyTemplates(t), Exceptions: exceptions,
		Engine: func(family string) (parser.Engine, error) {
			if family == "toy" {
				return native.Parser(&toy.Module, family)
			}
			return nil, nil
		},
	}, &out)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`DIFFER whole "user": from byte 1 on: want "user] Hi\n[assistant]" got "user] Hi\n[assistant] "`,
		`FAIL loses "turn thought" larch: want [{"kind":"reasoning","text":"Hm."},{"kind":"text","text":"Yes."}] got  (no loaded module has a parser for the family "larch")`,
		`FAIL loses "turn number" larch: want [{"kind":"tool_call","name":"f","arguments":{"n":1}}] got  (no loaded module has a parser for the family "larch")`,
		`DIFFER refuses "rendered": want "x" got a refusal (chat_template: the template refuses the conversation: no)`,
		`STALE exception opens "turn *": nothing differs so any more`,
		`9 renderings: 7 equal, 2 differ; 8 round trips: 2 exact, 4 lenient, 2 failed`,
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), len(want), out.String())
	}
	for i := range want {
		if lines[i] != want[i] {
			t.Errorf("got  %s\nwant %s", lines[i], want[i])
		}
	}
	if sum.Passed() || sum.Excepted != 2 || sum.Stale != 1 {
		t.Errorf("got %+v", sum)
	}
}

func TestBadTemplateFolders(t *testing.T) {
	for name, damage := range map[string]func(folder string) error{
		"families.json": func(folder string) error {
			return os.WriteFile(filepath.Join(folder, "families.json"), []byte("["), 0o600)
		},
		"cases.jsonl.gz": func(folder string) error { return os.WriteFile(filepath.Join(folder, "cases.jsonl.gz"), nil, 0o600) },
		"whole.jinja":    func(folder string) error { return os.Remove(filepath.Join(folder, "jinja", "whole.jinja")) },
	} {
		t.Run(name, func(t *testing.T) {
			folder := writeToyTemplates(t)
			if err := damage(folder); err != nil {
				t.Fatal(err)
			}
			_, err := CheckTemplates(t.Context(), TemplateCheck{Folder: folder}, &bytes.Buffer{})
			if err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestTemplateExceptions(t *testing.T) {
	if list, err := ParseTemplateExceptions(PublishedExceptions); err != nil || len(list) == 0 {
		t.Errorf("%d exceptions, %v", len(list), err)
	}
	for _, text := range []string{`{}`, `[{"template":"a","case":"b"}]`, `[{"template":"[","case":"b","why":"c"}]`} {
		if _, err := ParseTemplateExceptions([]byte(text)); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}

// TestCutTurn: where a turn begins, and the prompt in front of it, which decides START.
func TestCutTurn(t *testing.T) {
	const user, header = `{"role":"user","content":"Hi"}`, `{% for m in messages %}<{{ m.role }}>`
	for _, tt := range []struct{ name, template, message, before, text string }{
		{"the prompt goes on", header + `{{ m.content }}{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}`,
			`"content":"Yes."`, "<user>Hi<assistant>", "Yes."},
		{"the prompt opens the thought", header + `{{ '<t>' ~ m.reasoning ~ '</t>' if m.reasoning }}{{ m.content }}{% endfor %}{% if add_generation_prompt %}<assistant><t>{% endif %}`,
			`"content":"Yes.","reasoning":"Hm."`, "<user>Hi<assistant><t>", "Hm.</t>Yes."},
		{"a finished turn has no thought", header + `{{ m.content }}{% endfor %}{% if add_generation_prompt %}<assistant><t>{% endif %}`,
			`"content":"Yes."`, "<user>Hi<assistant>", "Yes."},
		{"not within a marker", header + `{{ '<tool>' if m.tool_calls }}{{ m.content }}{% endfor %}{% if add_generation_prompt %}<assistant><think>{% endif %}`,
			`"content":"","tool_calls":[{}]`, "<user>Hi<assistant>", "<tool>"},
		{"a switch closes the thought", header + `{{ '<t></t>' if m.role == 'assistant' }}{{ m.content }}{% endfor %}{% if add_generation_prompt %}<assistant><t>{{ '</t>' if enable_thinking is false }}{% endif %}`,
			`"content":"Yes."`, "<user>Hi<assistant><t></t>", "Yes."},
		{"the template asks for a turn to follow", header + `{{ m.content }}{% endfor %}{% if messages[-1].role != 'assistant' %}{{ raise_exception('no') }}{% endif %}`,
			`"content":"Yes."`, "<user>Hi<assistant>", "Yes."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			template, err := prompt.Compile(tt.template)
			if err != nil {
				t.Fatal(err)
			}
			c := templateCase{Messages: []jsonx.Raw{jsonx.Raw(user), jsonx.Raw(`{"role":"assistant",` + tt.message + `}`)}, Kwargs: jsonx.Raw(`{"add_generation_prompt":false}`)}
			full, err := template.Render(t.Context(), c.input())
			if err != nil {
				t.Fatal(err)
			}
			c.Want = &full
			turn, err := c.cutTurn(t.Context(), template)
			if err != nil || turn.before != tt.before || turn.text != tt.text {
				t.Errorf("got %q, %q, %v", turn.before, turn.text, err)
			}
		})
	}
}

func TestWriteMessage(t *testing.T) {
	call := cases.Piece{Kind: cases.KindToolCall, Name: "f", Arguments: []byte(`{"a":1}`), ID: "new"}
	for _, tt := range []struct {
		name, message string
		pieces        []cases.Piece
		want          string
	}{
		{"all of it", `{"role":"assistant","reasoning":"x","content":"y","tool_calls":[{"id":"old"}],"n":1}`,
			[]cases.Piece{{Kind: cases.KindReasoning, Text: "A"}, {Kind: cases.KindText, Text: "B"}, call, call},
			`{"role":"assistant","reasoning":"A","content":"B","tool_calls":[{"id":"old","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}},{"id":"new","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}],"n":1}`},
		{"nothing", `{"role":"assistant","content":"y","reasoning_content":"x","tool_calls":[]}`, nil, `{"role":"assistant","content":""}`},
		{"what was not there", `{"role":"assistant"}`, []cases.Piece{{Kind: cases.KindReasoning, Text: "A"}}, `{"role":"assistant","content":"","reasoning_content":"A"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(writeMessage(jsonx.Raw(tt.message), tt.pieces)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
