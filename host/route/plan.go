package route

import (
	"context"
	"slices"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// Plan is what was decided about a request, once. Admission, processing and
// aggregation all go by it.
type Plan struct {
	Chat  *openai.ChatRequest
	Route Route

	// Guided constrains the engine; Mode is what it makes of the output: markup,
	// or bare JSON.
	Guided backend.Guided
	Mode   abi.Mode
	// TurnGrammar says that the engine works under a grammar of the whole turn.
	TurnGrammar bool

	// CallsOff: tools are offered, but tool_choice is none. No call may leave.
	CallsOff bool
	// ShowTools says that the tools go into the prompt.
	ShowTools bool
	// ReasoningOff: the client or the deployment switched thinking off. What the
	// parser calls reasoning is content.
	ReasoningOff bool
	// HidesReasoning: the client asked not to see it.
	HidesReasoning bool
	// NonEmpty: reasoning becomes content if there is no other.
	NonEmpty bool
	// JSONStarts are the bytes that the answer can begin with, where the engine is made
	// to write JSON, for calls or by the client's response_format; else "".
	JSONStarts string
	// Prompt is the rendered prompt; "" where there is none, or the template refuses
	// the conversation.
	Prompt string
	// TemplateArgs are the arguments of the chat template.
	TemplateArgs []openai.Member

	// Stages are the parsers of the route: Unified alone, or Thought and then
	// Calls, each of which may be missing.
	Unified, Thought, Calls parser.Engine
	// TwoFamilies: Thought and Calls are of two families.
	TwoFamilies bool

	opens   abi.Channel // what the operator says that the prompt leaves open
	names   []string    // the model's
	thinks  openai.Thinking
	end     promptEnd
	start   abi.Channel // where the first parser starts, and the prompt's end for it
	tail    string
	options []abi.Option
}

// Decide makes the plan of a request, or says why it can't be served. The context
// bounds the rendering of its prompt.
func (m *Model) Decide(ctx context.Context, r *openai.ChatRequest) (*Plan, *openai.Error) {
	if err := m.refuseUnservable(r); err != nil {
		return nil, err
	}
	p := &Plan{
		Chat:     r,
		CallsOff: len(r.Tools) > 0 && r.ToolChoice.Mode == openai.ToolChoiceNone,
		NonEmpty: wantsNonEmptyContent(r), HidesReasoning: !r.IncludeReasoning, options: m.Options, opens: m.Opens, names: m.Names,
	}
	p.ShowTools = len(r.Tools) > 0 && (!p.CallsOff || m.ToolsUnderNone)
	mode, args := m.decideThinking(r)
	p.ReasoningOff = mode == openai.ThinkingOff
	if mode == openai.ThinkingUnset && m.Render == nil {
		mode, args = m.defaultThinking(args)
	}
	p.thinks, p.TemplateArgs = mode, args
	m.renderPrompt(ctx, p)
	if err := m.decideGuidedDecoding(p); err != nil {
		return nil, err
	}
	p.JSONStarts = p.jsonStarts()
	var err *openai.Error
	if p.Route, err = m.pickRoute(p); err != nil {
		return nil, err
	}
	m.setStages(p)
	for _, e := range present(p.Unified, p.Thought) {
		p.start, p.tail = p.decideStart(e)
	}
	if err := p.admit(); err != nil {
		return nil, err
	}
	return p, nil
}

// setStages sets the parsers that the route runs.
func (m *Model) setStages(p *Plan) {
	e := &m.Parsers
	p.TwoFamilies = e.Tool != "" && e.Reasoning != "" && e.Tool != e.Reasoning
	switch p.Route {
	case Unified:
		p.Unified = e.Unified
	case Split:
		p.Thought, p.Calls = e.Thought, e.Split
	case Jail:
		p.Thought, p.Calls = e.Thought, e.Jailed
	case Pass:
		p.Thought = e.Thought
		if p.CallsOff { // a call's markup must not be shown either
			if p.Calls = e.Split; p.Calls == nil {
				p.Calls = e.Jailed
			}
		}
	}
}

// Jailed says whether calls are held back until they are whole: on the jail
// route, and wherever a parser can do no better.
func (p *Plan) Jailed() bool {
	return p.Route == Jail || p.Calls != nil && p.Calls.Parser().Kind == manifest.Batch
}

// EOSTexts are the texts of the model's end tokens, which no client is to see.
// What is also a closer of the grammar is for the parser.
func (p *Plan) EOSTexts() []string {
	var texts []string
	for _, e := range p.parsers() {
		for _, t := range e.Parser().EOS {
			if t != "" && !p.closes(t) && !slices.Contains(texts, t) {
				texts = append(texts, t)
			}
		}
	}
	return texts
}

// closes says whether one of the parsers reads an end token's text as a closer.
func (p *Plan) closes(text string) bool {
	return slices.ContainsFunc(p.parsers(), func(e parser.Engine) bool { return p.isCloser(e, text) })
}

// isCloser says whether the parser reads an end token's text as a part of its
// grammar in this request.
func (p *Plan) isCloser(e parser.Engine, text string) bool {
	parser := e.Parser()
	if p.TurnGrammar && parser.Strict {
		return true
	}
	return len(p.Chat.Tools) > 0 && !p.CallsOff && parser.Jail != nil && slices.Contains(parser.Jail.Close, text)
}

// StopText says whether the text of the stop token is wanted in the output.
func (p *Plan) StopText() bool {
	return slices.ContainsFunc(p.parsers(), func(e parser.Engine) bool {
		return slices.ContainsFunc(e.Parser().EOS, p.closes)
	})
}

// parsers gives the parsers of the plan.
func (p *Plan) parsers() []parser.Engine { return present(p.Unified, p.Thought, p.Calls) }

// IDs is the form of call ids that the parser of calls asks for.
func (p *Plan) IDs() string {
	for _, e := range present(p.Unified, p.Calls) {
		return e.Parser().IDs
	}
	return ""
}

// Lead is text that goes in front of the answer's first content.
func (p *Plan) Lead() string {
	if p.end.continued || p.JSONStarts != "" {
		return ""
	}
	for _, e := range present(p.Unified, p.Thought) {
		return e.Parser().Lead
	}
	return ""
}

// SpecialTokens says whether a parser needs the engine's special tokens.
func (p *Plan) SpecialTokens() bool {
	return slices.ContainsFunc(p.parsers(), func(e parser.Engine) bool { return e.Parser().SpecialTokens })
}

// RawText says whether the host parses the answer.
func (p *Plan) RawText() bool {
	return len(p.parsers()) > 0 || p.Mode != abi.ModeNative
}

// Open gives the open block for a session of one of the plan's parsers.
func (p *Plan) Open(e parser.Engine) abi.OpenBlock {
	parser := e.Parser()
	s := abi.OpenBlock{Parser: parser.Name, Options: p.options}
	if e != p.Calls {
		s.Start, s.PromptTail = p.start, p.tail
	}
	if e == p.Unified && slices.Contains(parser.Guided, p.Chat.ToolChoice.Mode) {
		s.Mode = p.Mode
	}
	if s.Mode == abi.ModeGuidedNamed {
		s.NamedTool = p.Chat.ToolChoice.Name
	}
	if e != p.Thought {
		addTools(&s, p.Chat.Tools, parser.NeedsSchemas)
	}
	s.Flags |= p.openFlags()
	if p.TurnGrammar && parser.Strict {
		s.Flags |= abi.OpenTurnGrammar
	}
	if p.JSONStarts != "" && p.Guided.Kind == backend.GuidedNone {
		s.Flags |= abi.OpenStructured
	}
	return s
}

func (p *Plan) openFlags() (openFlags uint32) {
	if !p.ReasoningOff {
		openFlags |= abi.OpenReasoning
	}
	if p.Chat.ParallelToolCalls {
		openFlags |= abi.OpenParallel
	}
	return openFlags
}

// jsonStarts gives the bytes that the answer can begin with; "" where it is to be no
// JSON.
func (p *Plan) jsonStarts() string {
	switch {
	case p.Mode == abi.ModeGuidedNamed:
		return "{"
	case p.Mode == abi.ModeGuidedRequired:
		return "[{"
	case p.Guided.Kind == backend.GuidedNone && !p.Chat.ToolChoice.Forced():
		return formatStarts(p.Chat)
	}
	return ""
}

// formatStarts is jsonStarts by the client's response format.
func formatStarts(r *openai.ChatRequest) string {
	switch r.ResponseFormatType {
	case "json_object":
		return "{"
	case "json_schema":
		schema := jsonx.Get(jsonx.Get(r.ResponseFormat, "json_schema"), "schema")
		switch kind, _ := jsonx.String(jsonx.Get(schema, "type")); kind {
		case "object":
			return "{"
		case "array":
			return "["
		}
		return `{["-0123456789tfn`
	}
	return ""
}

// parserList gives the parsers that the model has.
func (p *Parsers) parserList() []parser.Engine {
	return present(p.Unified, p.Split, p.Jailed, p.Thought)
}

func present(engines ...parser.Engine) []parser.Engine {
	return slices.DeleteFunc(engines, func(e parser.Engine) bool { return e == nil })
}
