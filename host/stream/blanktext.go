package stream

import (
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/framing"
)

// BlankText says what becomes of text before, between or behind calls and thoughts that
// is only white space, and of the white space that the answer behind a thought begins
// with.
type BlankText uint8

const (
	BlankDrop BlankText = iota
	BlankKeep
)

// blankText leaves out white space that only separates: text before, between or behind
// calls and thoughts that is nothing else, and what the answer behind a thought begins
// with. Chat templates write it, models learn it, and no client wants it. White space
// waits until it is known what follows.
type blankText struct {
	held      []framing.Delta // white space that a run of text begins with
	inText    bool            // the run has shown something else
	inThought bool            // a thought came directly before the run
	answered  bool            // there was a thought or a call

	// A call may stand in a thought, too.
	heldThought []framing.Delta // white space in a thought directly behind a call
	behindCall  bool            // nothing but white space came since a call
}

// passDeltas gives the deltas that may go out now, those that were held first.
func (b *blankText) passDeltas(in []framing.Delta) []framing.Delta {
	if b.inText && isText(in) {
		return in
	}
	out := make([]framing.Delta, 0, len(in)+len(b.held))
	for _, d := range in {
		switch d.Kind {
		case framing.Content:
			out = b.appendText(out, d)
			continue
		case framing.Reasoning:
			if b.behindCall && strings.Trim(d.Text, blanks) == "" {
				b.heldThought = append(b.heldThought, d)
				continue
			}
			out = append(out, b.heldThought...)
			b.endRun()
			b.inThought = true
		case framing.CallHead:
			b.endRun()
		case framing.CallEnd:
			b.behindCall = true
		}
		out = append(out, d)
	}
	return out
}

func isText(deltas []framing.Delta) bool {
	for i := range deltas {
		if deltas[i].Kind != framing.Content {
			return false
		}
	}
	return true
}

// appendText appends text of the run, once the run has something but white space.
func (b *blankText) appendText(out []framing.Delta, d framing.Delta) []framing.Delta {
	if b.inText {
		return append(out, d)
	}
	text := strings.TrimLeft(d.Text, blanks)
	if text == "" {
		b.held = append(b.held, d)
		return out
	}
	b.inText, b.behindCall, b.heldThought = true, false, nil
	if b.inThought {
		d.Start = min(d.End, d.Start+abi.RawOffset(len(d.Text)-len(text)))
		d.Text = text
	} else {
		out = append(out, b.held...)
	}
	b.held, b.inThought = nil, false
	return append(out, d)
}

const blanks = " \t\r\n"

// endRun ends the run of text in front of a thought or a call.
func (b *blankText) endRun() {
	b.held, b.inText, b.inThought, b.answered = nil, false, false, true
	b.behindCall, b.heldThought = false, nil
}

// flush gives what is held at the end: white space that is all of the answer.
func (b *blankText) flush() []framing.Delta {
	held := b.held
	b.held = nil
	if b.answered {
		return nil
	}
	return held
}
