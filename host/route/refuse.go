package route

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/turnkey-parsers/turnkey/host/openai"
)

// choiceScoped are the nvext fields that belong to one choice.
var choiceScoped = []string{"engine_data", "routed_experts", "stop_reason"}

func refusal(param, code, format string, args ...any) *openai.Error {
	return &openai.Error{Status: http.StatusBadRequest, Param: param, Code: code, Message: fmt.Sprintf(format, args...)}
}

// refuse says what is wrong with a request whatever its route.
func (m *Model) refuse(r *openai.ChatRequest) *openai.Error {
	if r.N > 1 && r.NVExt.Wants("completion_token_ids") {
		return refusal("nvext.extra_fields", "unsupported_with_n",
			"completion_token_ids needs exactly one generated choice: one list can't hold the tokens of n = %d choices", r.N)
	}
	choice := r.ToolChoice
	if !choice.Forced() {
		return nil
	}
	switch {
	case len(r.Tools) == 0 && r.HasTools:
		return refusal("tools", "tools_empty", "tools is empty, but tool_choice demands a call")
	case len(r.Tools) == 0:
		return refusal("tool_choice", "tools_missing", "tool_choice demands a call, but the request has no tools: tools are needed")
	case choice.Mode == openai.ToolChoiceNamed && !offers(r.Tools, choice.Name):
		return refusal("tool_choice", "tool_unknown", "tool_choice names the tool %q, which is not among the tools", choice.Name)
	case len(r.GuidedFields) > 0:
		return refusal(r.GuidedFields[0], "guided_with_tool_choice",
			"guided decoding (%s) can't be combined with a tool_choice that demands a call", r.GuidedFields[0])
	}
	if p := &m.Parsers; choice.Mode == openai.ToolChoiceNamed && p.Thought != nil && p.Thought.Parser().Wrapped && p.Tool != p.Reasoning {
		return refusal("tool_choice", "tool_parser_needed",
			"a named tool_choice needs the tool parser %s beside the reasoning parser of that name; the model has %s", p.Reasoning, p.pair())
	}
	return nil
}

func offers(tools []openai.Tool, name string) bool {
	return slices.ContainsFunc(tools, func(t openai.Tool) bool { return t.Name == name })
}

// needsJail refuses a request that an explicit version 2 can't serve.
func (m *Model) needsJail(r *openai.ChatRequest) *openai.Error {
	choice := r.ToolChoice.Mode
	if choice == openai.ToolChoiceUnset {
		choice = openai.ToolChoiceAuto
	}
	return refusal("tool_choice", "parser_version",
		"%s is 2, but tool_choice %s needs the v1 jail on this model (%s): set %s to auto or 1",
		SettingVersion, choice, m.Parsers.pair(), SettingVersion)
}

// refuseJailed says what is wrong with a request on the jail route.
func refuseJailed(r *openai.ChatRequest) *openai.Error {
	if r.N <= 1 {
		return nil
	}
	for _, f := range choiceScoped {
		if r.NVExt.Wants(f) {
			return refusal("nvext.extra_fields", "unsupported_with_n",
				"%s in nvext.extra_fields needs n = 1 on the jail route: it belongs to one choice", f)
		}
	}
	return nil
}
