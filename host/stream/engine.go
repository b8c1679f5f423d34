package stream

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/host/framing"
	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// engineCalls are the calls that the engine itself made, by its indices.
type engineCalls map[int]*engineCall

// engineCall is one of them. A client must not see it before it has its name.
type engineCall struct {
	named bool
	index int // the client's; -1: it is not sent
	json  jsonx.Stream

	// What came before the name.
	id        string
	arguments []byte
	extra     []openai.Member
}

// passParts passes what an engine that parses has made: it goes on as it is, in
// its place.
func (c *choice) passParts(d *openai.Delta) {
	if d.Parts != nil || d.Refusal != "" || len(d.Extra) > 0 {
		out := c.lastOutput()
		if out == nil || !onlyRole(&out.Delta) {
			out = c.newOutput()
		}
		out.Delta.Parts, out.Delta.Refusal, out.Delta.Extra = d.Parts, d.Refusal, d.Extra
		if d.Parts != nil || d.Refusal != "" {
			c.unanswered.observeAnswer()
		}
	}
	for i := range d.ToolCalls {
		c.passCall(d.ToolCalls[i])
	}
}

func (c *choice) passCall(call openai.ToolCall) {
	if c.engineCalls == nil {
		c.engineCalls = engineCalls{}
		if c.plan.RawText() {
			c.model.Hooks.warnOnce("the engine reads calls itself, although it is not asked to: they pass as they are")
		}
	}
	made := c.engineCalls[call.Index]
	if made == nil {
		made = &engineCall{index: -1}
		c.engineCalls[call.Index] = made
	}
	first := !made.named
	if first {
		made.merge(&call)
		if call.Name == "" {
			return
		}
		made.named, made.index = true, c.admitEngineCall()
		call.Arguments, call.Extra = string(made.arguments), made.extra
	}
	if made.index < 0 {
		return
	}
	arguments := append(c.scratch[:0], call.Arguments...)
	c.scratch = made.json.Append(arguments, arguments) // behind them: nothing is overwritten
	call.Index = made.index
	if first {
		call.ID, call.Type = c.pipeline.ids.Take(made.id, call.Name), "function"
	} else {
		call.ID, call.Type, call.Name = "", "", ""
	}
	c.blank.endRun()
	c.emitCall(call)
	c.markCallComplete(made.index)
}

// merge keeps a part of a call that has not begun yet for the client.
func (m *engineCall) merge(call *openai.ToolCall) {
	if m.id == "" {
		m.id = call.ID
	}
	m.arguments = append(m.arguments, call.Arguments...)
	for _, extra := range call.Extra {
		m.extra = append(m.extra, openai.Member{Name: extra.Name, Value: bytes.Clone(extra.Value)})
	}
}

// cut says whether one of the calls that went out has no whole arguments.
func (e engineCalls) cut() bool {
	for _, made := range e {
		if made.named && made.index >= 0 && !made.json.Whole() {
			return true
		}
	}
	return false
}

// observeEngineThought notes whether the engine's last word is a thought.
func (c *choice) observeEngineThought(d *openai.Delta) {
	switch {
	case d.Content != "" || d.Parts != nil || d.Refusal != "" || len(d.ToolCalls) > 0:
		c.engineThought = false
	case d.Reasoning != "":
		c.engineThought = true
	}
}

// countNameless counts the calls that never got a name.
func (e engineCalls) countNameless() (n int) {
	for _, made := range e {
		if !made.named {
			n++
		}
	}
	return n
}

// admitEngineCall gives a new call of the engine its index, or -1 where no call may leave.
func (c *choice) admitEngineCall() int {
	r := c.run
	if r.rules.CallsOff || !r.operator.chat.ParallelToolCalls && len(c.complete) > 0 {
		r.operator.model.Hooks.anomaly(anomalyCallSuppressed, 1)
		return -1
	}
	return c.pipeline.takeCallIndex()
}

// alignEngineDelta tells the aligner what the engine made of a chunk.
func (c *choice) alignEngineDelta(d *openai.Delta) {
	switch {
	case !c.align.on || d.Content != "":
	case d.Reasoning != "" && !c.plan.ReasoningOff:
		c.align.addPart(alignedPart{kind: framing.Reasoning})
	case d.Reasoning != "" || d.Parts != nil || d.Refusal != "":
		c.align.addPart(alignedPart{kind: framing.Content})
	case len(d.ToolCalls) > 0:
		if made := c.engineCalls[d.ToolCalls[0].Index]; made.index >= 0 {
			c.align.addPart(alignedPart{framing.CallHead, made.index})
		}
	}
}
