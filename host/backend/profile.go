package backend

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// Profile is what is known of a kind of engine: which members it understands, and
// how it says why an answer ended.
type Profile struct {
	Name string

	// ToolChoice is the tool_choice that puts the tools into the prompt without
	// the engine looking for calls or constraining the output; "" leaves it out.
	ToolChoice string
	// ClientToolChoice says that the client's own tool_choice is sent in its place:
	// the engine reads the calls itself.
	ClientToolChoice bool

	// RawText are members that stop the engine from parsing.
	RawText []openai.Member
	// SpecialTokens are members that keep special tokens in the text.
	SpecialTokens []openai.Member
	// StopText are members that keep the text of stop tokens and stop strings.
	StopText []openai.Member
	// TokenIDs are members that ask for token ids.
	TokenIDs []openai.Member

	// ContinuousUsage says that stream_options.continuous_usage_stats is known.
	ContinuousUsage bool
	// Obfuscation says that stream_options.include_obfuscation is known.
	Obfuscation bool
	// TemplateArgs says that chat_template_kwargs is known.
	TemplateArgs bool
	// Thinking and NVExt say that the client's members of these names are sent on.
	// With NVExt come the annotations that it asks for.
	Thinking bool
	NVExt    bool

	// Thoughts is the member of the conversation's messages in which the engine reads
	// an assistant's thoughts; "" leaves them as the client sent them.
	Thoughts string

	// JSON and StructuralTag are how the engine is constrained.
	JSON          GuidedForm
	StructuralTag GuidedForm

	// Evidence is how the engine tells which stop ended a choice.
	Evidence Evidence
	// AnyStopIsUser says that the engine names no stop of the model's.
	AnyStopIsUser bool
	// Opaque are the members of a chunk or a choice that become engine_data.
	Opaque []string
}

// GuidedForm is the member that carries a constraint.
type GuidedForm uint8

const (
	GuidedUnknown           GuidedForm = iota // the engine can't
	GuidedStructuredOutputs                   // structured_outputs, the tag as a string
	GuidedResponseFormat                      // response_format
)

// CanGuide says whether the engine can be constrained in this way.
func (p *Profile) CanGuide(k GuidedKind) bool {
	switch k {
	case GuidedJSON:
		return p.JSON != GuidedUnknown
	case GuidedStructuralTag:
		return p.StructuralTag != GuidedUnknown
	}
	return true
}

func member(name, value string) openai.Member {
	return openai.Member{Name: name, Value: openai.Raw(value)}
}

// profiles are the engines that are known, from their request and response types
// as of 2026.
var profiles = []*Profile{
	{
		// vllm/entrypoints/openai/chat_completion/protocol.py, serving.py;
		// vllm/v1/core/sched/utils.py; vllm/entrypoints/chat_utils.py, which reads the
		// thoughts of a message in reasoning only. Without a tool parser "auto" is refused, and
		// "none" still renders the tools.
		Name:            "vllm",
		ToolChoice:      "none",
		SpecialTokens:   []openai.Member{member("skip_special_tokens", "false"), member("spaces_between_special_tokens", "false")},
		StopText:        []openai.Member{member("include_stop_str_in_output", "true")},
		TokenIDs:        []openai.Member{member("return_token_ids", "true")},
		ContinuousUsage: true,
		Thoughts:        openai.FieldReasoning,
		TemplateArgs:    true,
		JSON:            GuidedStructuredOutputs,
		StructuralTag:   GuidedStructuredOutputs,
		Evidence:        EvidenceStopReason,
		Opaque:          []string{"kv_transfer_params"},
	},
	{
		// python/sglang/srt/entrypoints/openai/protocol.py, serving_chat.py;
		// srt/managers/schedule_batch.py. With "none" the tools are not rendered.
		Name:            "sglang",
		ToolChoice:      "auto",
		RawText:         []openai.Member{member("separate_reasoning", "false")},
		SpecialTokens:   []openai.Member{member("skip_special_tokens", "false")},
		StopText:        []openai.Member{member("no_stop_trim", "true")},
		ContinuousUsage: true,
		Thoughts:        openai.FieldReasoningContent,
		TemplateArgs:    true,
		JSON:            GuidedResponseFormat,
		StructuralTag:   GuidedResponseFormat,
		Evidence:        EvidenceMatchedStop,
		Opaque:          []string{"sglext", "meta_info", "hidden_states"},
	},
	{
		// tensorrt_llm/serve/openai_protocol.py, openai_server.py. A named
		// tool_choice would wrap all text as a call's arguments.
		Name:            "trtllm",
		SpecialTokens:   []openai.Member{member("skip_special_tokens", "false")},
		StopText:        []openai.Member{member("include_stop_str_in_output", "true")},
		ContinuousUsage: true,
		Thoughts:        openai.FieldReasoningContent,
		TemplateArgs:    true,
		JSON:            GuidedResponseFormat,
		StructuralTag:   GuidedResponseFormat,
		Evidence:        EvidenceStopReason,
		AnyStopIsUser:   true,
		Opaque:          []string{"disaggregated_params", "avg_decoded_tokens_per_iter"},
	},
	{
		// tools/server/README.md. With "none" the tools are not rendered.
		Name:         "llamacpp",
		ToolChoice:   "auto",
		RawText:      []openai.Member{member("reasoning_format", `"none"`), member("parse_tool_calls", "false")},
		Thoughts:     openai.FieldReasoningContent,
		TemplateArgs: true,
		JSON:         GuidedResponseFormat,
		Opaque:       []string{"timings"},
	},
	{
		Name:             "openai",
		ClientToolChoice: true,
		Obfuscation:      true,
		Thinking:         true,
		JSON:             GuidedResponseFormat,
	},
	{
		// lib/llm/src/protocols/openai, docs on request extensions. "none" leaves
		// the tools out of the prompt.
		Name:            "dynamo",
		ToolChoice:      "auto",
		SpecialTokens:   []openai.Member{member("skip_special_tokens", "false")},
		StopText:        []openai.Member{member("include_stop_str_in_output", "true")},
		ContinuousUsage: true,
		Thoughts:        openai.FieldReasoningContent,
		TemplateArgs:    true,
		Thinking:        true,
		NVExt:           true,
		JSON:            GuidedResponseFormat,
		StructuralTag:   GuidedResponseFormat,
		Evidence:        EvidenceNVExt,
	},
}

