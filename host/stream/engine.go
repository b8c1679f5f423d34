package stream

import (
	"github.com/turnkey-parsers/turnkey/host/framing"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// engineCalls maps the indices of calls that the engine itself made to those that
// the client reads. -1 is a call that is not sent.
type engineCalls map[int]int

// passParts passes what an engine that parses has made: it goes on as it is, in
// its place.
func (c *choice) passParts(d *openai.Delta) {
	if d.Parts != nil || d.Refusal != "" || len(d.Extra) > 0 {
		out := c.last()
		if out == nil || !onlyRole(&out.Delta) {
			out = c.output()
		}
		out.Delta.Parts, out.Delta.Refusal, out.Delta.Extra = d.Parts, d.Refusal, d.Extra
	}
	for i := range d.ToolCalls {
		c.passCall(d.ToolCalls[i])
	}
}

func (c *choice) passCall(call openai.ToolCall) {
	if c.made == nil {
		c.made = engineCalls{}
		if c.r.o.plan.RawText() {
			c.r.o.model.Hooks.warnOnce("the engine reads calls itself, although it is not asked to: they pass as they are")
		}
	}
	index, known := c.made[call.Index]
	if !known {
		index = c.admit()
		c.made[call.Index] = index
	}
	if index < 0 {
		return
	}
	call.Index = index
	if known {
		call.ID, call.Type, call.Name = "", "", ""
	} else {
		call.ID, call.Type = c.r.ids.Take(call.ID), "function"
	}
	c.call(call)
	c.completed(index)
}

// admit gives a new call of the engine its index, or -1 where no call may leave.
func (c *choice) admit() int {
	r := c.r
	if r.rules.CallsOff || !r.o.chat.ParallelToolCalls && len(c.complete) > 0 {
		r.o.model.Hooks.anomaly("call_suppressed", 1)
		return -1
	}
	return c.lane.takeIndex()
}

// alignMade tells the aligner what the engine made of a chunk.
func (c *choice) alignMade(d *openai.Delta) {
	switch {
	case !c.align.on || d.Content != "":
	case d.Reasoning != "" && !c.r.o.plan.ReasoningOff:
		c.align.made(part{kind: framing.Reasoning})
	case d.Reasoning != "" || d.Parts != nil || d.Refusal != "":
		c.align.made(part{kind: framing.Content})
	case len(d.ToolCalls) > 0:
		if index := c.made[d.ToolCalls[0].Index]; index >= 0 {
			c.align.made(part{framing.CallHead, index})
		}
	}
}
