package route

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/openai"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/host/prompt"
)

// Model is what has to be known of a served model to decide about a request.
type Model struct {
	Parsers Parsers
	Version Version
	// Guided says how the host constrains a tool choice where both ways are open.
	Guided GuidedPolicy
	// CanGuide says whether the engine takes a constraint of that kind.
	CanGuide func(backend.GuidedKind) bool
	// TurnGrammar says that the engine runs every request of this model under a
	// grammar of the whole turn.
	TurnGrammar bool
	// Thinking is the deployment's default mode.
	Thinking openai.Thinking
	// Opens is the channel that the prompt leaves open where the model is to think,
	// by the operator's word; it counts where Render does not tell.
	Opens abi.Channel
	// Names are the model's, the surest first: the engine's for it, then the clients'.
	// They tell what the prompt leaves open where nothing else does.
	Names []string
	// ToolsUnderNone leaves the tools in the prompt under tool_choice none.
	ToolsUnderNone bool
	// Render gives the prompt, or its end, that the model's chat template makes of
	// the request; known is false where it can't be told. nil: there is no template
	// here.
	Render func(context.Context, *openai.ChatRequest, PromptRequest) (p prompt.Prompt, known bool)
	// Options go to the parser.
	Options []abi.Option
}

// PromptRequest says how a request's prompt is to be rendered.
type PromptRequest struct {
	Args     []openai.Member // the arguments of the template
	Continue bool            // the last message is to be continued
}

// GuidedPolicy is a preference between the ways to constrain a tool choice.
type GuidedPolicy uint8

const (
	GuideByFamily GuidedPolicy = iota // a structural tag where the family has one, else JSON
	GuideByTag
	GuideByJSON
)

// Parsers are the parsers of a model. Each is nil where the model has none.
type Parsers struct {
	// Tool and Reasoning are the names that were configured, "" for none.
	Tool, Reasoning string

	Unified parser.Engine // reasoning and calls
	Split   parser.Engine // calls, streaming, from text without reasoning
	Jailed  parser.Engine // whole calls, for the jail
	Thought parser.Engine // reasoning only
}

// NewParsers combines the parsers of a model from the families configured for
// calls and for reasoning; nil stands for none. One half is enough to select the
// unified parser of its family; two halves must be of the same one.
func NewParsers(tool, reasoning *parser.Family) Parsers {
	var p Parsers
	if tool != nil {
		p.Tool, p.Unified, p.Split, p.Jailed = tool.Name, tool.Unified, tool.Tools, tool.Batch
		if p.Jailed == nil {
			p.Jailed = tool.Tools
		}
	}
	if reasoning == nil {
		return p
	}
	p.Reasoning, p.Thought = reasoning.Name, reasoning.Reasoning
	if p.Thought == nil {
		p.Thought = reasoning.Unified // opened without tools: nothing is a call
	}
	switch {
	case tool == nil:
		p.Unified = reasoning.Unified
	case tool.Name != reasoning.Name:
		p.Unified = nil
	}
	return p
}

// Any says whether the model has a parser at all.
func (p *Parsers) Any() bool { return p.Tool != "" || p.Reasoning != "" }

// parserPair names the parsers for a message.
func (p *Parsers) parserPair() string {
	name := func(s string) string {
		if s == "" {
			return "none"
		}
		return s
	}
	return fmt.Sprintf("tool parser %s, reasoning parser %s", name(p.Tool), name(p.Reasoning))
}

// Check says whether the model's parsers can do what an explicit version asks
// for. It is for the time when a model is loaded.
func (m *Model) Check() error {
	p := &m.Parsers
	switch {
	case m.Version == V2 && p.Any() && p.Unified == nil && p.Split == nil:
		return fmt.Errorf("%s: 2: %s have neither a unified nor a split implementation; use auto or 1", SettingVersion, p.parserPair())
	case m.Version == V1 && p.Tool != "" && p.Jailed == nil:
		return fmt.Errorf("%s: 1: %s have no implementation for the jail; use auto or 2", SettingVersion, p.parserPair())
	}
	return nil
}

// StartUnknown says whether it can't be told where the model's answers begin: the
// family's templates differ, and there is neither one, nor the operator's word, nor a
// name that tells.
func (m *Model) StartUnknown() bool {
	if m.Render != nil || m.Opens != abi.ChannelUnknown {
		return false
	}
	return slices.ContainsFunc(m.Parsers.parserList(), func(e parser.Engine) bool { return e.Parser().MayOpen(m.Names) })
}

// CheckOptions opens a session of each parser: one that can't use the model's
// options says so there.
func (m *Model) CheckOptions() error {
	for _, e := range m.Parsers.parserList() {
		s, _, err := parse.Open(parse.Config{Engine: e, Open: abi.OpenBlock{Options: m.Options}})
		if refused := (*parse.OpenError)(nil); errors.As(err, &refused) {
			return fmt.Errorf("options: %w", refused)
		}
		if s != nil {
			s.Close()
		}
	}
	return nil
}
