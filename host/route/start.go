package route

import (
	"context"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/openai"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/host/prompt"
)

// Template arguments that are about the prompt's end. They are members of a request too.
const (
	argGenerationPrompt = "add_generation_prompt"
	argContinue         = "continue_final_message"
)

// promptEnd is what is known of how a request's prompt ends.
type promptEnd struct {
	prompt prompt.Prompt
	known  bool // the template gave it
	// continued: the last message is continued. header: the prompt begins the model's
	// turn, or the message that is continued does.
	continued, header bool
}

// renderPrompt finds out how the prompt ends.
func (m *Model) renderPrompt(ctx context.Context, p *Plan) {
	r := p.Chat
	p.end.continued = switched(p.TemplateArgs, argContinue, r.ContinueFinalMessage)
	p.end.header = p.end.continued || switched(p.TemplateArgs, argGenerationPrompt, r.AddGenerationPrompt)
	if m.Render == nil {
		return
	}
	args := p.TemplateArgs
	if !p.end.header && argument(args, argGenerationPrompt) < 0 {
		args = append(args[:len(args):len(args)], openai.Member{Name: argGenerationPrompt, Value: openai.Raw("false")})
	}
	p.end.prompt, p.end.known = m.Render(ctx, r, PromptRequest{Args: args, Continue: p.end.continued})
	if p.end.prompt.Whole {
		p.Prompt = p.end.prompt.Text
	}
}

// switched is a member of the request that a template argument of that name overrides.
func switched(args []openai.Member, name string, requested bool) bool {
	if i := argument(args, name); i >= 0 && !jsonx.IsNull(args[i].Value) {
		return truthWord(name, args[i].Value) == openai.ThinkingOn
	}
	return requested
}

// decideStart decides START of a session, by the parser's manifest, and nowhere else:
// by the rendered prompt where there is a template; else by what templates of the
// family do. tail is the prompt's end, where it is known.
func (p *Plan) decideStart(e parser.Engine) (start abi.Channel, tail string) {
	parser, end := e.Parser(), &p.end
	switch {
	case end.continued:
		return p.startOfContinued(e)
	case end.known:
		tail = abi.PromptTail(end.prompt.Text)
		return parser.StartAfter(tail), tail
	case !end.header:
		return abi.ChannelContent, ""
	}
	return parser.StartUnseen(manifest.Unseen{
		Opens: p.opens, Models: p.names,
		On: p.thinks == openai.ThinkingOn, Off: p.thinks == openai.ThinkingOff, Told: p.templateIsTold(parser),
	}), ""
}

// startOfContinued decides START where the last message is continued: it is the channel
// in which the message leaves off, which the parser itself tells when it reads the
// message's beginning.
func (p *Plan) startOfContinued(e parser.Engine) (start abi.Channel, tail string) {
	parser, end := e.Parser(), &p.end
	before, turn := "", p.Chat.Messages[len(p.Chat.Messages)-1].Text()
	if end.known {
		before, turn = end.prompt.Text[:end.prompt.Turn], end.prompt.Text[end.prompt.Turn:]
		tail = abi.PromptTail(end.prompt.Text)
	}
	before = abi.PromptTail(before)
	return parser.StartWithin(endsInThought(e, p.options, parser.StartAfter(before), before, turn)), tail
}

// endsInThought says whether a turn that has been written in part leaves off in a
// thought: whether that is what the parser takes more text for.
func endsInThought(e parser.Engine, options []abi.Option, start abi.Channel, before, turn string) bool {
	open := abi.OpenBlock{Parser: e.Parser().Name, Start: start, PromptTail: before, Options: options, Flags: abi.OpenReasoning}
	session, events, err := parse.Open(parse.Config{Engine: e, Open: open})
	if err != nil {
		return false
	}
	defer session.Close()
	inThought := false
	observe := func(events []parse.CheckedEvent) {
		for i := range events {
			if kind := events[i].Kind; kind == abi.Text || kind == abi.Reasoning {
				inThought = kind == abi.Reasoning
			}
		}
	}
	observe(events)
	for _, text := range []string{turn, "x"} {
		if events, err = session.Push(text); err != nil {
			return false
		}
		observe(events)
	}
	if events, err = session.Finish(abi.FinishUnknown); err != nil {
		return false
	}
	observe(events)
	return inThought
}
