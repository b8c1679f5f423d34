package stream

import (
	"github.com/turnkey-parsers/turnkey/host/chunk"
	"github.com/turnkey-parsers/turnkey/host/framing"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// emit passes deltas on, after the request's policies for reasoning.
func (c *choice) emit(deltas []framing.Delta) {
	if c.r.o.plan.ReasoningOff {
		for i := range deltas {
			if deltas[i].Kind == framing.Reasoning {
				deltas[i].Kind = framing.Content
			}
		}
	}
	c.write(c.nonEmpty.pass(deltas))
}

// write makes outputs of deltas. Neighbours of one kind become one output.
func (c *choice) write(deltas []framing.Delta) {
	for i := range deltas {
		d := &deltas[i]
		switch d.Kind {
		case framing.Content:
			if d.Text != "" {
				c.content(d.Text)
			}
		case framing.Reasoning:
			if d.Text != "" {
				c.reasoning(d.Text)
			}
		case framing.CallHead:
			c.call(openai.ToolCall{Index: d.Index, ID: d.ID, Type: "function", Name: d.Name, Arguments: d.Text})
		case framing.CallArgs:
			c.arguments(d.Index, d.Text)
		case framing.CallEnd:
			c.completed(d.Index)
		case framing.CallCut:
			continue
		}
		c.align.output(d)
		if n := len(c.ends) - 1; n >= 0 {
			c.ends[n] = max(c.ends[n], d.End)
		}
	}
}

// aligned tells each output of this input which tokens it came from, and the last
// of a choice that has ended all that are left.
func (c *choice) aligned() {
	if !c.align.on {
		return
	}
	for i, end := range c.ends {
		segments := c.align.settle(end)
		if i == len(c.ends)-1 && c.finished {
			segments = append(segments, c.align.rest()...)
		}
		if segments != nil && !c.align.keep {
			c.r.beside = append(c.r.beside, beside{c.mark + i, chunk.FieldAlignment, appendSegments(nil, segments)})
		}
	}
}

func (c *choice) content(text string) {
	out := c.last()
	if out == nil || out.Delta.Reasoning != "" || !plain(&out.Delta) {
		out = c.output()
	}
	out.Delta.Content += text
}

func (c *choice) reasoning(text string) {
	out := c.last()
	if out == nil || out.Delta.Content != "" || !plain(&out.Delta) {
		out = c.output()
	}
	out.Delta.Reasoning += text
}

// plain says that a delta holds at most a role, and text of one kind.
func plain(d *openai.Delta) bool {
	return d.Parts == nil && d.Refusal == "" && len(d.ToolCalls) == 0 && len(d.Extra) == 0
}

func (c *choice) call(call openai.ToolCall) {
	out := c.last()
	if out == nil || !onlyRole(&out.Delta) {
		out = c.output()
	}
	out.Delta.ToolCalls = append(c.r.maker.Calls(), call)
	for len(c.complete) <= call.Index {
		c.complete = append(c.complete, false)
	}
}

func (c *choice) arguments(index int, text string) {
	if out := c.last(); out != nil {
		if calls := out.Delta.ToolCalls; len(calls) == 1 && calls[0].Index == index {
			calls[0].Arguments += text
			return
		}
	}
	c.call(openai.ToolCall{Index: index, Arguments: text})
}

func (c *choice) completed(index int) {
	if index < len(c.complete) && !c.complete[index] {
		c.complete[index] = true
		c.calls++
	}
}

func onlyRole(d *openai.Delta) bool { return plain(d) && d.Content == "" && d.Reasoning == "" }

// last is the last output of this input for the choice, nil where there is none.
func (c *choice) last() *openai.Choice {
	if n := len(c.r.queue); n > c.mark {
		return &c.r.queue[n-1].Data.Choices[0]
	}
	return nil
}

// output adds an output. The first of a choice has its role.
func (c *choice) output() *openai.Choice {
	data := c.r.maker.Choice(c.index)
	c.r.queue = append(c.r.queue, chunk.Item{Data: data})
	c.ends = append(c.ends, 0)
	out := &data.Choices[0]
	if !c.role {
		c.role = true
		out.Delta.Role = "assistant"
	}
	return out
}
