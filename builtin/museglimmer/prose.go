package museglimmer

import (
	"slices"

	"github.com/turnkey-parsers/turnkey/sdk/prose"
)

// views are how the prose of each kind of body is read.
type views [bodies]*prose.Grammar

// plain are the views where nothing is a call, calls where messages to tools are,
// bare those of a guided mode.
var (
	plain = newViews()
	calls = newViews(invoke, invokeClose, blockOpen)
	bare  = newViews(invoke, invokeClose, blockOpen, blockClose, "{", "[")
)

// newViews makes the views of a grammar that has these markers beside those of
// messages.
func newViews(tags ...string) (all views) {
	framing := []string{eom + start, eot + start, eom, eot, start, message, start[:minCut], message[:minCut], eom[:minCut], to}
	whole := prose.Compile(prose.Markers{
		Calls: append(framing, tags...), Spaced: []string{to}, Hard: []string{eom + start, eot + start},
		Tags: []string{invoke, parameter},
	})
	wrapping := []string{blockOpen, blockClose, "{", "["}
	for b := range all {
		all[b] = whole.View(append(wrapping, to), true)
	}
	if !slices.Contains(tags, "{") { // else the answer is no place for the payload's wrapping
		all[answer] = whole.View([]string{to}, true)
	}
	all[opening] = whole.View(nil, false)
	all[outside] = whole.View([]string{to}, true)
	all[thought] = whole.View(wrapping, true)
	return all
}
