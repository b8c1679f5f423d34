package stream

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/chunk"
	"github.com/turnkey-parsers/turnkey/host/framing"
	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// finishStream is the clean end: what the choices still hold, then the finish reasons that
// the host has to give, then metadata that found no output, then usage.
func (r *run) finishStream() error {
	for _, c := range r.choices {
		if err := c.flushAtEnd(); err != nil {
			return err
		}
	}
	r.attachNVExt()
	for _, c := range r.choices {
		c.finishWithoutReason()
	}
	r.emitLeftoverMetadata()
	if u := r.finalUsage(); u != nil {
		side := r.maker.WithoutChoices()
		side.Usage = u
		r.queue = append(r.queue, chunk.Item{Data: side})
	}
	return nil
}

// missingCloser is the client's stop string that ended the choice, where it is the closer
// of the call that is open: the engine leaves it out, but the parser needs it.
func (c *choice) missingCloser() string {
	stop, ok := jsonx.String(c.stop.Reason)
	if !ok || c.run.operator.chat.IncludeStopText || !c.pipeline.isCloserOfOpenCall(stop) {
		return ""
	}
	return stop
}

// standing is how a choice stands before its parser's last word.
type standing struct {
	inThought    bool
	holdsOpener  bool
	callsGivenUp int
	guidedVoid   int
}

func (c *choice) standing() standing {
	p := &c.pipeline
	return standing{p.inThought() || c.engineThought, p.holdsOpener(), p.callsGivenUp(), p.guidedVoid()}
}

// leftOpen names what the model was in the middle of at the end of its text, "" where
// nothing was open, by how the choice stood before the parser's last deltas. A marker's
// beginning is not open: a text may end in one.
func (c *choice) leftOpen(before standing) string {
	p := &c.pipeline
	thought, undecided := before.inThought, before.holdsOpener
	for i := range c.deltas {
		switch c.deltas[i].Kind {
		case framing.Reasoning:
			thought = true
		case framing.Content, framing.CallHead:
			thought = false
		case framing.CallEnd:
			undecided = false
		}
	}
	switch {
	case undecided, p.callsGivenUp() > before.callsGivenUp, p.guidedVoid() > before.guidedVoid, c.engineCalls.cut():
		return "a call"
	case thought:
		return "a thought"
	}
	return ""
}

// errUnfinished is the error of an answer whose engine said no more and gave no finish
// reason, although the model was in the middle of something.
func errUnfinished(part string) error {
	return &backend.Error{Status: http.StatusBadGateway, Code: backend.CodeIncomplete,
		Message: "the engine's answer ended without a finish reason in the middle of " + part}
}

// emitLeftoverMetadata makes one chunk without choices for metadata that found no output.
func (r *run) emitLeftoverMetadata() {
	if !r.allFinished() {
		r.offerTiming()
	}
	for _, c := range r.choices {
		if rest := c.align.settleAll(); rest != nil && !c.align.keep {
			r.joiner.Offer(chunk.FieldAlignment, appendSegments(nil, rest))
		}
	}
	m := r.drainMetrics()
	if m == nil && !r.joiner.Pending() {
		return
	}
	it := chunk.Item{Data: r.maker.WithoutChoices(), Metrics: m}
	r.joiner.Attach(it.Data, true)
	r.queue = append(r.queue, it)
}

// finalUsage is the usage of the last chunk: the engine's, or none. What the host
// counted on the way is no bill.
func (r *run) finalUsage() *openai.Usage {
	if !r.usage.Final {
		return nil
	}
	return r.usage.Latest()
}

// offerTiming offers the host's own clock, unless the engine sent its timing.
func (r *run) offerTiming() {
	if !r.joiner.Wants(chunk.FieldTiming) || r.joiner.Has(chunk.FieldTiming) {
		return
	}
	start, now := r.operator.created, time.Now()
	ms := func(name string, v float64, b []byte) []byte {
		return strconv.AppendFloat(jsonx.AppendName(b, name), v, 'f', 3, 64)
	}
	b := ms("request_received_ms", float64(start.UnixMicro())/1000, []byte{'{'})
	if !r.first.IsZero() {
		b = ms("ttft_ms", float64(r.first.Sub(start).Microseconds())/1000, b)
	}
	b = ms("total_time_ms", float64(now.Sub(start).Microseconds())/1000, b)
	r.joiner.Offer(chunk.FieldTiming, append(b, '}'))
}

// finishIsQueued says whether a finish reason is among the outputs of this input.
func (r *run) finishIsQueued() bool {
	return slices.ContainsFunc(r.queue, func(it chunk.Item) bool {
		return it.Data != nil && len(it.Data.Choices) > 0 && it.Data.Choices[0].FinishReason != ""
	})
}
