package openai

import (
	"strconv"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
)

const (
	usageDetails   = "completion_tokens_details"
	usageReasoning = "reasoning_tokens"
)

// Encoder writes what a client gets: an explicit list of members, and the unknown
// ones that were kept. The zero Encoder is ready; it is used by one goroutine.
type Encoder struct {
	// ReasoningNames are the members that hold reasoning, each all of it; nil is
	// reasoning_content alone.
	ReasoningNames []string

	frame  Frame
	prefix []byte // `{"id":…,"object":…,"created":…,"model":…` of frame
}

// AppendChunk appends a chunk as one line of JSON.
func (e *Encoder) AppendChunk(dst []byte, c *Chunk) []byte {
	if e.prefix == nil || e.frame != c.Frame {
		e.frame = c.Frame
		e.prefix = appendFrame(e.prefix[:0], &e.frame, ObjectChunk)
	}
	dst = append(dst, e.prefix...)
	dst = append(dst, `,"choices":[`...)
	for i := range c.Choices {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = e.appendChoice(dst, &c.Choices[i])
	}
	dst = append(dst, ']')
	return appendTail(dst, c.Usage, c.NVExt, c.PromptLogprobs, c.Extra)
}

func appendFrame(dst []byte, f *Frame, object string) []byte {
	dst = append(dst, `{"id":`...)
	dst = jsonx.AppendString(dst, f.ID)
	dst = append(dst, `,"object":"`...)
	dst = append(dst, object...)
	dst = append(dst, `","created":`...)
	dst = strconv.AppendInt(dst, f.Created, 10)
	dst = append(dst, `,"model":`...)
	dst = jsonx.AppendString(dst, f.Model)
	dst = appendText(dst, "service_tier", f.ServiceTier)
	return appendText(dst, "system_fingerprint", f.SystemFingerprint)
}

// appendTail writes what chunks and completions have behind their choices.
func appendTail(dst []byte, usage *Usage, nvext, promptLogprobs Raw, extra []Member) []byte {
	if usage != nil {
		dst = usage.appendUsage(append(dst, `,"usage":`...))
	}
	if !jsonx.IsNull(nvext) {
		dst = jsonx.AppendRaw(append(dst, `,"nvext":`...), nvext)
	}
	if !jsonx.IsNull(promptLogprobs) {
		dst = jsonx.AppendRaw(append(dst, `,"prompt_logprobs":`...), promptLogprobs)
	}
	return append(appendExtra(dst, extra), '}')
}

func (e *Encoder) appendChoice(dst []byte, c *Choice) []byte {
	dst = append(dst, `{"index":`...)
	dst = strconv.AppendInt(dst, int64(c.Index), 10)
	dst = append(dst, `,"delta":{`...)
	d := &c.Delta
	dst = appendText(dst, "role", d.Role)
	dst = e.appendReasoning(dst, d.Reasoning)
	if d.Parts != nil {
		dst = jsonx.AppendMember(dst, "content", d.Parts)
	} else {
		dst = appendText(dst, "content", d.Content)
	}
	dst = appendText(dst, "refusal", d.Refusal)
	if len(d.ToolCalls) > 0 {
		dst = append(jsonx.AppendName(dst, "tool_calls"), '[')
		for i := range d.ToolCalls {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendCall(dst, &d.ToolCalls[i], true)
		}
		dst = append(dst, ']')
	}
	dst = append(appendExtra(dst, d.Extra), '}')
	return appendChoiceTail(dst, c.Logprobs, c.FinishReason, c.Extra)
}

func appendChoiceTail(dst []byte, logprobs Raw, finish string, extra []Member) []byte {
	if !jsonx.IsNull(logprobs) {
		dst = jsonx.AppendRaw(append(dst, `,"logprobs":`...), logprobs)
	}
	dst = append(dst, `,"finish_reason":`...)
	if finish == "" {
		dst = append(dst, "null"...)
	} else {
		dst = jsonx.AppendString(dst, finish)
	}
	return append(appendExtra(dst, extra), '}')
}

func (e *Encoder) appendReasoning(dst []byte, s string) []byte {
	if e.ReasoningNames == nil {
		return appendText(dst, FieldReasoningContent, s)
	}
	for _, name := range e.ReasoningNames {
		dst = appendText(dst, name, s)
	}
	return dst
}

// appendCall writes a call. Indexed says that it is a delta's: then what is empty
// is left out, but for the arguments.
func appendCall(dst []byte, t *ToolCall, indexed bool) []byte {
	dst = append(dst, '{')
	if indexed {
		dst = append(dst, `"index":`...)
		dst = strconv.AppendInt(dst, int64(t.Index), 10)
	}
	dst = appendText(dst, "id", t.ID)
	dst = appendText(dst, "type", t.Type)
	dst = append(jsonx.AppendName(dst, "function"), '{')
	dst = appendText(dst, "name", t.Name)
	dst = jsonx.AppendString(jsonx.AppendName(dst, "arguments"), t.Arguments)
	dst = append(dst, '}')
	return append(appendExtra(dst, t.Extra), '}')
}

