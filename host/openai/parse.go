package openai

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
)

// Codes of the errors that a request can be refused with.
const (
	CodeInvalidJSON  = "invalid_json"
	CodeMissing      = "missing_required_parameter"
	CodeInvalidType  = "invalid_type"
	CodeInvalidValue = "invalid_value"
	CodeUnknown      = "unknown_parameter"
	CodeUnsupported  = "unsupported_parameter"
)

// maxChoices bounds n.
const maxChoices = 128

// DecodeRequest reads a chat completion request and checks what can be judged by
// the request alone. The error is an *Error that names the member at fault. The
// request does not refer to body.
func DecodeRequest(body []byte) (*ChatRequest, error) {
	v, err := jsonx.Check(body)
	if err != nil {
		return nil, &Error{Status: http.StatusBadRequest, Code: CodeInvalidJSON, Message: "the request body is " + err.Error()}
	}
	if !jsonx.IsObject(v) {
		return nil, &Error{Status: http.StatusBadRequest, Code: CodeInvalidJSON, Message: "the request body must be a JSON object"}
	}
	r := &ChatRequest{N: 1, ParallelToolCalls: true, AddGenerationPrompt: true, IncludeReasoning: true}
	r.Members = lastOfEach(jsonx.Members(v))
	for _, m := range r.Members {
		if jsonx.IsNull(m.Value) {
			continue
		}
		if k, ok := memberKinds[m.Name]; ok && !k.fits(m.Value) {
			return nil, badType(m.Name, k.String())
		}
		if err := r.readMember(m.Name, m.Value); err != nil {
			return nil, err
		}
	}
	if err := r.checkRequest(); err != nil {
		return nil, err
	}
	return r, nil
}

// lastOfEach leaves out members that are given again further on.
func lastOfEach(list []Member) []Member {
	last := make(map[string]int, len(list))
	for i, m := range list {
		last[m.Name] = i
	}
	if len(last) == len(list) {
		return list
	}
	kept := list[:0]
	for i, m := range list {
		if last[m.Name] == i {
			kept = append(kept, m)
		}
	}
	return kept
}

// readMember takes over one member that is not null and of the right type.
func (r *ChatRequest) readMember(name string, v Raw) error {
	if read, ok := checkedMembers[name]; ok {
		return read(r, v)
	}
	switch name {
	case "model":
		r.Model, _ = jsonx.String(v)
	case "reasoning_effort":
		r.ReasoningEffort, _ = jsonx.String(v)
	case "chat_template_kwargs":
		r.ChatTemplateKwargs = lastOfEach(jsonx.Members(v))
	case "guided_json", "guided_regex", "guided_choice", "guided_grammar", "structural_tag",
		"structured_outputs", "regex", "ebnf", "json_schema", "grammar":
		r.GuidedFields = append(r.GuidedFields, name)
	case "max_tokens", "max_completion_tokens":
		n, _ := jsonx.Int(v)
		if r.MaxTokens == 0 || name == "max_completion_tokens" {
			r.MaxTokens = n
		}
	case "functions", "function_call":
		return &Error{Status: http.StatusNotImplemented, Code: CodeUnsupported, Param: name,
			Message: name + " is not supported: use tools and tool_choice"}
	default:
		r.readSwitch(name, v)
	}
	return nil
}

// checkedMembers are the readers of members that may be refused for what is in them,
// beyond the type.
var checkedMembers = map[string]func(*ChatRequest, Raw) error{
	"messages":        (*ChatRequest).readMessages,
	"stream_options":  (*ChatRequest).readStreamOptions,
	"n":               (*ChatRequest).readChoiceCount,
	"tools":           (*ChatRequest).readTools,
	"tool_choice":     func(r *ChatRequest, v Raw) error { return r.ToolChoice.readToolChoice(v) },
	"response_format": (*ChatRequest).readResponseFormat,
	"stop":            (*ChatRequest).readStop,
	"stop_token_ids":  (*ChatRequest).readStopTokenIDs,
	"thinking":        func(r *ChatRequest, v Raw) error { return r.Thinking.readThinking(v) },
	"nvext":           func(r *ChatRequest, v Raw) error { return r.NVExt.readNVExt(v) },
}

// readSwitch reads a member that is true or false; it lets any other be.
func (r *ChatRequest) readSwitch(name string, v Raw) {
	on, _ := jsonx.Bool(v)
	switch name {
	case "stream":
		r.Stream = on
	case "parallel_tool_calls":
		r.ParallelToolCalls = on
	case "ignore_eos":
		r.IgnoreEOS = on
	case "include_stop_str_in_output":
		r.IncludeStopText = on
	case "skip_special_tokens":
		r.SkipSpecialTokens = &on
	case "logprobs":
		r.Logprobs = on
	case "add_generation_prompt":
		r.AddGenerationPrompt = on
	case "continue_final_message":
		r.ContinueFinalMessage = on
	case "include_reasoning":
		r.IncludeReasoning = on
	}
}

