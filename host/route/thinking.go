package route

import (
	"slices"
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// Template arguments that switch thinking: one switch with three names. The
// first that is present decides.
const (
	argThinking       = "thinking"
	argEnableThinking = "enable_thinking"
	argThinkingMode   = "thinking_mode"
)

// argEffort asks for thinking as well, by how much of it.
const (
	argEffort = "reasoning_effort"
)

var thinkingArgs = []string{argThinking, argEnableThinking, argThinkingMode}

// argNonEmpty asks for an answer that is not empty.
const argNonEmpty = "force_nonempty_content"

// decideThinking decides whether the model is to think: the request's word, unless the
// family can't go with it, else the deployment's, else nobody's. The template
// arguments come back with every name of the switch set alike, so that a template
// that reads any of them sees it.
func (m *Model) decideThinking(r *openai.ChatRequest) (openai.Thinking, []openai.Member) {
	mode := requestedThinking(r)
	switch {
	case r.ToolChoice.Mode == openai.ToolChoiceNamed && m.thinkingOff("named"):
		mode = openai.ThinkingOff
	case mode != openai.ThinkingUnset:
	case decodingConstrained(r) && m.thinkingOff("constrained"):
		mode = openai.ThinkingOff
	default:
		mode = m.Thinking
	}
	if mode != openai.ThinkingOn && mode != openai.ThinkingOff {
		return mode, r.ChatTemplateKwargs
	}
	return mode, setThinkingArguments(r.ChatTemplateKwargs, mode == openai.ThinkingOn, m.readsMode())
}

// defaultThinking is the family's own mode, where its template opens the thought by it
// and nobody said one. It is put into the template arguments: what the prompt
// leaves open would else be the engine's guess against ours.
func (m *Model) defaultThinking(args []openai.Member) (openai.Thinking, []openai.Member) {
	for _, e := range m.Parsers.parserList() {
		p := e.Parser()
		if !p.OpensByDefault(m.Names) || len(p.Thinking.Controls) == 0 {
			continue
		}
		on := p.StartUnseen(manifest.Unseen{Models: m.Names}) == abi.ChannelReasoning
		mode := openai.ThinkingOff
		if on {
			mode = openai.ThinkingOn
		}
		return mode, setThinkingArguments(args, on, m.readsMode())
	}
	return openai.ThinkingUnset, args
}

// templateIsTold says whether a word on thinking that was said reaches the chat templates
// of the parser's models: by one of the arguments that are set alike, or by the effort, if
// the request gives one.
func (p *Plan) templateIsTold(parser *manifest.Parser) bool {
	if parser.Thinking == nil || p.thinks != openai.ThinkingOn && p.thinks != openai.ThinkingOff {
		return false
	}
	return slices.ContainsFunc(parser.Thinking.Controls, func(control string) bool {
		return argument(p.TemplateArgs, control) >= 0 || control == argEffort && p.Chat.ReasoningEffort != ""
	})
}

// thinkingOff says whether a parser of the model can't go with thinking then.
func (m *Model) thinkingOff(when string) bool {
	return slices.ContainsFunc(m.Parsers.parserList(), func(e parser.Engine) bool {
		t := e.Parser().Thinking
		return t != nil && slices.Contains(t.Off, when)
	})
}

// decodingConstrained says whether the answer is decoded under a constraint.
func decodingConstrained(r *openai.ChatRequest) bool {
	return r.ToolChoice.Forced() || formatStarts(r) != "" || len(r.GuidedFields) > 0
}

func requestedThinking(r *openai.ChatRequest) openai.Thinking {
	if r.Thinking != openai.ThinkingUnset {
		return r.Thinking
	}
	switch strings.ToLower(r.ReasoningEffort) {
	case "":
	case "none":
		return openai.ThinkingOff
	default:
		return openai.ThinkingOn
	}
	for _, name := range thinkingArgs {
		if i := argument(r.ChatTemplateKwargs, name); i >= 0 && !jsonx.IsNull(r.ChatTemplateKwargs[i].Value) {
			return truthWord(name, r.ChatTemplateKwargs[i].Value)
		}
	}
	return openai.ThinkingUnset
}

// truthWord reads a template argument: booleans, numbers, truth words. A value that
// is not known leaves it to the model, as adaptive does.
func truthWord(name string, v openai.Raw) openai.Thinking {
	word := strings.ToLower(strings.TrimSpace(string(v)))
	if s, ok := jsonx.String(v); ok {
		word = strings.ToLower(strings.TrimSpace(s))
	}
	switch word {
	case "true", "yes", "on":
		return openai.ThinkingOn
	case "false", "no", "off":
		return openai.ThinkingOff
	case "enabled", "disabled":
		if name != argThinkingMode {
			return openai.ThinkingAdaptive
		}
		if word == "enabled" {
			return openai.ThinkingOn
		}
		return openai.ThinkingOff
	}
	return truthNumber(word)
}

func truthNumber(word string) openai.Thinking {
	if word == "" || strings.Trim(word, "0123456789.eE+-") != "" || !jsonx.Valid([]byte(word)) {
		return openai.ThinkingAdaptive
	}
	mantissa, _, _ := strings.Cut(strings.ToLower(word), "e")
	if strings.Trim(mantissa, "0.-") == "" {
		return openai.ThinkingOff
	}
	return openai.ThinkingOn
}

// readsMode says whether a template of the model reads thinking_mode.
func (m *Model) readsMode() bool {
	return slices.ContainsFunc(m.Parsers.parserList(), func(e parser.Engine) bool {
		t := e.Parser().Thinking
		return t != nil && slices.Contains(t.Controls, argThinkingMode)
	})
}

// setThinkingArguments gives every name of the switch one value. thinking_mode is added only
// where somebody uses it.
func setThinkingArguments(args []openai.Member, on, mode bool) []openai.Member {
	args = slices.Clone(args)
	for _, name := range thinkingArgs {
		if name != argThinkingMode || mode || argument(args, name) >= 0 {
			args = setArgument(args, name, switchValue(name, on))
		}
	}
	return args
}

func switchValue(name string, on bool) openai.Raw {
	switch {
	case name == argThinkingMode && on:
		return openai.Raw(`"enabled"`)
	case name == argThinkingMode:
		return openai.Raw(`"disabled"`)
	case on:
		return openai.Raw("true")
	}
	return openai.Raw("false")
}

func argument(args []openai.Member, name string) int {
	return slices.IndexFunc(args, func(m openai.Member) bool { return m.Name == name })
}

func setArgument(args []openai.Member, name string, v openai.Raw) []openai.Member {
	if i := argument(args, name); i >= 0 {
		args[i].Value = v
		return args
	}
	return append(args, openai.Member{Name: name, Value: v})
}

// wantsNonEmptyContent says whether the client wants content whatever the model does.
func wantsNonEmptyContent(r *openai.ChatRequest) bool {
	i := argument(r.ChatTemplateKwargs, argNonEmpty)
	return i >= 0 && truthWord(argNonEmpty, r.ChatTemplateKwargs[i].Value) == openai.ThinkingOn
}