// appendUsage writes the usage as the engine sent it, with the reasoning tokens that
// were found here.
func (u *Usage) appendUsage(dst []byte) []byte {
	dst = append(dst, '{')
	hasDetails := false
	for o := jsonx.ObjectOf(u.raw()); ; {
		name, value, ok := o.Next()
		if !ok {
			break
		}
		if string(name) == usageDetails && u.ReasoningTokens > 0 {
			hasDetails = true
			dst = append(jsonx.AppendName(dst, usageDetails), u.appendDetails(nil, value)...)
			continue
		}
		dst = jsonx.AppendMember(dst, string(name), value)
	}
	if u.ReasoningTokens > 0 && !hasDetails {
		dst = append(jsonx.AppendName(dst, usageDetails), u.appendDetails(nil, nil)...)
	}
	return append(dst, '}')
}

func (u *Usage) raw() Raw {
	if u.Raw != nil {
		return u.Raw
	}
	out := append([]byte(nil), `{"prompt_tokens":`...)
	out = strconv.AppendInt(out, u.PromptTokens, 10)
	out = strconv.AppendInt(append(out, `,"completion_tokens":`...), u.CompletionTokens, 10)
	out = strconv.AppendInt(append(out, `,"total_tokens":`...), u.TotalTokens, 10)
	return append(out, '}')
}

func (u *Usage) appendDetails(dst []byte, details Raw) []byte {
	dst = append(dst, '{')
	for o := jsonx.ObjectOf(details); ; {
		name, value, ok := o.Next()
		if !ok {
			break
		}
		if string(name) != usageReasoning {
			dst = jsonx.AppendMember(dst, string(name), value)
		}
	}
	dst = strconv.AppendInt(jsonx.AppendName(dst, usageReasoning), u.ReasoningTokens, 10)
	return append(dst, '}')
}

// AppendCompletion appends a whole completion as one line of JSON.
func (e *Encoder) AppendCompletion(dst []byte, c *Completion) []byte {
	dst = appendFrame(dst, &c.Frame, ObjectCompletion)
	dst = append(dst, `,"choices":[`...)
	for i := range c.Choices {
		if i > 0 {
			dst = append(dst, ',')
		}
		choice := &c.Choices[i]
		dst = append(dst, `{"index":`...)
		dst = strconv.AppendInt(dst, int64(choice.Index), 10)
		dst = e.appendMessage(append(dst, `,"message":`...), &choice.Message)
		dst = appendChoiceTail(dst, choice.Logprobs, choice.FinishReason, choice.Extra)
	}
	dst = append(dst, ']')
	return appendTail(dst, c.Usage, c.NVExt, c.PromptLogprobs, c.Extra)
}

func (e *Encoder) appendMessage(dst []byte, m *Message) []byte {
	role := m.Role
	if role == "" {
		role = "assistant"
	}
	dst = appendText(append(dst, '{'), "role", role)
	dst = e.appendReasoning(dst, m.Reasoning)
	dst = jsonx.AppendName(dst, "content")
	switch {
	case m.Parts != nil:
		dst = jsonx.AppendRaw(dst, m.Parts)
	case m.Content != "":
		dst = jsonx.AppendString(dst, m.Content)
	default:
		dst = append(dst, "null"...)
	}
	dst = appendText(dst, "refusal", m.Refusal)
	if len(m.ToolCalls) > 0 {
		dst = append(jsonx.AppendName(dst, "tool_calls"), '[')
		for i := range m.ToolCalls {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendCall(dst, &m.ToolCalls[i], false)
		}
		dst = append(dst, ']')
	}
	return append(appendExtra(dst, m.Extra), '}')
}

// appendText appends a member unless s is empty.
func appendText(dst []byte, name, s string) []byte {
	if s == "" {
		return dst
	}
	return jsonx.AppendString(jsonx.AppendName(dst, name), s)
}

func appendExtra(dst []byte, extra []Member) []byte {
	for _, m := range extra {
		dst = jsonx.AppendMember(dst, m.Name, m.Value)
	}
	return dst
}

// Append appends the error object: {"error":{"message":…,"type":…,"code":…}}.
func (e *Error) Append(dst []byte) []byte {
	kind := e.Type
	if kind == "" {
		kind = ErrorType(e.Status)
	}
	dst = append(dst, `{"error":{"message":`...)
	dst = jsonx.AppendString(dst, e.Message)
	dst = jsonx.AppendString(append(dst, `,"type":`...), kind)
	dst = append(dst, `,"param":`...)
	if e.Param == "" {
		dst = append(dst, "null"...)
	} else {
		dst = jsonx.AppendString(dst, e.Param)
	}
	dst = append(dst, `,"code":`...)
	switch {
	case e.EngineCode != nil:
		dst = append(dst, e.EngineCode...)
	case e.Code != "":
		dst = jsonx.AppendString(dst, e.Code)
	default:
		dst = strconv.AppendInt(dst, int64(e.Status), 10)
	}
	return append(dst, "}}"...)
}
