package prompt

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
)

// TestContentForms: content comes in the form that the template reads.
func TestContentForms(t *testing.T) {
	const asString = `{% for m in messages %}{{ '' + m.content }};{% endfor %}`
	const asParts = `{% for m in messages %}{% for p in m.content %}{{ p.text if p.type == 'text' else '<' ~ p.type ~ '>' }},{% endfor %};{% endfor %}`
	for _, tt := range []struct{ name, content, asString, asParts string }{
		{"a string", `"a"`, "a;", "a,;"},
		{"parts", `[{"type":"text","text":"a"},{"type":"text","text":"b"}]`, "a\nb;", "a,b,;"},
		{"bare strings", `["a","b"]`, "a\nb;", "a,b,;"},
		{"other names of text", `[{"type":"input_text","text":"a"},{"type":"output_text","text":"b"}]`, "a\nb;", "a,b,;"},
		{"a picture", `[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"x"}}]`, "a;", "a,<image_url>,;"},
		{"null", `null`, ";", ";"},
		{"no parts", `[]`, ";", ";"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for template, want := range map[string]string{asString: tt.asString, asParts: tt.asParts} {
				if got := renderTurn(t, template, Input{Messages: rawValues(`{"role":"user","content":` + tt.content + `}`)}); got.Text != want || !got.Whole {
					t.Errorf("%s: got %q, whole %v, want %q", template, got.Text, got.Whole, want)
				}
			}
		})
	}
}

