package prompt

import (
	"context"
	"strings"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
)

// Prompt is what a template makes of a conversation that a model is to answer.
type Prompt struct {
	// Text is the prompt. Where it is not Whole, the template refuses the conversation:
	// then it is that of a simpler one, of which only the end counts.
	Text  string
	Whole bool
	// Turn is where in Text the model's own turn begins, as far as it is written
	// already: at the end, but where the last message is continued.
	Turn int
}

// RenderTurn gives the prompt of a conversation in the form in which engines hand it to
// a template: a message's content as the template reads it, a string or a list of parts;
// its thought by either of its names; calls without arguments with an empty object.
//
// How a prompt ends hardly depends on what was said before, so a template that can't
// render the conversation is asked again: with the role developer written as system and
// arguments that are cut emptied; then for the last exchange; then for a single message,
// with the tools and without. The error is the first one, where all of these fail.
func (t *Template) RenderTurn(ctx context.Context, in Input) (Prompt, error) {
	in.engineForm = true
	p, err := t.renderTurn(ctx, in)
	p.Whole = true
	refusal := err
	for _, simpler := range []struct {
		whole    bool
		simplify func(*Input)
	}{
		{true, func(in *Input) { in.mended = true }},
		{false, func(in *Input) { in.Messages = lastExchange(in.Messages) }},
		{false, func(in *Input) { in.Messages = singleMessage(in.Messages, in.Continue) }},
		{false, func(in *Input) { in.Tools = nil }},
	} {
		if err == nil || ctx.Err() != nil {
			break
		}
		simpler.simplify(&in)
		if !simpler.whole {
			in.limits.Steps = shortSteps
		}
		p, err = t.renderTurn(ctx, in)
		p.Whole = simpler.whole
	}
	if err != nil {
		return Prompt{}, refusal
	}
	return p, nil
}

// shortSteps bounds the renderings of what is no whole conversation.
const shortSteps = 1_000_000

// lastExchange gives the messages from the last one of the user on.
func lastExchange(messages []jsonx.Raw) []jsonx.Raw {
	for i := len(messages) - 1; i > 0; i-- {
		if roleOf(messages[i]) == "user" {
			return messages[i:]
		}
	}
	return messages
}

// singleMessage is a conversation of one message, and of the last one's text where it is
// continued.
func singleMessage(messages []jsonx.Raw, continued bool) []jsonx.Raw {
	single := []jsonx.Raw{jsonx.Raw(`{"role":"user","content":"."}`)}
	if !continued || len(messages) == 0 {
		return single
	}
	last := messages[len(messages)-1]
	text := jsonx.AppendString([]byte(`{"role":"assistant","content":`), strings.Join(contentTexts(last), "\n"))
	return append(single, append(text, '}'))
}

func roleOf(message jsonx.Raw) string {
	role, _ := jsonx.String(jsonx.Get(message, "role"))
	return role
}

// contentTexts are the texts of a message's content: the string, or its text parts.
func contentTexts(message jsonx.Raw) (texts []string) {
	content := jsonx.Get(message, "content")
	if text, ok := jsonx.String(content); ok {
		return []string{text}
	}
	for parts := jsonx.ArrayOf(content); ; {
		part, ok := parts.Next()
		if !ok {
			return texts
		}
		text, ok := jsonx.String(part)
		if !ok {
			text, ok = jsonx.String(jsonx.Get(part, "text"))
		}
		if ok {
			texts = append(texts, text)
		}
	}
}

// lastText is the text that the prompt of a continued message ends with.
func (t *Template) lastText(message jsonx.Raw) string {
	texts := contentTexts(message)
	if n := len(texts); t.wantsParts && n > 0 {
		return texts[n-1]
	}
	return strings.Join(texts, "\n")
}

// renderTurn renders a conversation, and where its last message is continued takes off
// what the template writes behind it.
func (t *Template) renderTurn(ctx context.Context, in Input) (Prompt, error) {
	if !in.Continue || len(in.Messages) == 0 {
		text, err := t.Render(ctx, in)
		return Prompt{Text: text, Turn: len(text)}, err
	}
	last := len(in.Messages) - 1
	in.Args = append(in.Args[:len(in.Args):len(in.Args)], jsonx.Member{Name: argGenerationPrompt, Value: jsonx.Raw("false")})
	text, err := t.Render(ctx, in)
	if err != nil {
		return Prompt{}, err
	}
	text, written := cutBehind(text, t.lastText(in.Messages[last]))
	asked := in
	asked.Messages = in.Messages[:last]
	asked.Args = append(asked.Args, jsonx.Member{Name: argGenerationPrompt, Value: jsonx.Raw("true")})
	before, err := t.Render(ctx, asked)
	if err != nil { // it renders whole conversations only
		return Prompt{Text: text, Turn: written}, ctx.Err()
	}
	return Prompt{Text: text, Turn: TurnStart(text, before)}, nil
}

// cutBehind ends a prompt behind the text of its last message, as transformers do for a
// message that is continued: what the text ends with is kept where the template kept
// it. written is where the message's text begins.
func cutBehind(text, message string) (cut string, written int) {
	trimmed := strings.TrimSpace(message)
	written = strings.LastIndex(text, trimmed)
	if trimmed == "" || written < 0 {
		return text, len(text)
	}
	if kept := strings.TrimLeft(message, " \t\r\n"); strings.HasPrefix(text[written:], kept) {
		return text[:written+len(kept)], written
	}
	return text[:written+len(trimmed)], written
}

// TurnStart is where in a prompt the model's last turn begins: behind the longest of the
// prompts that it may have been asked with, where the prompt goes on from one; else,
// as a template may render finished turns otherwise, behind the markers that it has in
// common with one. 0 where they have nothing in common.
func TurnStart(text string, asked ...string) int {
	start, common := 0, 0
	for _, prompt := range asked {
		n := commonPrefix(text, prompt)
		if n == len(prompt) {
			start = max(start, n)
		}
		common = max(common, n)
	}
	if start > 0 {
		return start
	}
	return strings.LastIndexAny(text[:common], "\n>]") + 1 // not within a marker
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
