package chunk

import "github.com/turnkey-parsers/turnkey/host/openai"

// Maker makes every chunk that a client gets, from the frame and a list of
// choices. Nothing is cloned from an engine's chunk, so nothing has to be
// scrubbed: metadata gets onto an output through the Joiner only, and usage
// through the UsageHold.
//
// The chunks that a Maker gives are valid until its next Reset.
type Maker struct {
	// Frame is the frame of all outputs.
	Frame openai.Frame

	slots []*slot
	used  int
}

type slot struct {
	chunk  openai.Chunk
	choice [1]openai.Choice
	call   [1]openai.ToolCall
}

// Adopt takes over what a client may know of the engine's frame.
func (m *Maker) Adopt(engine openai.Frame) {
	if engine.SystemFingerprint != "" {
		m.Frame.SystemFingerprint = engine.SystemFingerprint
	}
	if engine.ServiceTier != "" {
		m.Frame.ServiceTier = engine.ServiceTier
	}
}

// Reset takes all chunks back that were made so far.
func (m *Maker) Reset() { m.used = 0 }

// Choice makes a chunk with one choice.
func (m *Maker) Choice(index int) *openai.Chunk {
	s := m.slot()
	s.choice[0] = openai.Choice{Index: index}
	s.chunk = openai.Chunk{Frame: m.Frame, Choices: s.choice[:]}
	return &s.chunk
}

// Calls gives room for one tool call in the chunk made last.
func (m *Maker) Calls() []openai.ToolCall { return m.slots[m.used-1].call[:0] }

// Side makes a chunk without choices.
func (m *Maker) Side() *openai.Chunk {
	s := m.slot()
	s.chunk = openai.Chunk{Frame: m.Frame}
	return &s.chunk
}

func (m *Maker) slot() *slot {
	if m.used == len(m.slots) {
		m.slots = append(m.slots, new(slot))
	}
	m.used++
	return m.slots[m.used-1]
}

// Visible says whether there is anything in a chunk for a client to see.
func Visible(c *openai.Chunk) bool {
	if c.Usage != nil || c.NVExt != nil || c.PromptLogprobs != nil || len(c.Extra) > 0 {
		return true
	}
	for i := range c.Choices {
		ch := &c.Choices[i]
		if ch.FinishReason != "" || ch.Logprobs != nil || len(ch.Extra) > 0 || !Empty(&ch.Delta) {
			return true
		}
	}
	return false
}

// Empty says whether a delta says nothing.
func Empty(d *openai.Delta) bool {
	return d.Role == "" && d.Reasoning == "" && d.Content == "" && d.Parts == nil && d.Refusal == "" &&
		len(d.ToolCalls) == 0 && len(d.Extra) == 0
}