func (r *ChatRequest) readChoiceCount(v Raw) error {
	n, _ := jsonx.Int(v)
	if n < 1 || n > maxChoices {
		return badValue("n", fmt.Sprintf("must be from 1 to %d", maxChoices))
	}
	r.N = int(n)
	return nil
}

func (r *ChatRequest) readResponseFormat(v Raw) error {
	kind, ok := jsonx.String(jsonx.Get(v, "type"))
	if !ok {
		return badType("response_format.type", "a string")
	}
	r.ResponseFormat, r.ResponseFormatType = v, kind
	return nil
}

func (r *ChatRequest) readStopTokenIDs(v Raw) error {
	for a := jsonx.ArrayOf(v); ; {
		e, ok := a.Next()
		if !ok {
			return nil
		}
		id, _ := jsonx.Int(e)
		r.StopTokenIDs = append(r.StopTokenIDs, id)
	}
}

// checkRequest judges members together, once all are known.
func (r *ChatRequest) checkRequest() error {
	switch {
	case r.Model == "":
		return &Error{Status: http.StatusBadRequest, Code: CodeMissing, Param: "model", Message: "model is missing: name one of GET /v1/models"}
	case len(r.Messages) == 0:
		return &Error{Status: http.StatusBadRequest, Code: CodeMissing, Param: "messages", Message: "messages is missing or empty: send at least one message"}
	case !r.Stream && r.hasMember("stream_options"):
		return badValue("stream_options", "is only allowed with stream: true")
	case r.N > 1 && r.NVExt.Wants("completion_token_ids"):
		return badValue("nvext.extra_fields", "completion_token_ids needs exactly one generated choice: n must be 1")
	}
	if err := r.keepAllowedTools(); err != nil {
		return err
	}
	return r.checkToolChoice()
}

func (r *ChatRequest) checkToolChoice() error {
	if !r.ToolChoice.Forced() {
		return nil
	}
	switch {
	case !r.HasTools:
		return badValue("tool_choice", fmt.Sprintf("%s needs tools, and the request has none", r.ToolChoice.Mode))
	case len(r.Tools) == 0:
		return badValue("tools", fmt.Sprintf("is empty, but tool_choice %s needs a tool", r.ToolChoice.Mode))
	case len(r.GuidedFields) > 0:
		return badValue(r.GuidedFields[0], fmt.Sprintf("is guided decoding of your own: it can't be had together with tool_choice %s", r.ToolChoice.Mode))
	case r.ToolChoice.Mode == ToolChoiceNamed && !slices.ContainsFunc(r.Tools, func(t Tool) bool { return t.Name == r.ToolChoice.Name }):
		return badValue("tool_choice", fmt.Sprintf("names the tool %s, which is not in tools", Quote(r.ToolChoice.Name)))
	}
	return nil
}

// hasMember says whether the client sent a member, and not null.
func (r *ChatRequest) hasMember(name string) bool { return !jsonx.IsNull(r.Member(name)) }