// ProfileNames lists the profiles that ProfileByName knows.
func ProfileNames() []string {
	names := make([]string, len(profiles))
	for i, p := range profiles {
		names[i] = p.Name
	}
	return names
}

// ProfileByName gives a profile. The error lists those that there are.
func ProfileByName(name string) (*Profile, error) {
	for _, p := range profiles {
		if p.Name == name {
			return p, nil
		}
	}
	return nil, fmt.Errorf("no engine profile %q: choose one of %s", name, strings.Join(ProfileNames(), ", "))
}

// AppendRequest appends the request for the engine: the client's, in its order,
// without what only the host understands and with what the host decided.
func (p *Profile) AppendRequest(dst []byte, r *Request) []byte {
	return appendRequest(dst, r, p.overriddenMembers(r))
}

// appendRequest appends the client's members with ours in their place; a nil value
// takes one away.
func appendRequest(dst []byte, r *Request, ours []openai.Member) []byte {
	size := 512
	for _, m := range r.Chat.Members {
		size += len(m.Name) + len(m.Value)
	}
	dst = append(slices.Grow(dst, size), '{')
	for _, m := range r.Chat.Members {
		value := m.Value
		for i := range ours {
			if ours[i].Name == m.Name {
				value, ours[i].Name = ours[i].Value, ""
			}
		}
		if value != nil {
			dst = jsonx.AppendMember(dst, m.Name, value)
		}
	}
	for _, m := range ours {
		if m.Name != "" && m.Value != nil {
			dst = jsonx.AppendMember(dst, m.Name, m.Value)
		}
	}
	return append(dst, '}')
}

// overriddenMembers lists what stands in place of the client's members; a nil value
// takes a member away.
func (p *Profile) overriddenMembers(r *Request) []openai.Member {
	list := []openai.Member{member("stream", "true"), p.streamOptions(r.Chat)}
	if r.Model != "" {
		list = append(list, openai.Member{Name: "model", Value: jsonx.AppendString(nil, r.Model)})
	}
	switch {
	case !p.NVExt:
		list = append(list, without("nvext")...)
	case r.Chat.N == 1: // with more, some routes there refuse what belongs to one choice
		list = append(list, openai.Member{Name: "nvext", Value: evidenceRequest(r.Chat.NVExt, r.TokenIDs)})
	}
	if !p.Thinking {
		list = append(list, without("thinking")...)
	}
	if messages := p.messages(r.Chat.Messages); messages != nil {
		list = append(list, openai.Member{Name: "messages", Value: messages})
	}
	list = append(list, p.switchedMembers(r)...)
	if r.TemplateArgs != nil && p.TemplateArgs {
		list = append(list, openai.Member{Name: "chat_template_kwargs", Value: jsonx.AppendMembers(nil, r.TemplateArgs)})
	}
	list = append(list, p.toolMembers(r)...)
	if r.Chat.ToolChoice.Forced() {
		list = append(list, without("response_format")...) // the choice goes before it, also where nothing enforces it
	}
	if r.Guided.Kind != GuidedNone {
		list = append(list, without(r.Chat.GuidedFields...)...)
		list = append(list, p.guidedMembers(r.Guided)...)
	}
	return list
}

