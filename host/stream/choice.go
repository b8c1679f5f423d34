package stream

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/chunk"
	"github.com/turnkey-parsers/turnkey/host/framing"
	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/openai"
	"github.com/turnkey-parsers/turnkey/host/route"
)

// choice is one choice of an answer: it has a parser, a role, calls and a finish
// reason of its own.
type choice struct {
	run   *run
	plan  *route.Plan
	model *Model
	index int

	pipeline    pipeline
	eos         eosGuard
	blank       blankText
	nonEmpty    nonEmpty
	unanswered  unanswered
	metadata    choiceMetadata
	engineCalls engineCalls
	align       aligner

	firstOutput   int             // where this input's outputs begin in the queue
	outputEnds    []abi.RawOffset // where the raw text of each of these outputs ends
	roleSent      bool
	rawBytes      int // bytes that the engine sent
	parseFinished bool
	reasonSent    bool // the finish reason is out
	engineThought bool // the last that the engine said is a thought that it read itself

	// engineReason is the engine's finish reason while it waits for what is held.
	engineReason string
	stop         chunk.Stop

	callsSent int // complete calls that went out
	complete  []bool
	deltas    []framing.Delta
	scratch   []byte
}

func newChoice(r *run, index int) *choice {
	p, m := r.operator.plan, r.operator.model
	c := &choice{run: r, plan: p, model: m, index: index, nonEmpty: nonEmpty{on: p.NonEmpty, room: m.Limits.held()}, unanswered: unanswered{room: m.Limits.held()}}
	c.eos.texts = p.EOSTexts()
	c.align.on, c.align.keep = r.joiner.Wants(chunk.FieldAlignment), !r.operator.chat.Stream
	c.pipeline.init(r)
	return c
}

// feedItem runs the choice's part of one item.
func (c *choice) feedItem(it *chunk.Item, in *openai.Choice) error {
	c.beginOutputs()
	c.metadata.collect(in)
	if c.align.on {
		c.align.observeTokens(max(countTokenIDs(in.TokenIDs), c.run.tokens), in.Delta.Content, textLengths(in.Logprobs))
	}
	if !c.reasonSent {
		if err := c.observeDelta(it, in); err != nil {
			return err
		}
		c.alignEngineDelta(&in.Delta)
		if in.FinishReason != "" && c.engineReason == "" {
			c.engineReason = in.FinishReason
			c.stop, _ = it.StopOf(c.index)
			c.stop.Reason = bytes.Clone(c.stop.Reason)
			if !c.pipeline.holdsFinish() {
				if err := c.finishParse(abi.FinishUnknown); err != nil {
					return err
				}
			}
		}
	}
	if c.lastOutput() == nil && c.pipeline.hasNoParser() && c.run.joiner.Pending() {
		c.newOutput() // nothing to say, but nothing to wait for either
	}
	c.attachMetadata()
	return nil
}

// beginOutputs begins the outputs of one input.
func (c *choice) beginOutputs() { c.firstOutput, c.outputEnds = len(c.run.queue), c.outputEnds[:0] }

// observeDelta passes what an item adds to the choice, in order.
func (c *choice) observeDelta(it *chunk.Item, in *openai.Choice) error {
	d := &in.Delta
	if err := c.countRaw(sizeOf(d)); err != nil {
		return err
	}
	if d.Role != "" && !c.roleSent {
		c.newOutput()
	}
	c.observeEngineThought(d)
	if d.Reasoning != "" {
		c.deltas = append(c.deltas[:0], framing.Delta{Kind: framing.Reasoning, Text: d.Reasoning})
		c.emitDeltas(c.deltas)
	}
	if !jsonx.IsNull(in.TokenIDs) {
		c.eos.observeIDs(it.EOSToken(c.index))
	}
	if d.Content != "" {
		if c.engineReason != "" {
			c.stop.Finish = abi.FinishUnknown // text follows: the evidence is void
		}
		if err := c.pushText(c.eos.push(d.Content), in.FinishReason != ""); err != nil {
			return err
		}
	}
	c.passParts(d)
	return nil
}