// Member gives a member of the request as the client sent it, nil if it is absent.
func (r *ChatRequest) Member(name string) Raw {
	for _, m := range r.Members {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

func (r *ChatRequest) readMessages(v Raw) error {
	for a := jsonx.ArrayOf(v); ; {
		e, ok := a.Next()
		if !ok {
			return nil
		}
		bad := func(member, want string) error {
			return badType(fmt.Sprintf("messages[%d]%s", len(r.Messages), member), want)
		}
		if !jsonx.IsObject(e) {
			return bad("", "an object")
		}
		role, ok := jsonx.String(jsonx.Get(e, "role"))
		if !ok || role == "" {
			return bad(".role", "a string, for example user")
		}
		if !eachText(jsonx.Get(e, "content"), func(Raw) {}) {
			return bad(".content", "a string or a list of parts with a type")
		}
		if calls := jsonx.Get(e, "tool_calls"); !jsonx.IsNull(calls) && !jsonx.IsArray(calls) {
			return bad(".tool_calls", "a list")
		}
		r.Messages = append(r.Messages, InputMessage{Role: role, Raw: e})
	}
}

// eachText visits the strings of a message's content, whatever its form. It is
// false where the content has none of the forms that there are.
func eachText(v Raw, visit func(Raw)) bool {
	switch {
	case jsonx.IsNull(v):
		return true
	case jsonx.IsString(v):
		visit(v)
		return true
	case !jsonx.IsArray(v):
		return false
	}
	for a := jsonx.ArrayOf(v); ; {
		part, ok := a.Next()
		if !ok {
			return true
		}
		if jsonx.IsString(part) { // some clients send bare strings
			visit(part)
			continue
		}
		kind, ok := jsonx.String(jsonx.Get(part, "type"))
		if !ok {
			return false
		}
		if kind != "text" {
			continue
		}
		text := jsonx.Get(part, "text")
		if !jsonx.IsString(text) {
			return false
		}
		visit(text)
	}
}

func (r *ChatRequest) readStreamOptions(v Raw) error {
	var obfuscation bool
	if !jsonx.IsNull(jsonx.Get(v, "include_obfuscation")) {
		r.Obfuscation = &obfuscation
	}
	for _, option := range []struct {
		name string
		dst  *bool
	}{{"include_usage", &r.IncludeUsage}, {"continuous_usage_stats", &r.ContinuousUsage}, {"include_obfuscation", &obfuscation}} {
		value := jsonx.Get(v, option.name)
		if jsonx.IsNull(value) {
			continue
		}
		var ok bool
		if *option.dst, ok = jsonx.Bool(value); !ok {
			return badType("stream_options."+option.name, isBool.String())
		}
	}
	return nil
}

func (r *ChatRequest) readTools(v Raw) error {
	r.HasTools = true
	for a := jsonx.ArrayOf(v); ; {
		e, ok := a.Next()
		if !ok {
			return nil
		}
		t := Tool{Raw: e}
		if err := t.readTool(fmt.Sprintf("tools[%d]", len(r.Tools)), e); err != nil {
			return err
		}
		r.Tools = append(r.Tools, t)
	}
}

func (t *Tool) readTool(where string, v Raw) error {
	if !jsonx.IsObject(v) {
		return badType(where, "an object")
	}
	if kind, ok := jsonx.String(jsonx.Get(v, "type")); !ok || kind != "function" {
		return badValue(where+".type", `must be "function"`)
	}
	function := jsonx.Get(v, "function")
	if !jsonx.IsObject(function) {
		return badType(where+".function", "an object")
	}
	where += ".function"
	var ok bool
	if t.Name, ok = jsonx.String(jsonx.Get(function, "name")); !ok || t.Name == "" {
		return badType(where+".name", "a string that is not empty")
	}
	if d := jsonx.Get(function, "description"); !jsonx.IsNull(d) {
		if t.Description, ok = jsonx.String(d); !ok {
			return badType(where+".description", "a string")
		}
	}
	if p := jsonx.Get(function, "parameters"); !jsonx.IsNull(p) {
		if !jsonx.IsObject(p) {
			return badType(where+".parameters", "an object: a JSON schema")
		}
		t.Parameters = p
	}
	strict := jsonx.Get(function, "strict")
	if jsonx.IsNull(strict) {
		strict = jsonx.Get(v, "strict") // where some clients put it
	}
	if !jsonx.IsNull(strict) {
		if t.Strict, ok = jsonx.Bool(strict); !ok {
			return badType(where+".strict", isBool.String())
		}
	}
	return nil
}

func (c *ToolChoice) readToolChoice(v Raw) error {
	if s, ok := jsonx.String(v); ok {
		switch s {
		case ToolChoiceAuto, ToolChoiceNone, ToolChoiceRequired:
			c.Mode = s
			return nil
		}
		return badValue("tool_choice", fmt.Sprintf("can't be %s: use auto, none, required or an object that names a function", Quote(s)))
	}
	if !jsonx.IsObject(v) {
		return badType("tool_choice", "a string or an object")
	}
	switch kind, _ := jsonx.String(jsonx.Get(v, "type")); kind {
	case "function":
	case "allowed_tools":
		return c.readAllowed(v)
	default:
		return badValue("tool_choice.type", `must be "function" or "allowed_tools"`)
	}
	name, ok := jsonx.String(jsonx.Get(jsonx.Get(v, "function"), "name"))
	if !ok || name == "" {
		return badType("tool_choice.function.name", "a string that is not empty")
	}
	c.Mode, c.Name = ToolChoiceNamed, name
	return nil
}

// readAllowed reads a choice among some of the tools: the mode and the tools stand in a
// member allowed_tools, or, as in OpenAI's Responses, beside the type.
func (c *ToolChoice) readAllowed(v Raw) error {
	where := "tool_choice"
	if inner := jsonx.Get(v, "allowed_tools"); jsonx.IsObject(inner) {
		v, where = inner, where+".allowed_tools"
	}
	mode, _ := jsonx.String(jsonx.Get(v, "mode"))
	if mode != ToolChoiceAuto && mode != ToolChoiceRequired {
		return badValue(where+".mode", `must be "auto" or "required"`)
	}
	c.Mode, c.Allowed = mode, []string{}
	for a := jsonx.ArrayOf(jsonx.Get(v, "tools")); ; {
		tool, ok := a.Next()
		if !ok {
			break
		}
		if inner := jsonx.Get(tool, "function"); jsonx.IsObject(inner) {
			tool = inner
		}
		name, ok := jsonx.String(jsonx.Get(tool, "name"))
		if !ok || name == "" {
			return badValue(where+".tools", "must name a function each")
		}
		c.Allowed = append(c.Allowed, name)
	}
	if len(c.Allowed) == 0 {
		return badValue(where+".tools", "must be a list of functions that is not empty")
	}
	return nil
}

// keepAllowedTools leaves out the tools that the choice does not allow, here and for the
// engine, which then need not know of such choices.
func (r *ChatRequest) keepAllowedTools() error {
	if r.ToolChoice.Allowed == nil {
		return nil
	}
	for _, name := range r.ToolChoice.Allowed {
		if !slices.ContainsFunc(r.Tools, func(t Tool) bool { return t.Name == name }) {
			return badValue("tool_choice", fmt.Sprintf("allows the tool %s, which is not in tools", Quote(name)))
		}
	}
	r.Tools = slices.DeleteFunc(r.Tools, func(t Tool) bool { return !slices.Contains(r.ToolChoice.Allowed, t.Name) })
	tools := []byte{'['}
	for i := range r.Tools {
		if i > 0 {
			tools = append(tools, ',')
		}
		tools = jsonx.AppendRaw(tools, r.Tools[i].Raw)
	}
	for i := range r.Members {
		switch m := &r.Members[i]; m.Name {
		case "tools":
			m.Value = append(tools, ']')
		case "tool_choice":
			m.Value = jsonx.AppendString(nil, r.ToolChoice.Mode)
		}
	}
	return nil
}

func (r *ChatRequest) readStop(v Raw) error {
	if s, ok := jsonx.String(v); ok {
		r.Stop = []string{s}
		return nil
	}
	if !isStrings.fits(v) {
		return badType("stop", "a string or a list of strings")
	}
	for a := jsonx.ArrayOf(v); ; {
		e, ok := a.Next()
		if !ok {
			return nil
		}
		s, _ := jsonx.String(e)
		r.Stop = append(r.Stop, s)
	}
}

var thinkingWords = map[string]Thinking{"enabled": ThinkingOn, "disabled": ThinkingOff, "adaptive": ThinkingAdaptive}

func (t *Thinking) readThinking(v Raw) error {
	word, _ := jsonx.String(jsonx.Get(v, "type"))
	switch string(v) {
	case "true":
		word = "enabled"
	case "false":
		word = "disabled"
	}
	var ok bool
	if *t, ok = thinkingWords[word]; !ok {
		return badValue("thinking", `must be true, false, or an object whose type is "enabled", "disabled" or "adaptive"`)
	}
	return nil
}

func (n *NVExtRequest) readNVExt(v Raw) error {
	n.Raw = v
	for _, m := range jsonx.Members(v) {
		k, ok := nvextKinds[m.Name]
		if !ok {
			return &Error{Status: http.StatusBadRequest, Code: CodeUnknown, Param: "nvext." + m.Name[:min(len(m.Name), maxQuoted)],
				Message: "nvext has no member " + Quote(m.Name)}
		}
		if jsonx.IsNull(m.Value) {
			continue
		}
		if !k.fits(m.Value) {
			return badType("nvext."+m.Name, k.String())
		}
		for _, inner := range jsonx.Members(m.Value) {
			if k, ok := nvextNested[m.Name][inner.Name]; ok && !jsonx.IsNull(inner.Value) && !k.fits(inner.Value) {
				return badType("nvext."+m.Name+"."+inner.Name, k.String())
			}
		}
	}
	n.wants = map[string]bool{}
	for _, field := range stringsOf(jsonx.Get(v, "extra_fields")) {
		if !n.wants[field] {
			n.ExtraFields = append(n.ExtraFields, field)
			n.wants[field] = true
		}
	}
	n.Annotations = stringsOf(jsonx.Get(v, "annotations"))
	return nil
}

func stringsOf(v Raw) []string {
	var list []string
	for a := jsonx.ArrayOf(v); ; {
		e, ok := a.Next()
		if !ok {
			return list
		}
		s, _ := jsonx.String(e)
		list = append(list, s)
	}
}

func badType(param, want string) *Error {
	return &Error{Status: http.StatusBadRequest, Code: CodeInvalidType, Param: param, Message: fmt.Sprintf("%s must be %s", param, want)}
}

func badValue(param, what string) *Error {
	return &Error{Status: http.StatusBadRequest, Code: CodeInvalidValue, Param: param, Message: param + " " + what}
}
