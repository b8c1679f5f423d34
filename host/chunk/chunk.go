// Package chunk is what travels inside the host between an engine and a client:
// annotated chunks, and the rules for what rides on them. Every rule is here
// once, for every route: joining metadata to outputs, keeping the first error,
// finish reasons, holding usage back, and the one constructor of outputs.
//
// Nothing here is safe for concurrent use: a Joiner, a Maker, a UsageHold belong to
// one request and its goroutine.
package chunk

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// Item is an annotated chunk: an envelope around a chunk, or only an annotation.
// What is internal has no JSON name, so that it can't leak: nothing but Data, ID,
// Event and Comments is ever written to a client.
type Item struct {
	// Data is nil for a pure annotation. What an engine sends beside the frame is
	// evidence and metadata: the joiner takes it off before a route sees it.
	Data *openai.Chunk
	// ID and Event are the lines "id:" and "event:" of the client's stream, if
	// set. An event named EventError marks an error.
	ID    string
	Event string
	// Comments are comment lines. Line breaks in them become spaces.
	Comments []string
	// Err is the typed error of an error item.
	Err error

	// Metrics is for the collector, nil where there is none.
	Metrics *Metrics
	// EngineData is what the engine's profile lists as opaque, as one object.
	EngineData openai.Raw
	// Stops says, for the choices that end with this item, why.
	Stops []Stop
	// EOSTokens lists the choices for which this item brings the id of one of the
	// model's end-of-sequence tokens.
	EOSTokens []int
}

// Names of events that have a meaning inside.
const (
	EventError        = "error"         // the item is an error
	EventMetrics      = "llm_metrics"   // the annotation is internal, the item is not
	EventPayloadUsage = "payload_usage" // usage for a recorder: the whole item is internal
)

// Metrics is what an engine's chunk tells about tokens. Zero is unknown.
type Metrics struct {
	InputTokens  int64
	OutputTokens int64 // so far
	CachedTokens int64
	ChunkTokens  int64 // of this chunk alone
	// Counted says how ChunkTokens came about.
	Counted Counted
}

// Counted says how the tokens of a chunk were counted.
type Counted uint8

const (
	CountedNot   Counted = iota
	CountedIDs           // the engine sent their ids
	CountedUsage         // the growth of continuous usage
	CountedChunk         // one for a chunk with text
)

func (c Counted) String() string {
	return [...]string{"none", "token_ids", "usage", "chunks"}[c]
}

// Stop is why a choice ended, beyond its finish reason.
type Stop struct {
	Choice int
	// Finish is the reason for the parser if a turn grammar is installed.
	// abi.FinishEOS stands for a model EOS that the engine confirmed.
	Finish abi.Finish
	// Reason is the user's stop that was hit, a string or a number; nil for all
	// other ends.
	Reason openai.Raw
}

// StopOf gives why the choice ended with this item.
func (it *Item) StopOf(choice int) (Stop, bool) {
	for _, s := range it.Stops {
		if s.Choice == choice {
			return s, true
		}
	}
	return Stop{}, false
}

// hasStop says whether a user's stop was hit.
func (it *Item) hasStop() bool {
	for _, s := range it.Stops {
		if s.Reason != nil {
			return true
		}
	}
	return false
}

// EOSToken says whether the item brings the id of an end-of-sequence token for
// the choice.
func (it *Item) EOSToken(choice int) bool {
	for _, c := range it.EOSTokens {
		if c == choice {
			return true
		}
	}
	return false
}

// Failure gives the error of an error item, nil for all others.
func (it *Item) Failure() error {
	if it.Err != nil {
		return it.Err
	}
	if it.Event == EventError {
		return commentError(it.Comments)
	}
	return nil
}
