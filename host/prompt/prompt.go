// Package prompt renders a model's chat template, as the engine would, to know
// how the prompt ends: which channel it leaves open is what a parser has to be
// told first.
package prompt

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"

	"github.com/ardanlabs/jinja"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
)

// Template is a compiled chat template. It is safe for concurrent use.
type Template struct{ t *jinja.Template }

// Compile reads a chat template in the Jinja dialect of model repositories.
func Compile(source string) (_ *Template, err error) {
	defer recovered(&err)
	t, err := jinja.Compile(source)
	if err != nil {
		return nil, fmt.Errorf("chat_template: %w", err)
	}
	return &Template{t}, nil
}

// Load compiles setting, which is a template, or the name of a file that holds
// one. What has neither a tag nor a line break is taken for a file name.
func Load(setting string) (*Template, error) {
	if strings.Contains(setting, "{{") || strings.Contains(setting, "{%") || strings.Contains(setting, "\n") {
		return Compile(setting)
	}
	source, err := os.ReadFile(setting)
	if err != nil {
		return nil, fmt.Errorf("chat_template: neither a template nor a readable file: %w", err)
	}
	t, err := Compile(string(source))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", setting, err)
	}
	return t, nil
}

// Input is what a template sees.
type Input struct {
	Messages []jsonx.Raw // the request's messages
	Tools    []jsonx.Raw // the tools that are shown to the model
	Args     []jsonx.Member
	BOS, EOS string
}

// Render gives the prompt, up to where the assistant's turn begins. A template
// that fails is the request's fault as often as the template's: it may raise an
// exception for a role that it does not know.
func (t *Template) Render(in Input) (out string, err error) {
	defer recovered(&err)
	vars, err := in.variables()
	if err != nil {
		return "", err
	}
	out, err = t.t.Render(vars)
	if err != nil {
		return "", fmt.Errorf("chat_template: %w", err)
	}
	return out, nil
}

func (in Input) variables() (map[string]any, error) {
	vars := map[string]any{
		"add_generation_prompt": true,
		"bos_token":             in.BOS,
		"eos_token":             in.EOS,
	}
	args, err := object(in.Args)
	if err != nil {
		return nil, fmt.Errorf("chat_template_kwargs: %w", err)
	}
	maps.Copy(vars, args)
	messages := make([]any, 0, len(in.Messages))
	for i, raw := range in.Messages {
		m, err := message(raw)
		if err != nil {
			return nil, fmt.Errorf("messages[%d]: %w", i, err)
		}
		messages = append(messages, m)
	}
	vars["messages"] = messages
	if len(in.Tools) == 0 {
		return vars, nil
	}
	tools, err := values(in.Tools)
	if err != nil {
		return nil, fmt.Errorf("tools: %w", err)
	}
	vars["tools"] = tools
	return vars, nil
}

func object(members []jsonx.Member) (map[string]any, error) {
	m := make(map[string]any, len(members))
	for _, member := range members {
		var v any
		if err := jsonx.Unmarshal(member.Value, &v); err != nil {
			return nil, fmt.Errorf("%s: %w", member.Name, err)
		}
		m[member.Name] = v
	}
	return m, nil
}

func values(list []jsonx.Raw) ([]any, error) {
	out := make([]any, len(list))
	for i, raw := range list {
		if err := jsonx.Unmarshal(raw, &out[i]); err != nil {
			return nil, fmt.Errorf("[%d]: %w", i, err)
		}
	}
	return out, nil
}

// message decodes one message. Templates read the arguments of earlier calls as
// an object, where the API has them as text; engines convert them likewise.
func message(raw jsonx.Raw) (any, error) {
	var m any
	if err := jsonx.Unmarshal(raw, &m); err != nil {
		return nil, err
	}
	calls, _ := member[[]any](m, "tool_calls")
	for _, call := range calls {
		function, ok := member[map[string]any](call, "function")
		if !ok {
			continue
		}
		text, ok := function["arguments"].(string)
		if !ok {
			continue
		}
		var args map[string]any
		if jsonx.Unmarshal([]byte(text), &args) == nil && args != nil {
			function["arguments"] = args
		}
	}
	return m, nil
}

func member[T any](v any, name string) (T, bool) {
	object, _ := v.(map[string]any)
	t, ok := object[name].(T)
	return t, ok
}

// recovered turns a panic of the template engine into an error: a template is a
// file from elsewhere.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = errors.Join(*err, fmt.Errorf("chat_template: the template engine failed: %v", r))
	}
}
