package route

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// decideGuidedDecoding decides how the engine is constrained for the sake of calls.
func (m *Model) decideGuidedDecoding(p *Plan) *openai.Error {
	r := p.Chat
	p.TurnGrammar = m.TurnGrammar
	switch {
	case !p.ShowTools:
		return nil // no call is to be had, and none to be banned
	case r.ToolChoice.Forced():
	case r.ResponseFormat != nil || len(r.GuidedFields) > 0:
		return nil // the client's own constraint goes to the engine
	case m.Guided == GuideByJSON:
		return nil // there is no JSON for a free choice
	case p.CallsOff: // the tools are in the prompt all the same: a tag can ban calls
	case !slices.ContainsFunc(r.Tools, func(t openai.Tool) bool { return t.Strict }) && r.ParallelToolCalls:
		return nil
	}
	json := m.readsJSON(r)
	if m.Guided != GuideByJSON || !json {
		if ok, err := m.guideByTag(p); ok || err != nil {
			return err
		}
	}
	if !json {
		return nil
	}
	return guideByJSON(p)
}

// readsJSON says whether a forced choice can be constrained to bare JSON.
func (m *Model) readsJSON(r *openai.ChatRequest) bool {
	if !r.ToolChoice.Forced() || !m.CanGuide(backend.GuidedJSON) {
		return false
	}
	return !m.unified() || slices.Contains(m.Parsers.Unified.Parser().Guided, r.ToolChoice.Mode)
}

func (m *Model) guideByTag(p *Plan) (bool, *openai.Error) {
	builder, engine := m.constrainer()
	if builder == nil || !m.CanGuide(backend.GuidedStructuralTag) {
		return false, nil
	}
	r := p.Chat
	open := abi.OpenBlock{
		Parser: engine.Parser().Name, ToolChoice: toolChoice(r), NamedTool: r.ToolChoice.Name, Options: m.Options, Flags: p.openFlags(),
	}
	open.Start, open.PromptTail = p.decideStart(engine)
	addTools(&open, r.Tools, true)
	answer, err := builder.Constraint(&open)
	if large := tooLarge(err); large != nil {
		return false, TooLarge(large)
	}
	if err != nil {
		return false, &openai.Error{Status: http.StatusInternalServerError, Code: "constraint_failed",
			Message: fmt.Sprintf("the parser can't build a constraint for this tool choice: %v", err)}
	}
	tag := jsonx.Get(answer, "structural_tag")
	if tag == nil {
		return false, nil
	}
	p.Guided = backend.Guided{Kind: backend.GuidedStructuralTag, Value: tag}
	if scope, _ := jsonx.String(jsonx.Get(answer, "scope")); scope == "turn" {
		p.TurnGrammar = true
	}
	return true, nil
}

// constrainer gives the parser of the model that builds constraints.
func (m *Model) constrainer() (parser.Constrainer, parser.Engine) {
	engines := []parser.Engine{m.Parsers.Jailed, m.Parsers.Split}
	if m.unified() {
		engines = []parser.Engine{m.Parsers.Unified}
	}
	for _, e := range engines {
		if e == nil || !e.Parser().Constraint {
			continue
		}
		if c, ok := e.(parser.Constrainer); ok {
			return c, e
		}
	}
	return nil, nil
}

func forcedMode(r *openai.ChatRequest) abi.Mode {
	switch r.ToolChoice.Mode {
	case openai.ToolChoiceRequired:
		return abi.ModeGuidedRequired
	case openai.ToolChoiceNamed:
		return abi.ModeGuidedNamed
	}
	return abi.ModeNative
}

func toolChoice(r *openai.ChatRequest) abi.ToolChoice {
	switch r.ToolChoice.Mode {
	case openai.ToolChoiceRequired:
		return abi.ToolChoiceRequired
	case openai.ToolChoiceNamed:
		return abi.ToolChoiceNamed
	case openai.ToolChoiceNone:
		return abi.ToolChoiceNone
	}
	return abi.ToolChoiceAuto
}

func addTools(open *abi.OpenBlock, tools []openai.Tool, schemas bool) {
	for i, t := range tools {
		open.Tools = append(open.Tools, t.Name)
		if schemas {
			open.Schemas = append(open.Schemas, abi.Schema{Tool: uint32(i), JSON: string(parameters(&t))})
		}
	}
}

// parameters is the schema of a tool's arguments; without one, any object.
func parameters(t *openai.Tool) openai.Raw {
	if jsonx.IsNull(t.Parameters) {
		return openai.Raw(`{"type":"object","properties":{}}`)
	}
	return t.Parameters
}

func guideByJSON(p *Plan) (err *openai.Error) {
	r := p.Chat
	p.Guided.Kind, p.Mode = backend.GuidedJSON, forcedMode(r)
	if p.Mode == abi.ModeGuidedNamed {
		i := slices.IndexFunc(r.Tools, func(t openai.Tool) bool { return t.Name == r.ToolChoice.Name })
		p.Guided.Value = parameters(&r.Tools[i])
		return nil
	}
	p.Guided.Value, err = callsSchema(r.Tools, r.ParallelToolCalls)
	return err
}

// callsSchema is the schema of a list of calls, {"name":…,"parameters":…} each.
// The tools' $defs move to its top, where their references point.
func callsSchema(tools []openai.Tool, parallel bool) (openai.Raw, *openai.Error) {
	var defs definitions
	out := []byte(`{"type":"array","minItems":1,`)
	if !parallel {
		out = append(out, `"maxItems":1,`...)
	}
	out = append(out, `"items":{"anyOf":[`...)
	for i := range tools {
		t := &tools[i]
		var rest []openai.Member
		for _, member := range jsonx.Members(parameters(t)) {
			if member.Name != "$defs" {
				rest = append(rest, member)
				continue
			}
			if err := defs.merge(t.Name, member.Value); err != nil {
				return nil, err
			}
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, `{"type":"object","properties":{"name":{"type":"string","enum":[`...)
		out = jsonx.AppendString(out, t.Name)
		out = append(out, `]},"parameters":`...)
		out = jsonx.AppendMembers(out, rest)
		out = append(out, `},"required":["name","parameters"]}`...)
	}
	out = append(out, `]}`...)
	if len(defs.list) > 0 {
		out = append(out, `,"$defs":`...)
		out = jsonx.AppendMembers(out, defs.list)
	}
	return append(out, '}'), nil
}

// definitions are the $defs of all tools, in order of first appearance.
type definitions struct {
	list []openai.Member
	at   map[string]int // places in list
}

func (defs *definitions) merge(tool string, add openai.Raw) *openai.Error {
	if defs.at == nil {
		defs.at = map[string]int{}
	}
	for _, d := range jsonx.Members(add) {
		i, known := defs.at[d.Name]
		switch {
		case !known:
			defs.at[d.Name] = len(defs.list)
			defs.list = append(defs.list, d)
		case !bytes.Equal(jsonx.AppendRaw(nil, defs.list[i].Value), jsonx.AppendRaw(nil, d.Value)):
			return refusal("tools", "schema_conflict",
				"the tools define %s in $defs in different ways (again in tool %s): tool_choice required needs one definition", openai.Quote(d.Name), openai.Quote(tool))
		}
	}
	return nil
}
