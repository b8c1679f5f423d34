package openai

import "github.com/turnkey-parsers/turnkey/host/internal/jsonx"

// Raw is a JSON value as its source text; nil where the member was absent.
type Raw = jsonx.Raw

// Member is a member of an object that is not read here: it is kept and passed
// on as it came.
type Member = jsonx.Member

// The values of a chunk's and a completion's "object".
const (
	ObjectChunk      = "chat.completion.chunk"
	ObjectCompletion = "chat.completion"
)

// The finish reasons that a client knows.
const (
	FinishStop          = "stop"
	FinishLength        = "length"
	FinishToolCalls     = "tool_calls"
	FinishContentFilter = "content_filter"
	FinishFunctionCall  = "function_call"
)

// IsCut says whether a finish reason means that the answer is not whole.
func IsCut(reason string) bool { return reason == FinishLength || reason == FinishContentFilter }

// Frame is what all chunks of one answer have in common.
type Frame struct {
	ID                string
	Created           int64 // seconds since 1970
	Model             string
	ServiceTier       string // "" leaves it out
	SystemFingerprint string // "" leaves it out
}

// Chunk is one chat.completion.chunk.
type Chunk struct {
	Frame
	Choices []Choice
	// Usage is nil where the chunk has none.
	Usage *Usage
	// NVExt and PromptLogprobs are the top-level members of these names; nil, or
	// the text null, leaves them out.
	NVExt          Raw
	PromptLogprobs Raw
	// PromptTokenIDs is evidence of the engine: it is never encoded.
	PromptTokenIDs Raw
	// Error is the error object of an engine that gave up; it is never encoded.
	Error Raw
	// Extra are the top-level members that are not read here, in order.
	Extra []Member

	last Frame // of the chunk that was decoded before
}

// Choice is one choice of a Chunk.
type Choice struct {
	Index int
	Delta Delta
	// Text is the text of a choice of the completions API, which has no delta. It
	// is never encoded.
	Text string
	// FinishReason is "" where the chunk has none, or null.
	FinishReason string
	// Logprobs is nil where the chunk has none, or null.
	Logprobs Raw
	// TokenIDs, StopReason and MatchedStop are evidence of the engine: they are
	// never encoded. They are nil where they were absent; a null stays the text
	// null.
	TokenIDs    Raw
	StopReason  Raw
	MatchedStop Raw
	// Extra are the choice's members that are not read here, in order.
	Extra []Member
}

// Delta is what a Choice adds to its message. "" leaves a member out.
type Delta struct {
	Role      string
	Reasoning string // reasoning_content, or reasoning
	Content   string
	// Parts is the content where it is not a string but a list of parts.
	Parts     Raw
	Refusal   string
	ToolCalls []ToolCall
	// Extra are the delta's members that are not read here, in order.
	Extra []Member
}

// ToolCall is a call, or in a Delta a piece of one. Only the first piece of a
// call has an ID, a Type and a Name.
type ToolCall struct {
	Index int
	ID    string
	Type  string // "function"
	Name  string
	// Arguments is JSON text, or a fragment of it.
	Arguments string
	// Extra are the call's members that are not read here, in order.
	Extra []Member
}

// Usage counts tokens. What the engine sent beyond the three totals is kept.
type Usage struct {
	PromptTokens     int64
	CompletionTokens int64
	TotalTokens      int64
	// CachedTokens and ReasoningTokens are those of prompt_tokens_details and
	// completion_tokens_details; 0 where unknown. Set ReasoningTokens to add it.
	CachedTokens    int64
	ReasoningTokens int64
	// Raw is the object as the engine sent it, nil if it is made here.
	Raw Raw
}

// Completion is one chat.completion: the answer of a request without streaming.
type Completion struct {
	Frame
	Choices        []CompletionChoice
	Usage          *Usage
	NVExt          Raw
	PromptLogprobs Raw
	Extra          []Member
}

// CompletionChoice is one choice of a Completion.
type CompletionChoice struct {
	Index        int
	Message      Message
	FinishReason string // "" is null
	Logprobs     Raw
	Extra        []Member
}

// Message is the assistant's whole message. Without text its content is null.
type Message struct {
	Role      string
	Reasoning string
	Content   string
	Parts     Raw // content as a list of parts, in place of Content
	Refusal   string
	ToolCalls []ToolCall
	Extra     []Member
}
