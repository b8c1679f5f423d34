// Package backend is the interface to the engines behind the host, what all of
// them share, and the engine profiles: what an engine is sent, and how to read
// from its last chunk why a choice ended.
package backend

import (
	"context"

	"github.com/turnkey-parsers/turnkey/host/chunk"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// Backend starts answers.
type Backend interface {
	// Stream sends the request and returns once the engine has accepted it. The
	// error is an *Error. Cancelling ctx ends the stream at once.
	Stream(ctx context.Context, r *Request) (Stream, error)
	// Profile says what the engine can do.
	Profile() *Profile
}

// Stream is one answer in progress. It is used by one goroutine.
type Stream interface {
	// Next gives the next item, and waits for it. What the item points to is valid
	// until the next call. io.EOF is the clean end; any other error is a *Error: the
	// answer broke off.
	Next() (chunk.Item, error)
	// Close ends the answer; the engine stops generating. It may be called twice.
	Close()
}

// Request is what is asked of an engine: the client's request and what the host
// decided, in terms that no engine owns. A profile turns it into the members
// that its engine wants.
type Request struct {
	// ID names the request in logs and to the engine.
	ID   string
	Chat *openai.ChatRequest
	// Model is the engine's name for the model; "" is the client's.
	Model string

	// Prompt is the prompt as the host rendered it, where it could: an engine's
	// completions API is asked with it.
	Prompt string
	// RawText says that the host parses: the engine must not.
	RawText bool
	// ShowTools says that the tools go into the prompt.
	ShowTools bool
	// SpecialTokens says that the text must hold the special tokens.
	SpecialTokens bool
	// StopText says that the text of stop tokens is wanted in the output.
	StopText bool
	// TokenIDs says that the ids of the generated tokens are wanted.
	TokenIDs bool
	// Guided is a constraint that the host puts on the output, for a tool choice.
	Guided Guided
	// TemplateArgs replace chat_template_kwargs where not nil.
	TemplateArgs []openai.Member
	// EOSTokenIDs are the model's end-of-sequence ids, as configured.
	EOSTokenIDs []int64
}

// GuidedKind says what a Guided holds.
type GuidedKind uint8

const (
	GuidedNone          GuidedKind = iota
	GuidedJSON                     // Value is a JSON schema
	GuidedStructuralTag            // Value is a structural tag
)

// Guided is a constraint on decoding.
type Guided struct {
	Kind  GuidedKind
	Value openai.Raw
}
