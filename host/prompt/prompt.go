// Package prompt renders a model's chat template, as the engine would, to know
// how the prompt ends: which channel it leaves open is what a parser has to be
// told first.
package prompt

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/prompt/jinja"
)

// Template is a compiled chat template. It is safe for concurrent use.
type Template struct {
	t          *jinja.Template
	wantsParts bool // it reads a message's content as a list of parts
}

// Compile reads a chat template in the Jinja dialect of model repositories.
func Compile(source string) (*Template, error) {
	t, err := jinja.Compile(source)
	if err != nil {
		return nil, fmt.Errorf("chat_template: %w", err)
	}
	return &Template{t: t, wantsParts: t.LoopsOverContent()}, nil
}

// Load compiles setting, which is a template, or the name of a file that holds
// one. What has neither a tag nor a line break is taken for a file name.
func Load(setting string) (*Template, error) {
	source, err := Text(setting)
	if err != nil {
		return nil, err
	}
	t, err := Compile(source)
	if err != nil && source != setting {
		return nil, fmt.Errorf("%s: %w", setting, err)
	}
	return t, err
}

// Text gives the template's own text, which setting holds or names the file of.
func Text(setting string) (string, error) {
	if strings.Contains(setting, "{{") || strings.Contains(setting, "{%") || strings.Contains(setting, "\n") {
		return setting, nil
	}
	source, err := os.ReadFile(setting)
	if err != nil {
		return "", fmt.Errorf("chat_template: neither a template nor a readable file: %w", err)
	}
	return string(source), nil
}

// Input is what a template sees.
type Input struct {
	Messages []jsonx.Raw // the request's messages
	Tools    []jsonx.Raw // the tools that are shown to the model
	Args     []jsonx.Member
	BOS, EOS string
	// Continue says that the last message is to be continued (RenderTurn).
	Continue bool
	// Now is what strftime_now tells; the zero time is the present.
	Now time.Time

	engineForm, mended bool // for RenderTurn
	limits             jinja.Limits
}

// Render gives the prompt, up to where the assistant's turn begins. A template
// that fails is the request's fault as often as the template's: it may raise an
// exception for a role that it does not know. However it fails, it costs this
// rendering only: its time, depth and memory are bounded.
func (t *Template) Render(ctx context.Context, in Input) (string, error) {
	vars, err := t.templateVariables(&in)
	if err != nil {
		return "", err
	}
	now := in.Now
	if now.IsZero() {
		now = time.Now()
	}
	out, err := t.t.Render(ctx, jinja.Input{Variables: vars, Now: now, Limits: in.limits})
	if err != nil {
		return "", fmt.Errorf("chat_template: %w", err)
	}
	return out, nil
}

// argGenerationPrompt is the template argument that asks for the beginning of the
// assistant's turn.
const argGenerationPrompt = "add_generation_prompt"

func (t *Template) templateVariables(in *Input) (map[string]jinja.Value, error) {
	vars := map[string]jinja.Value{
		argGenerationPrompt: true,
		"bos_token":         in.BOS,
		"eos_token":         in.EOS,
	}
	var values decoder
	for _, m := range in.Args {
		v, err := values.decode(m.Value)
		if err != nil {
			return nil, fmt.Errorf("chat_template_kwargs: %s: %w", m.Name, err)
		}
		vars[m.Name] = v
	}
	messages, err := values.decodeList("messages", in.Messages)
	if err != nil {
		return nil, err
	}
	for _, m := range messages.Items {
		message, ok := m.(*jinja.Dict)
		if !ok {
			continue
		}
		values.readArguments(message)
		if in.engineForm {
			t.useEngineForm(message, in.mended)
		}
	}
	vars["messages"] = messages
	if len(in.Tools) == 0 {
		return vars, nil
	}
	vars["tools"], err = values.decodeList("tools", in.Tools)
	return vars, err
}

// decoder makes the values of one rendering.
type decoder struct{ jinja.Decoder }

func (d *decoder) decodeList(what string, list []jsonx.Raw) (*jinja.List, error) {
	out := &jinja.List{Items: make([]jinja.Value, len(list))}
	for i, raw := range list {
		v, err := d.decode(raw)
		if err != nil {
			return nil, fmt.Errorf("%s[%d]: %w", what, i, err)
		}
		out.Items[i] = v
	}
	return out, nil
}

func (d *decoder) decode(raw jsonx.Raw) (jinja.Value, error) {
	v, err := jsonx.Check(raw)
	if err != nil {
		return nil, err
	}
	return d.Decode(v)
}
