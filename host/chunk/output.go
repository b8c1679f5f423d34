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

	slots []*chunkSlot
	used  int
}

type chunkSlot struct {
	chunk  openai.Chunk
	choice [1]openai.Choice
	call   [1]openai.ToolCall
}

// AdoptFrame takes over what a client may know of the engine's frame.
func (m *Maker) AdoptFrame(engine openai.Frame) {
	if engine.SystemFingerprint != "" {
		m.Frame.SystemFingerprint = engine.SystemFingerprint
	}
	if engine.ServiceTier != "" {
		m.Frame.ServiceTier = engine.ServiceTier
	}
}

// Reset takes all chunks back that were made so far.
func (m *Maker) Reset() { m.used = 0 }

// WithChoice makes a chunk with one choice.
func (m *Maker) WithChoice(index int) *openai.Chunk {
	s := m.nextSlot()
	s.choice[0] = openai.Choice{Index: index}
	s.chunk = openai.Chunk{Frame: m.Frame, Choices: s.choice[:]}
	return &s.chunk
}

// CallsOfLast gives room for one tool call in the chunk made last.
func (m *Maker) CallsOfLast() []openai.ToolCall { return m.slots[m.used-1].call[:0] }

// WithoutChoices makes a chunk without choices.
func (m *Maker) WithoutChoices() *openai.Chunk {
	s := m.nextSlot()
	s.chunk = openai.Chunk{Frame: m.Frame}
	return &s.chunk
}

func (m *Maker) nextSlot() *chunkSlot {
	if m.used == len(m.slots) {
		m.slots = append(m.slots, new(chunkSlot))
	}
	m.used++
	return m.slots[m.used-1]
}

// VisibleToClient says whether there is anything in a chunk for a client to see.
func VisibleToClient(c *openai.Chunk) bool {
	if c.Usage != nil || c.NVExt != nil || c.PromptLogprobs != nil || len(c.Extra) > 0 {
		return true
	}
	for i := range c.Choices {
		ch := &c.Choices[i]
		if ch.FinishReason != "" || ch.Logprobs != nil || len(ch.Extra) > 0 || !EmptyDelta(&ch.Delta) {
			return true
		}
	}
	return false
}

// EmptyDelta says whether a delta says nothing.
func EmptyDelta(d *openai.Delta) bool {
	return d.Role == "" && d.Reasoning == "" && d.Content == "" && d.Parts == nil && d.Refusal == "" &&
		len(d.ToolCalls) == 0 && len(d.Extra) == 0
}
