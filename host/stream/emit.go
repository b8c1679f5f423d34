package stream

import (
	"strings"

	"github.com/turnkey-parsers/turnkey/host/chunk"
	"github.com/turnkey-parsers/turnkey/host/framing"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// emitDeltas passes deltas on, after the request's policies for reasoning.
func (c *choice) emitDeltas(deltas []framing.Delta) {
	if c.plan.ReasoningOff {
		for i := range deltas {
			if deltas[i].Kind == framing.Reasoning {
				deltas[i].Kind = framing.Content
			}
		}
	}
	if c.model.BlankText == BlankDrop && !c.pipeline.hasNoParser() {
		deltas = c.blank.passDeltas(deltas)
	}
	c.writeDeltas(c.nonEmpty.passDeltas(deltas))
}

// writeDeltas makes outputs of deltas. Neighbours of one kind become one output.
func (c *choice) writeDeltas(deltas []framing.Delta) {
	for i := range deltas {
		d := &deltas[i]
		switch d.Kind {
		case framing.Content:
			c.emitContent(d.Text)
		case framing.Reasoning:
			c.emitReasoning(d.Text)
		case framing.CallHead:
			c.emitCall(openai.ToolCall{Index: d.Index, ID: d.ID, Type: "function", Name: d.Name, Arguments: d.Text})
		case framing.CallArgs:
			c.emitArguments(d.Index, d.Text)
		case framing.CallEnd:
			c.markCallComplete(d.Index)
		case framing.CallCut:
			continue
		}
		c.align.addDelta(d)
		if n := len(c.outputEnds) - 1; n >= 0 {
			c.outputEnds[n] = max(c.outputEnds[n], d.End)
		}
	}
}

// attachAlignment tells each output of this input which tokens it came from, and the last
// of a choice that has ended all that are left.
func (c *choice) attachAlignment() {
	if !c.align.on {
		return
	}
	for i, end := range c.outputEnds {
		segments := c.align.settleUpTo(end)
		if i == len(c.outputEnds)-1 && c.reasonSent {
			segments = append(segments, c.align.settleAll()...)
		}
		if segments != nil && !c.align.keep {
			c.run.outputNVExt = append(c.run.outputNVExt, outputNVExt{c.firstOutput + i, chunk.FieldAlignment, appendSegments(nil, segments)})
		}
	}
}

func (c *choice) emitContent(text string) {
	if text == "" {
		return
	}
	if !c.unanswered.answered && strings.Trim(text, blanks) != "" {
		c.unanswered.observeAnswer()
	}
	out := c.lastOutput()
	if out == nil || out.Delta.Reasoning != "" || !hasTextOnly(&out.Delta) {
		out = c.newOutput()
	}
	out.Delta.Content += text
}

func (c *choice) emitReasoning(text string) {
	if text == "" {
		return
	}
	c.unanswered.observeAnswer()
	if c.plan.HidesReasoning {
		return
	}
	out := c.lastOutput()
	if out == nil || out.Delta.Content != "" || !hasTextOnly(&out.Delta) {
		out = c.newOutput()
	}
	out.Delta.Reasoning += text
}

// hasTextOnly says that a delta holds at most a role, and text of one kind.
func hasTextOnly(d *openai.Delta) bool {
	return d.Parts == nil && d.Refusal == "" && len(d.ToolCalls) == 0 && len(d.Extra) == 0
}

func (c *choice) emitCall(call openai.ToolCall) {
	c.unanswered.observeAnswer()
	out := c.lastOutput()
	if out == nil || !onlyRole(&out.Delta) {
		out = c.newOutput()
	}
	out.Delta.ToolCalls = append(c.run.maker.CallsOfLast(), call)
	for len(c.complete) <= call.Index {
		c.complete = append(c.complete, false)
	}
}

func (c *choice) emitArguments(index int, text string) {
	if out := c.lastOutput(); out != nil {
		if calls := out.Delta.ToolCalls; len(calls) == 1 && calls[0].Index == index {
			calls[0].Arguments += text
			return
		}
	}
	c.emitCall(openai.ToolCall{Index: index, Arguments: text})
}

func (c *choice) markCallComplete(index int) {
	if index < len(c.complete) && !c.complete[index] {
		c.complete[index] = true
		c.callsSent++
	}
}

func onlyRole(d *openai.Delta) bool { return hasTextOnly(d) && d.Content == "" && d.Reasoning == "" }

// lastOutput is the last output of this input for the choice, nil where there is none.
func (c *choice) lastOutput() *openai.Choice {
	if n := len(c.run.queue); n > c.firstOutput {
		return &c.run.queue[n-1].Data.Choices[0]
	}
	return nil
}

// newOutput adds an output. The first of a choice has its role.
func (c *choice) newOutput() *openai.Choice {
	data := c.run.maker.WithChoice(c.index)
	c.run.queue = append(c.run.queue, chunk.Item{Data: data})
	c.outputEnds = append(c.outputEnds, 0)
	out := &data.Choices[0]
	if !c.roleSent {
		c.roleSent = true
		out.Delta.Role = "assistant"
	}
	return out
}
