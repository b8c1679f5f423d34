package stream

import (
	"strings"

	"github.com/turnkey-parsers/turnkey/host/framing"
)

// nonEmpty holds reasoning until an answer shows, for a client that wants content
// whatever the model does: without an answer the reasoning is given as content.
type nonEmpty struct {
	on   bool
	held []framing.Delta
}

// pass gives the deltas that may go out now, those that were held first.
func (n *nonEmpty) pass(in []framing.Delta) []framing.Delta {
	if !n.on {
		return in
	}
	for i, d := range in {
		if d.Kind != framing.Reasoning && (d.Kind != framing.Content || strings.TrimSpace(d.Text) != "") {
			n.on = false
			return append(n.held, in[i:]...)
		}
		n.held = append(n.held, d)
	}
	return nil
}

// end gives what is held as content.
func (n *nonEmpty) end() []framing.Delta {
	if !n.on {
		return nil
	}
	n.on = false
	for i := range n.held {
		n.held[i].Kind = framing.Content
	}
	return n.held
}
