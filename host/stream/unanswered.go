package stream

import (
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/host/framing"
)

// unanswered keeps the engine's text as long as the client has seen nothing of a
// choice: an answer whose text came to nothing (a call that was cut or not asked for,
// markers with nothing in them) is given as that text. An empty message with the
// finish reason stop tells a client that the model had nothing to say.
type unanswered struct {
	text     []byte
	room     int // bytes that may still be kept
	answered bool
}

// keep keeps text of the engine.
func (u *unanswered) keep(text string) {
	if u.answered {
		return
	}
	if u.room -= len(text); u.room < 0 {
		u.observeAnswer()
		return
	}
	u.text = append(u.text, text...)
}

// observeAnswer says that the client sees something of the choice.
func (u *unanswered) observeAnswer() { u.answered, u.text = true, nil }

// take gives the text that came to nothing; "" where there is none but white space.
func (u *unanswered) take() string {
	text := string(u.text)
	u.observeAnswer()
	if strings.Trim(text, blanks) == "" {
		return ""
	}
	return text
}

// emitUnanswered gives the engine's text as it came, if the client has seen nothing of
// the choice: as content, or as a thought where it is only the markers of one.
func (c *choice) emitUnanswered() {
	text := c.unanswered.take()
	if text == "" {
		return
	}
	c.model.Hooks.anomaly(anomalyUnanswered, 1)
	d := framing.Delta{Kind: framing.Content, Text: text, End: abi.RawOffset(len(text))}
	if p := c.pipeline.thoughtParser(); p != nil && isThoughtMarkup(text, p) && !c.plan.ReasoningOff {
		d.Kind = framing.Reasoning
	}
	c.writeDeltas([]framing.Delta{d})
}

// isThoughtMarkup says whether the text is the markers of an empty thought, and nothing
// else.
func isThoughtMarkup(text string, p *manifest.Parser) bool {
	if p.Prompt == nil {
		return false
	}
	for _, markers := range [][]string{p.Prompt.Response, p.Prompt.Reasoning} {
		for _, m := range markers {
			text = strings.ReplaceAll(text, strings.Trim(m, blanks), "")
		}
	}
	return strings.Trim(text, blanks) == ""
}
