package parse

import (
	"unicode/utf8"

	"github.com/turnkey-parsers/turnkey/abi"
)

// watcher serves a WATCH: it finds the first byte that matters.
type watcher struct {
	on   bool
	kind abi.Kind // of unseen text; abi.FlagHold to hold it
	set  [8]byte
	look [256]bool // set, for look-up
}

func (w *watcher) holds() bool { return w.on && w.kind == abi.Kind(abi.FlagHold) }

// take replaces the watch by that of an event.
func (w *watcher) take(e abi.Event) {
	w.on, w.kind = e.Flags != 0, abi.Kind(e.Flags)
	set := e.Watched()
	if !w.on || set == w.set {
		return
	}
	for _, c := range w.set {
		w.look[c] = false
	}
	for _, c := range set {
		w.look[c] = true
	}
	w.set = set
}

// find is the place of the first character of b that holds a watched byte, or
// len(b).
func (w *watcher) find(b []byte) int {
	for i, c := range b {
		if w.look[c] {
			for i > 0 && !utf8.RuneStart(b[i]) {
				i--
			}
			return i
		}
	}
	return len(b)
}
