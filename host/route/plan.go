package route

import (
	"slices"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/openai"
	"github.com/turnkey-parsers/turnkey/host/parse"
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
	// NonEmpty: reasoning becomes content if there is no other.
	NonEmpty bool
	// Structured: the answer is to be JSON by the client's response_format.
	Structured bool
	// TemplateArgs are the arguments of the chat template.
	TemplateArgs []openai.Member

	// Stages are the parsers of the route: Unified alone, or Thought and then
	// Calls, each of which may be missing.
	Unified, Thought, Calls parse.Engine

	tail    string
	tailed  bool // the prompt's end is known
	options []abi.Option
}

// Decide makes the plan of a request, or says why it can't be served.
func (m *Model) Decide(r *openai.ChatRequest) (*Plan, *openai.Error) {
	if err := m.refuse(r); err != nil {
		return nil, err
	}
	g, err := m.guide(r)
	if err != nil {
		return nil, err
	}
	p := &Plan{
		Chat: r, Guided: g.Guided, Mode: g.mode, TurnGrammar: g.turn,
		CallsOff: len(r.Tools) > 0 && r.ToolChoice.Mode == openai.ToolChoiceNone,
		NonEmpty: nonEmpty(r), options: m.Options,
	}
	p.ShowTools = len(r.Tools) > 0 && (!p.CallsOff || m.ToolsUnderNone)
	p.Structured = structured(r) && g.Kind == backend.GuidedNone
	if p.Route, err = m.pick(r, g); err != nil {
		return nil, err
	}
	m.stages(p)
	mode, args := m.thinking(r)
	p.ReasoningOff, p.TemplateArgs = mode == openai.ThinkingOff, args
	if m.Render != nil {
		prompt, known := m.Render(r, args)
		p.tail, p.tailed = cutTail(prompt), known
	}
	return p, nil
}

// stages sets the parsers that the route runs.
func (m *Model) stages(p *Plan) {
	e := &m.Parsers
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
// Where the engine is asked for them the parser reads them itself.
func (p *Plan) EOSTexts() []string {
	if p.StopText() {
		return nil
	}
	var texts []string
	for _, e := range []parse.Engine{p.Unified, p.Thought, p.Calls} {
		if e == nil {
			continue
		}
		for _, t := range e.Parser().EOS {
			if t != "" && !slices.Contains(texts, t) {
				texts = append(texts, t)
			}
		}
	}
	return texts
}

// SpecialTokens says whether a parser needs the engine's special tokens.
func (p *Plan) SpecialTokens() bool {
	for _, e := range []parse.Engine{p.Unified, p.Thought, p.Calls} {
		if e != nil && e.Parser().SpecialTokens {
			return true
		}
	}
	return false
}

// StopText says whether the text of the stop token is wanted: a strict parser
// reads it under a turn grammar.
func (p *Plan) StopText() bool { return p.TurnGrammar && p.Unified != nil && p.Unified.Parser().Strict }

// RawText says whether the host parses the answer.
func (p *Plan) RawText() bool {
	return p.Unified != nil || p.Thought != nil || p.Calls != nil || p.Mode != abi.ModeNative
}

// Open gives the open block for a session of one of the plan's parsers.
func (p *Plan) Open(e parse.Engine) abi.Session {
	parser := e.Parser()
	s := abi.Session{Parser: parser.Name, Options: p.options}
	if e != p.Calls {
		s.PromptTail = p.tail
		if p.tailed {
			s.Start = channel(parser, p.tail)
		}
	}
	if e != p.Calls && slices.Contains(parser.Guided, p.Chat.ToolChoice.Mode) {
		s.Mode = p.Mode
	}
	if s.Mode == abi.ModeGuidedNamed {
		s.NamedTool = p.Chat.ToolChoice.Name
	}
	if e != p.Thought {
		addTools(&s, p.Chat.Tools, parser.NeedsSchemas)
	}
	if !p.ReasoningOff {
		s.Flags |= abi.OpenReasoning
	}
	if p.Chat.ParallelToolCalls {
		s.Flags |= abi.OpenParallel
	}
	if p.TurnGrammar && parser.Strict {
		s.Flags |= abi.OpenTurnGrammar
	}
	if p.Structured {
		s.Flags |= abi.OpenStructured
	}
	return s
}

func structured(r *openai.ChatRequest) bool {
	return r.ResponseFormatType == "json_object" || r.ResponseFormatType == "json_schema"
}

// list gives the parsers that the model has.
func (p *Parsers) list() []parse.Engine {
	var list []parse.Engine
	for _, e := range []parse.Engine{p.Unified, p.Split, p.Jailed, p.Thought} {
		if e != nil {
			list = append(list, e)
		}
	}
	return list
}
