package openai

import (
	"slices"
	"strings"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
)

// ChatRequest is a chat completion request as the client sent it: what the host
// looks at is typed, everything is kept in Members.
type ChatRequest struct {
	// Members are all members of the request, in the client's order.
	Members []Member

	Model    string
	Messages []InputMessage
	Stream   bool
	// IncludeUsage and ContinuousUsage are stream_options.include_usage and
	// stream_options.continuous_usage_stats.
	IncludeUsage    bool
	ContinuousUsage bool
	// Obfuscation is stream_options.include_obfuscation; nil where it was not given.
	Obfuscation *bool
	// N is how many choices are asked for: at least 1.
	N int

	// Tools are the tools offered; HasTools tells an empty list from none.
	Tools      []Tool
	HasTools   bool
	ToolChoice ToolChoice
	// ParallelToolCalls is true unless the client said false.
	ParallelToolCalls bool

	// ResponseFormat is response_format, nil where absent or null; its Type is in
	// ResponseFormatType.
	ResponseFormat     Raw
	ResponseFormatType string
	// GuidedFields are the names of the members that constrain decoding:
	// guided_json, structured_outputs and their like.
	GuidedFields []string

	Stop               []string
	StopTokenIDs       []int64
	IgnoreEOS          bool
	IncludeStopText    bool // include_stop_str_in_output
	SkipSpecialTokens  *bool
	Logprobs           bool
	MaxTokens          int64 // max_completion_tokens, else max_tokens; its range is the engine's to judge
	Thinking           Thinking
	ReasoningEffort    string
	ChatTemplateKwargs []Member
	// AddGenerationPrompt is true unless the client said false: the prompt then ends
	// behind the last message. ContinueFinalMessage: it ends within it.
	AddGenerationPrompt  bool
	ContinueFinalMessage bool
	// IncludeReasoning is true unless the client said false.
	IncludeReasoning bool

	NVExt NVExtRequest
}

// Tool is a function that the model may call.
type Tool struct {
	Name        string
	Description string
	// Parameters is the JSON schema of the arguments; nil where none was given.
	Parameters Raw
	Strict     bool
	// Raw is the whole tool as the client sent it.
	Raw Raw
}

// Choice modes of ToolChoice.
const (
	ToolChoiceUnset    = ""
	ToolChoiceAuto     = "auto"
	ToolChoiceNone     = "none"
	ToolChoiceRequired = "required"
	ToolChoiceNamed    = "named"
)

// ToolChoice is the request's tool_choice. Name is set in mode ToolChoiceNamed.
type ToolChoice struct {
	Mode string
	Name string
	// Allowed are the tools that may be called, nil for all; the request's Tools are
	// these alone.
	Allowed []string
}

// Forced says that a call is demanded.
func (c ToolChoice) Forced() bool {
	return c.Mode == ToolChoiceRequired || c.Mode == ToolChoiceNamed
}

// Thinking is what the member thinking asks for.
type Thinking uint8

const (
	ThinkingUnset Thinking = iota
	ThinkingOn
	ThinkingOff
	ThinkingAdaptive
)

// NVExtRequest is the request's nvext.
type NVExtRequest struct {
	// Raw is the object as the client sent it; nil where absent.
	Raw Raw
	// ExtraFields are the names of nvext members that the client wants to see, each
	// once.
	ExtraFields []string
	Annotations []string

	wants map[string]bool // the ExtraFields
}

// Wants says whether the client asked for an nvext member.
func (n *NVExtRequest) Wants(field string) bool { return n.wants[field] }

// InputMessage is one message of the conversation so far.
type InputMessage struct {
	Role string
	// Raw is the whole message as the client sent it.
	Raw Raw
}

// Text is the message's content: the string, or its text parts joined by line
// feeds.
func (m *InputMessage) Text() string {
	var texts []string
	eachText(jsonx.Get(m.Raw, "content"), func(v Raw) {
		s, _ := jsonx.String(v)
		texts = append(texts, s)
	})
	return strings.Join(texts, "\n")
}

// The members that carry thoughts: of messages in both directions, and of deltas.
const (
	FieldReasoningContent = "reasoning_content"
	FieldReasoning        = "reasoning"
)

// WithThoughts gives the message with its thoughts under these names and no other of
// those that carry thoughts. A message without thoughts, or of another role than the
// assistant's, is given as it came.
func (m *InputMessage) WithThoughts(names ...string) Raw {
	if m.Role != "assistant" {
		return m.Raw
	}
	var thoughts Raw
	for _, name := range append([]string{FieldReasoningContent, FieldReasoning}, names[0]) { // the last that is there counts
		if v := jsonx.Get(m.Raw, name); jsonx.IsString(v) {
			thoughts = v
		}
	}
	if thoughts == nil {
		return m.Raw
	}
	members := slices.DeleteFunc(jsonx.Members(m.Raw), func(member Member) bool {
		return member.Name == FieldReasoning || member.Name == FieldReasoningContent
	})
	for _, name := range names {
		members = append(members, Member{Name: name, Value: thoughts})
	}
	return jsonx.AppendMembers(nil, members)
}
