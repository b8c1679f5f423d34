package route

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/host/chunk"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// Refusals that need no more than the request, openai.DecodeRequest makes.

// choiceScoped are the nvext fields that belong to one choice.
var choiceScoped = []string{"engine_data", "routed_experts", "stop_reason"}

func refusal(param, code, format string, args ...any) *openai.Error {
	return &openai.Error{Status: http.StatusBadRequest, Param: param, Code: code, Message: fmt.Sprintf(format, args...)}
}

// refuseUnservable says what is wrong with a request whatever its route: token indices of
// more than one choice, or a named tool whose call would stand in the envelope of
// another family's parser.
func (m *Model) refuseUnservable(r *openai.ChatRequest) *openai.Error {
	if r.N > 1 && r.NVExt.Wants(chunk.FieldAlignment) {
		return refusal("nvext.extra_fields", "unsupported_with_n",
			"%s in nvext.extra_fields needs exactly one generated choice, n = 1: its indices are those of one list of tokens", chunk.FieldAlignment)
	}
	p := &m.Parsers
	if r.ToolChoice.Mode != openai.ToolChoiceNamed || p.Thought == nil || !p.Thought.Parser().Wrapped || p.Tool == p.Reasoning {
		return nil
	}
	return refusal("tool_choice", "tool_parser_needed",
		"a named tool_choice needs the tool parser %s beside the reasoning parser of that name; the model has %s", p.Reasoning, p.parserPair())
}

// TooLarge is the refusal of a request that goes beyond a limit of a parser's module.
func TooLarge(err *parser.TooLargeError) *openai.Error {
	return refusal("tools", "limits."+err.Limit, "tools: %v (modules.limits in the configuration): send fewer tools, or smaller schemas", err)
}

// tooLarge gives the error if it is one of a request's size, else nil.
func tooLarge(err error) (large *parser.TooLargeError) {
	errors.As(err, &large)
	return large
}

// admit refuses a request that is too large for one of the route's parsers.
func (p *Plan) admit() *openai.Error {
	if len(p.Chat.Tools) == 0 {
		return nil
	}
	for _, e := range p.parsers() {
		admitter, ok := e.(parser.Admitter)
		if !ok {
			continue
		}
		open := p.Open(e)
		if large := tooLarge(admitter.Admit(&open)); large != nil {
			return TooLarge(large)
		}
	}
	return nil
}

// needsJail refuses a request that an explicit version 2 can't serve.
func (m *Model) needsJail(r *openai.ChatRequest) *openai.Error {
	choice := r.ToolChoice.Mode
	if choice == openai.ToolChoiceUnset {
		choice = openai.ToolChoiceAuto
	}
	return refusal("tool_choice", "parser_version",
		"%s is 2, but tool_choice %s needs the v1 jail on this model (%s): set %s to auto or 1",
		SettingVersion, choice, m.Parsers.parserPair(), SettingVersion)
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
