package backend

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// chatOnly are the members of a chat request that a completions API does not
// have: the prompt already says what they would.
var chatOnly = []string{
	"messages", "tools", "tool_choice", "parallel_tool_calls", "functions", "function_call",
	"chat_template", "chat_template_kwargs", "add_generation_prompt", "continue_final_message",
	"reasoning_effort", "thinking", "max_completion_tokens", "logprobs", "top_logprobs", "nvext",
}

// AppendCompletion appends the request for an engine's completions API: the
// rendered prompt, and of the client's request what is not about the chat. A
// *Error says what can't be asked in that way.
func (p *Profile) AppendCompletion(dst []byte, r *Request) ([]byte, error) {
	if r.Prompt == "" {
		return nil, cannot("messages: the model's chat_template can't render them, and its engine is asked by the prompt")
	}
	if r.Chat.Logprobs {
		return nil, cannot("logprobs: the engine is asked by its completions API, whose log-probabilities have another form")
	}
	asked := *r
	asked.RawText, asked.TemplateArgs = false, nil
	ours := slices.DeleteFunc(p.overriddenMembers(&asked), func(m openai.Member) bool { return slices.Contains(chatOnly, m.Name) })
	for _, name := range chatOnly {
		ours = append(ours, openai.Member{Name: name})
	}
	ours = append(ours, openai.Member{Name: "prompt", Value: jsonx.AppendString(nil, r.Prompt)})
	if n := r.Chat.MaxTokens; n > 0 {
		ours = append(ours, member("max_tokens", strconv.FormatInt(n, 10)))
	}
	return appendRequest(dst, r, ours), nil
}

func cannot(message string) error {
	return &Error{Status: http.StatusBadRequest, Code: CodeUnsupported, Message: message, Public: true}
}
