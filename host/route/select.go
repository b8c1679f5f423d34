package route

import (
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// pickRoute chooses the route. It runs once a request, after the guided decision.
func (m *Model) pickRoute(plan *Plan) (Route, *openai.Error) {
	p, r := &m.Parsers, plan.Chat
	if m.unified() {
		return Unified, nil
	}
	if !m.processed(r) {
		return Pass, nil
	}
	if p.Tool == "" && !r.ToolChoice.Forced() {
		return Pass, nil
	}
	if m.Version != V1 && p.Split != nil && plan.Guided.Kind != backend.GuidedStructuralTag && !r.ToolChoice.Forced() {
		return Split, nil
	}
	if m.Version == V2 {
		return Pass, m.needsJail(r)
	}
	if err := refuseJailed(r); err != nil {
		return Pass, err
	}
	return Jail, nil
}

func (m *Model) unified() bool { return m.Parsers.Unified != nil && m.Version != V1 }

// processed says whether the answer can hold calls, or an envelope that has to
// come off.
func (m *Model) processed(r *openai.ChatRequest) bool {
	if len(r.Tools) > 0 && r.ToolChoice.Mode != openai.ToolChoiceNone {
		return true
	}
	for _, e := range []parser.Engine{m.Parsers.Jailed, m.Parsers.Split} {
		if e != nil && e.Parser().Wrapped {
			return true
		}
	}
	return false
}