// messages gives the conversation with its thoughts where the engine reads them; nil
// where they are there already.
func (p *Profile) messages(conversation []openai.InputMessage) openai.Raw {
	if p.Thoughts == "" {
		return nil
	}
	list, changed := []byte{'['}, false
	for i := range conversation {
		m := &conversation[i]
		raw := m.WithThoughts(p.Thoughts)
		changed = changed || len(raw) != len(m.Raw) || &raw[0] != &m.Raw[0]
		if i > 0 {
			list = append(list, ',')
		}
		list = jsonx.AppendRaw(list, raw)
	}
	if !changed {
		return nil
	}
	return append(list, ']')
}

// without lists members that the engine is not sent.
func without(names ...string) []openai.Member {
	list := make([]openai.Member, len(names))
	for i, name := range names {
		list[i].Name = name
	}
	return list
}

// streamOptions asks for usage at the end, and as it runs where the client wants that.
// The client's word on obfuscation passes, but not to engines that have none and are
// asked for none: some refuse members that they don't know.
func (p *Profile) streamOptions(chat *openai.ChatRequest) openai.Member {
	options := `{"include_usage":true`
	if p.ContinuousUsage && chat.IncludeUsage && chat.ContinuousUsage {
		options += `,"continuous_usage_stats":true`
	}
	if on := chat.Obfuscation; on != nil && (*on || p.Obfuscation) {
		options += `,"include_obfuscation":` + strconv.FormatBool(*on)
	}
	return member("stream_options", options+"}")
}

// switchedMembers are those by which the engine is asked for what the parser needs to
// see: raw text, special tokens, the stop's text, token ids.
func (p *Profile) switchedMembers(r *Request) (list []openai.Member) {
	for _, s := range []struct {
		on      bool
		members []openai.Member
	}{
		{r.RawText, p.RawText}, {r.SpecialTokens, p.SpecialTokens}, {r.StopText, p.StopText}, {r.TokenIDs, p.TokenIDs},
	} {
		if s.on {
			list = append(list, s.members...)
		}
	}
	return list
}

// toolMembers shows the engine the tools as far as its template is to write them into
// the prompt, and keeps the tool_choice that the engine itself would enforce from it.
func (p *Profile) toolMembers(r *Request) []openai.Member {
	switch {
	case !r.ShowTools || len(r.Chat.Tools) == 0:
		return without("tools", "tool_choice", "parallel_tool_calls")
	case p.ClientToolChoice && r.Guided.Kind == GuidedNone:
		return nil
	case p.ClientToolChoice: // the constraint stands for the choice
		return []openai.Member{member("tool_choice", `"none"`)}
	case p.ToolChoice != "":
		return append(without("parallel_tool_calls"), member("tool_choice", `"`+p.ToolChoice+`"`))
	}
	return without("tool_choice", "parallel_tool_calls")
}

// evidenceRequest is the client's nvext, which asks also for what the host itself reads:
// the user's stop that was hit, and the token ids if they are wanted.
func evidenceRequest(client openai.NVExtRequest, ids bool) openai.Raw {
	fields := slices.Clone(client.ExtraFields)
	want := func(name string) {
		if !slices.Contains(fields, name) {
			fields = append(fields, name)
		}
	}
	want("stop_reason")
	if ids {
		want("completion_token_ids")
	}
	list := []byte{'['}
	for i, f := range fields {
		if i > 0 {
			list = append(list, ',')
		}
		list = jsonx.AppendString(list, f)
	}
	members := slices.DeleteFunc(jsonx.Members(client.Raw), func(m openai.Member) bool { return m.Name == "extra_fields" })
	return jsonx.AppendMembers(nil, append(members, openai.Member{Name: "extra_fields", Value: append(list, ']')}))
}

// guidedMembers gives the members that carry a constraint. It takes the place of the
// client's response_format.
func (p *Profile) guidedMembers(g Guided) []openai.Member {
	tag := g.Kind == GuidedStructuralTag
	form := p.JSON
	if tag {
		form = p.StructuralTag
	}
	var value []byte
	switch {
	case form == GuidedStructuredOutputs && tag:
		value = jsonx.AppendString([]byte(`{"structural_tag":`), string(g.Value))
	case form == GuidedStructuredOutputs:
		value = jsonx.AppendRaw([]byte(`{"json":`), g.Value)
	case form == GuidedResponseFormat && tag:
		return []openai.Member{{Name: "response_format", Value: withType(g.Value, "structural_tag")}}
	case form == GuidedResponseFormat:
		value = jsonx.AppendRaw([]byte(`{"type":"json_schema","json_schema":{"name":"tool_calls","strict":true,"schema":`), g.Value)
		return []openai.Member{{Name: "response_format", Value: append(value, "}}"...)}}
	default:
		return nil
	}
	return []openai.Member{{Name: "response_format"}, {Name: "structured_outputs", Value: append(value, '}')}}
}

// withType gives an object the member type, in front, unless it has one.
func withType(v openai.Raw, kind string) openai.Raw {
	if jsonx.Get(v, "type") != nil {
		return v
	}
	members := append([]openai.Member{{Name: "type", Value: jsonx.AppendString(nil, kind)}}, jsonx.Members(v)...)
	return jsonx.AppendMembers(nil, members)
}
