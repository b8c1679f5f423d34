package parse

import (
	"unicode/utf8"

	"github.com/turnkey-parsers/turnkey/abi"
)

// watcher keeps the WATCH of the last answer, and finds the first byte that it
// watches for.
type watcher struct {
	standing bool
	kind     abi.Kind // of unseen text; abi.FlagHold to hold it
	set      [8]byte
	watched  [256]bool // set, for look-up
}

// holds says that the parser holds bytes back until a watched one comes.
func (w *watcher) holds() bool { return w.standing && w.kind == abi.Kind(abi.FlagHold) }

// setWatch replaces the watch by that of an event.
func (w *watcher) setWatch(e abi.Event) {
	w.standing, w.kind = e.Flags != 0, abi.Kind(e.Flags)
	set := e.Watched()
	if !w.standing || set == w.set {
		return
	}
	for _, c := range w.set {
		w.watched[c] = false
	}
	for _, c := range set {
		w.watched[c] = true
	}
	w.set = set
}

// findWatched is the place of the first character of b that holds a watched byte, or
// len(b).
func (w *watcher) findWatched(b []byte) int {
	for i, c := range b {
		if w.watched[c] {
			for i > 0 && !utf8.RuneStart(b[i]) {
				i--
			}
			return i
		}
	}
	return len(b)
}