func renderTurn(t *testing.T, source string, in Input) Prompt {
	t.Helper()
	template, err := Compile(source)
	if err != nil {
		t.Fatal(err)
	}
	got, err := template.RenderTurn(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestThoughtsHaveBothNames(t *testing.T) {
	got := renderTurn(t, `{% for m in messages %}{{ m.reasoning }}{{ m.reasoning_content }};{% endfor %}`,
		Input{Messages: rawValues(`{"role":"assistant","reasoning":"a"}`, `{"role":"assistant","reasoning_content":"b"}`, `{"role":"assistant"}`)})
	if got.Text != "aa;bb;;" {
		t.Errorf("got %q", got.Text)
	}
}

// TestRefusals: a template that refuses a conversation is asked again, with less of it.
func TestRefusals(t *testing.T) {
	const roles = `{% for m in messages %}{% if m.role not in ['system','user','assistant','tool'] %}{{ raise_exception('role') }}{% endif %}[{{ m.role }}]{{ m.content }}{% endfor %}`
	const arguments = `{% for m in messages %}{% for c in m.tool_calls or [] %}{% for k, v in c.function.arguments.items() %}{{ k }}={{ v }};{% endfor %}{{ c.function.arguments|tojson }}{% endfor %}{% endfor %}`
	user, developer := `{"role":"user","content":"hi"}`, `{"role":"developer","content":"brief"}`
	call := func(arguments string) string {
		return `{"role":"assistant","tool_calls":[{"function":{"name":"f"` + arguments + `}}]}`
	}
	tool := rawValues(`{"type":"function"}`)
	for _, tt := range []struct {
		name, template string
		in             Input
		want           string
		whole          bool
	}{
		{"nothing to refuse", roles, Input{Messages: rawValues(user)}, "[user]hi", true},
		{"developer", roles, Input{Messages: rawValues(developer, user)}, "[system]brief[user]hi", true},
		{"developer, where the template knows it", `{% for m in messages %}[{{ m.role }}]{% endfor %}`, Input{Messages: rawValues(developer)}, "[developer]", true},
		{"a role that nobody knows", roles, Input{Messages: rawValues(`{"role":"critic","content":"no"}`, user)}, "[user]hi", false},
		{"a role that nobody knows, last", roles, Input{Messages: rawValues(user, `{"role":"critic","content":"no"}`)}, "[user].", false},
		{"no arguments", arguments, Input{Messages: rawValues(call(""))}, "{}", true},
		{"null arguments", arguments, Input{Messages: rawValues(call(`,"arguments":null`))}, "{}", true},
		{"empty arguments", arguments, Input{Messages: rawValues(call(`,"arguments":" "`))}, "{}", true},
		{"cut arguments", arguments, Input{Messages: rawValues(call(`,"arguments":"{\"a\": 1, \"b"`))}, "{}", true},
		{"arguments that are a list", arguments, Input{Messages: rawValues(call(`,"arguments":"[1]"`))}, "{}", true},
		{"arguments as text, where the template takes it", `{{ messages[0].tool_calls[0].function.arguments }}`, Input{Messages: rawValues(call(`,"arguments":"{\"a"`))}, `{"a`, true},
		{"arguments", arguments, Input{Messages: rawValues(call(`,"arguments":"{\"b\": 1.50, \"a\": 12345678901234567890}"`))}, `b=1.5;a=12345678901234567890;{"b": 1.5, "a": 12345678901234567890}`, true},
		{"tools", `{% if tools %}{{ raise_exception('tools') }}{% endif %}{{ messages|length }}`, Input{Messages: rawValues(user, user), Tools: tool}, "1", false},
		{"tools that are needed", `{% if messages|length > 1 or not tools %}{{ raise_exception('tools') }}{% endif %}{{ messages|length }}`, Input{Messages: rawValues(user, user), Tools: tool}, "1", false},
		{"a message that is too deep", `{{ messages[0].content }}`, Input{Messages: rawValues(`{"role":"user","content":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`)}, ".", false},
		{"a message of too many values", `{{ messages[0].content }}`, Input{Messages: rawValues(`{"role":"user","content":"x","y":[` + strings.Repeat("1,", 1_000_000) + `1]}`)}, ".", false},
		{"a number that is too long", `{{ messages[0].content }}`, Input{Messages: rawValues(`{"role":"user","content":"x","y":` + strings.Repeat("9", 4_000_000) + `}`)}, ".", false},
		{"a continued message", `{% if messages[0].content != '.' %}{{ raise_exception('no') }}{% endif %}{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}`,
			Input{Messages: rawValues(user, `{"role":"assistant","content":"Ye"}`), Continue: true}, "<user>.<assistant>Ye", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := renderTurn(t, tt.template, tt.in); got.Text != tt.want || got.Whole != tt.whole {
				t.Errorf("got %q, whole %v", got.Text, got.Whole)
			}
		})
	}
}

func TestRefusalsThatStay(t *testing.T) {
	for name, source := range map[string]string{
		"refused":   `{{ raise_exception(messages[0].content) }}`,
		"a limit":   `{{ 'x' * 10 ** 12 }}`,
		"cancelled": `{% for a in range(100000) %}{% for b in range(100000) %}{{ '' }}{% endfor %}{% endfor %}`,
	} {
		t.Run(name, func(t *testing.T) {
			template, err := Compile(source)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if name == "cancelled" {
				cancel()
			}
			p, err := template.RenderTurn(ctx, Input{Messages: rawValues(`{"role":"user","content":"first"}`)})
			if err == nil || p != (Prompt{}) {
				t.Errorf("got %+v, %v", p, err)
			}
			if name == "refused" && !strings.Contains(err.Error(), "first") || name == "cancelled" && !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestContinuedMessages: the prompt ends within the last message, and Turn is where it
// begins.
func TestContinuedMessages(t *testing.T) {
	const turns = `{% for m in messages %}<{{ m.role }}>{{ '<t>' ~ m.reasoning_content ~ '</t>' if m.reasoning_content }}{{ m.content|trim }}<end>{% endfor %}{% if add_generation_prompt %}<assistant><t>{% endif %}`
	for _, tt := range []struct{ name, template, message, before, turn string }{
		{"an answer", turns, `"content":"Yes"`, "<user>hi<end><assistant>", "Yes"},
		{"white space that the template drops", turns, `"content":" Yes "`, "<user>hi<end><assistant>", "Yes"},
		{"white space that it keeps", strings.ReplaceAll(turns, "|trim", ""), `"content":" Yes "`, "<user>hi<end><assistant>", " Yes "},
		{"an answer behind a thought", turns, `"content":"Yes","reasoning_content":"Hm"`, "<user>hi<end><assistant><t>", "Hm</t>Yes"},
		{"an answer that was said before", turns, `"content":"hi"`, "<user>hi<end><assistant>", "hi"},
		{"parts", turns, `"content":[{"type":"text","text":"Ye"},{"type":"text","text":"s"}]`, "<user>hi<end><assistant>", "Ye\ns"},
		{"no answer yet", turns, `"content":""`, "<user>hi<end><assistant>", "<end>"},
		{"a template that wants an answer", turns + `{% if messages[-1].role == 'user' %}{{ raise_exception('no') }}{% endif %}`, `"content":"Yes"`, "<user>hi<end><assistant>", "Yes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := Input{Messages: rawValues(`{"role":"user","content":"hi"}`, `{"role":"assistant",`+tt.message+`}`), Continue: true}
			got := renderTurn(t, tt.template, in)
			if got.Text[:got.Turn] != tt.before || got.Text[got.Turn:] != tt.turn || !got.Whole {
				t.Errorf("got %q, %q, whole %v", got.Text[:got.Turn], got.Text[got.Turn:], got.Whole)
			}
		})
	}
}

// FuzzRenderTurn asks that no request ends the process, and that a prompt's parts are
// in it.
func FuzzRenderTurn(f *testing.F) {
	f.Add(`{"role":"assistant","content":[{"type":"text","text":"a"}],"tool_calls":[{"function":{"arguments":"{"}}]}`, true)
	f.Add(`{"role":"developer","content":null}`, false)
	f.Add(`[]`, true)
	template, err := Compile(chatML)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, message string, continued bool) {
		raw, err := jsonx.Check([]byte(message))
		if err != nil {
			return
		}
		p, err := template.RenderTurn(t.Context(), Input{Messages: []jsonx.Raw{jsonx.Raw(`{"role":"user","content":"x"}`), raw}, Continue: continued})
		if err == nil && (p.Turn < 0 || p.Turn > len(p.Text)) {
			t.Errorf("the turn begins at %d of %d", p.Turn, len(p.Text))
		}
	})
}