// countRaw counts what the engine sent for a choice, in bytes.
func (c *choice) countRaw(n int) error {
	c.rawBytes += n
	if limit := c.model.Limits.Text; limit > 0 && c.rawBytes > limit {
		return errText
	}
	return nil
}

func sizeOf(d *openai.Delta) int {
	n := len(d.Reasoning) + len(d.Content) + len(d.Parts) + len(d.Refusal)
	for i := range d.ToolCalls {
		n += len(d.ToolCalls[i].Arguments)
	}
	return n
}

// pushText gives the parser more text.
func (c *choice) pushText(text string, last bool) (err error) {
	if text == "" {
		return nil
	}
	c.unanswered.keep(text)
	c.deltas, err = c.pipeline.push(c.deltas[:0], text, last)
	if err == nil {
		c.emitDeltas(c.deltas)
	}
	return err
}

// finishParse ends the choice: what the parser still has, then the finish reason, if the
// engine gave one; none is the reason for the parser where it did not.
func (c *choice) finishParse(none abi.Finish) (err error) {
	if c.parseFinished {
		return nil
	}
	c.parseFinished = true
	reason := none
	if c.engineReason != "" {
		reason = c.run.rules.ParserReason(c.engineReason, c.stop)
	}
	if err := c.pushText(c.eos.flush(c.engineReason == openai.FinishStop && c.stop.Reason == nil), false); err != nil {
		return err
	}
	if err := c.pushText(c.missingCloser(), false); err != nil {
		return err
	}
	before := c.standing()
	if c.deltas, err = c.pipeline.finish(c.deltas[:0], reason); err != nil {
		return err
	}
	if part := c.leftOpen(before); part != "" && c.engineReason == "" {
		return errUnfinished(part)
	}
	cut := c.pipeline.callsGivenUp() > before.callsGivenUp
	c.emitDeltas(c.deltas)
	c.writeDeltas(c.nonEmpty.passDeltas(c.blank.flush()))
	c.writeDeltas(c.nonEmpty.flush())
	if !openai.IsCut(c.engineReason) {
		c.emitUnanswered()
	}
	if c.engineReason == "" {
		return nil
	}
	out := c.lastOutput()
	if out == nil {
		out = c.newOutput()
	}
	out.FinishReason = c.run.rules.ClientReason(c.engineReason, c.callsSent > 0, cut)
	c.reasonSent = true
	if c.stop.Reason != nil {
		c.run.outputNVExt = append(c.run.outputNVExt, outputNVExt{len(c.run.queue) - 1, chunk.FieldStopReason, c.stop.Reason})
	}
	return nil
}

// flushAtEnd ends the choice at the clean end of the stream.
func (c *choice) flushAtEnd() error {
	if c.reasonSent {
		return nil
	}
	c.beginOutputs()
	if err := c.finishParse(abi.FinishUnknown); err != nil {
		return err
	}
	if c.metadata.pending() && c.lastOutput() == nil {
		c.newOutput()
	}
	c.attachMetadata()
	return nil
}

// finishWithoutReason gives a finish reason to a choice with calls that never got one.
func (c *choice) finishWithoutReason() {
	if c.reasonSent {
		return
	}
	reason := c.run.rules.MissingReason(c.callsSent > 0)
	if reason == "" {
		c.model.Hooks.anomaly(anomalyNoFinish, 1)
		return
	}
	c.beginOutputs()
	c.newOutput().FinishReason = reason
	c.reasonSent = true
}

// attachMetadata puts log-probabilities on the last output of this input; without one
// they wait. Each output gets the tokens that it came from.
func (c *choice) attachMetadata() {
	c.attachAlignment()
	if out := c.lastOutput(); out != nil {
		c.metadata.attachTo(out)
		return
	}
	c.metadata.ownMemory()
}

func (c *choice) close() { c.pipeline.close() }
