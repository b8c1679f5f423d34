package chunk

import "github.com/turnkey-parsers/turnkey/host/openai"

// UsageHold keeps usage back until everything of the choices is out, on every
// route.
type UsageHold struct {
	// Final says that the client gets a last chunk with usage; Running that it
	// gets running usage on chunks with choices too.
	Final, Running bool

	held      openai.Usage
	has       bool
	running   bool // held came since the last Run
	reasoning int64
}

// Collect takes the usage off a chunk.
func (h *UsageHold) Collect(c *openai.Chunk) {
	if c.Usage == nil {
		return
	}
	h.held, h.has, h.running = *c.Usage, true, len(c.Choices) > 0
	h.held.Raw = append(openai.Raw(nil), c.Usage.Raw...)
	c.Usage = nil
}

// CountReasoning counts tokens of a chunk whose output holds reasoning.
func (h *UsageHold) CountReasoning(tokens int64) { h.reasoning += tokens }

// TakeRunning gives the running usage that came with the chunk just read, for the last
// of its outputs; nil where there is none or none was asked for.
func (h *UsageHold) TakeRunning() *openai.Usage {
	if !h.Final || !h.Running || !h.running {
		return nil
	}
	h.running = false
	return h.estimate()
}

// DropRunning forgets running usage that found no output.
func (h *UsageHold) DropRunning() { h.running = false }

// Latest gives the latest usage, nil where the engine sent none. An engine that
// does not tell the reasoning tokens gets them estimated.
func (h *UsageHold) Latest() *openai.Usage {
	if !h.has {
		return nil
	}
	return h.estimate()
}

func (h *UsageHold) estimate() *openai.Usage {
	u := h.held
	if u.ReasoningTokens == 0 {
		u.ReasoningTokens = min(h.reasoning, u.CompletionTokens)
	}
	return &u
}
