package stream

import (
	"strings"

	"github.com/turnkey-parsers/turnkey/host/framing"
)

// nonEmpty holds reasoning until an answer shows, for a client that wants content
// whatever the model does: without an answer the reasoning is given as content.
// Reasoning that is too long to be held goes out as such.
type nonEmpty struct {
	on   bool
	room int // bytes that may still be held
	held []framing.Delta
}

// passDeltas gives the deltas that may go out now, those that were held first.
func (n *nonEmpty) passDeltas(in []framing.Delta) []framing.Delta {
	if !n.on {
		return in
	}
	for i, d := range in {
		if d.Kind != framing.Reasoning && (d.Kind != framing.Content || strings.TrimSpace(d.Text) != "") {
			n.on = false
			return append(n.held, in[i:]...)
		}
		n.held = append(n.held, d)
		if n.room -= len(d.Text); n.room < 0 {
			n.on = false
			return append(n.held, in[i+1:]...)
		}
	}
	return nil
}

// flush gives what is held as content.
func (n *nonEmpty) flush() []framing.Delta {
	if !n.on {
		return nil
	}
	n.on = false
	for i := range n.held {
		n.held[i].Kind = framing.Content
	}
	return n.held
}
