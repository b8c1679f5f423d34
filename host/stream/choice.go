package stream

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/chunk"
	"github.com/turnkey-parsers/turnkey/host/framing"
	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// choice is one choice of an answer: it has a parser, a role, calls and a finish
// reason of its own.
type choice struct {
	r     *run
	index int

	pipeline pipeline
	eos      eosGuard
	nonEmpty nonEmpty
	side     side
	made     engineCalls
	align    aligner

	mark     int             // where this input's outputs begin in the queue
	ends     []abi.RawOffset // where the raw text of each of these outputs ends
	role     bool
	raw      int // bytes that the engine said
	ended    bool
	finished bool // the finish reason is out

	// reason is the engine's finish reason while it waits for what is held.
	reason string
	stop   chunk.Stop

	calls    int // complete calls that went out
	complete []bool
	deltas   []framing.Delta
}

func newChoice(r *run, index int) *choice {
	p := r.o.plan
	c := &choice{r: r, index: index, nonEmpty: nonEmpty{on: p.NonEmpty, room: r.o.model.Limits.held()}}
	c.eos.texts = p.EOSTexts()
	c.align.on, c.align.keep = r.joiner.Wants(chunk.FieldAlignment), !r.o.chat.Stream
	c.pipeline.init(r)
	return c
}

// feed runs the choice's part of one item.
func (c *choice) feed(it *chunk.Item, in *openai.Choice) error {
	c.begin()
	c.side.take(in)
	if c.align.on {
		c.align.input(max(count(in.TokenIDs), c.r.tokens), in.Delta.Content, textLengths(in.Logprobs))
	}
	if !c.finished {
		if err := c.say(it, in); err != nil {
			return err
		}
		c.alignMade(&in.Delta)
		if in.FinishReason != "" && c.reason == "" {
			c.reason = in.FinishReason
			c.stop, _ = it.StopOf(c.index)
			c.stop.Reason = bytes.Clone(c.stop.Reason)
			if !c.pipeline.holds() {
				if err := c.end(abi.FinishUnknown); err != nil {
					return err
				}
			}
		}
	}
	if c.last() == nil && c.pipeline.plain() && c.r.joiner.Left() {
		c.output() // nothing to say, but nothing to wait for either
	}
	c.settle()
	return nil
}

// begin begins the outputs of one input.
func (c *choice) begin() { c.mark, c.ends = len(c.r.queue), c.ends[:0] }

// say passes what an item adds to the choice, in order.
func (c *choice) say(it *chunk.Item, in *openai.Choice) error {
	d := &in.Delta
	if err := c.spoke(sizeOf(d)); err != nil {
		return err
	}
	if d.Role != "" && !c.role {
		c.output()
	}
	if d.Reasoning != "" {
		c.deltas = append(c.deltas[:0], framing.Delta{Kind: framing.Reasoning, Text: d.Reasoning})
		c.emit(c.deltas)
	}
	if !jsonx.IsNull(in.TokenIDs) {
		c.eos.shows(it.EOSToken(c.index))
	}
	if d.Content != "" {
		if c.reason != "" {
			c.stop.Finish = abi.FinishUnknown // text follows: the evidence is void
		}
		if err := c.parse(c.eos.push(d.Content), in.FinishReason != ""); err != nil {
			return err
		}
	}
	c.passParts(d)
	return nil
}

// spoke counts what the engine said in a choice, in bytes.
func (c *choice) spoke(n int) error {
	c.raw += n
	if limit := c.r.o.model.Limits.Text; limit > 0 && c.raw > limit {
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

// parse gives the parser more text.
func (c *choice) parse(text string, last bool) (err error) {
	if text == "" {
		return nil
	}
	c.deltas, err = c.pipeline.push(c.deltas[:0], text, last)
	if err == nil {
		c.emit(c.deltas)
	}
	return err
}

// end ends the choice: what the parser still has, then the finish reason, if the
// engine gave one; none is the reason for the parser where it did not.
func (c *choice) end(none abi.Finish) (err error) {
	if c.ended {
		return nil
	}
	c.ended = true
	reason := none
	if c.reason != "" {
		reason = c.r.rules.Parser(c.reason, c.stop)
	}
	if err := c.parse(c.eos.end(c.reason == openai.FinishStop && c.stop.Reason == nil), false); err != nil {
		return err
	}
	cut := c.pipeline.cut()
	if c.deltas, err = c.pipeline.finish(c.deltas[:0], reason); err != nil {
		return err
	}
	cut = c.pipeline.cut() - cut
	c.emit(c.deltas)
	c.write(c.nonEmpty.end())
	if c.reason == "" {
		return nil
	}
	out := c.last()
	if out == nil {
		out = c.output()
	}
	out.FinishReason = c.r.rules.Reason(c.reason, c.calls > 0, cut > 0)
	c.finished = true
	if c.stop.Reason != nil {
		c.r.beside = append(c.r.beside, beside{len(c.r.queue) - 1, chunk.FieldStopReason, c.stop.Reason})
	}
	return nil
}

// flush ends the choice at the clean end of the stream.
func (c *choice) flush() error {
	if c.finished {
		return nil
	}
	c.begin()
	if err := c.end(abi.FinishUnknown); err != nil {
		return err
	}
	if c.side.pending() && c.last() == nil {
		c.output()
	}
	c.settle()
	return nil
}

// backstop gives a finish reason to a choice with calls that never got one.
func (c *choice) backstop() {
	if c.finished {
		return
	}
	reason := c.r.rules.Missing(c.calls > 0)
	if reason == "" {
		c.r.o.model.Hooks.anomaly(anomalyNoFinish, 1)
		return
	}
	c.begin()
	c.output().FinishReason = reason
	c.finished = true
}

// settle puts log-probabilities on the last output of this input; without one
// they wait. Each output gets the tokens that it came from.
func (c *choice) settle() {
	c.aligned()
	if out := c.last(); out != nil {
		c.side.attach(out)
		return
	}
	c.side.keep()
}

func (c *choice) close() { c.pipeline.close() }
