package jail

import (
	"strings"

	"github.com/turnkey-parsers/turnkey/host/internal/holdback"
)

// markers finds the markers of calls in text.
type markers struct {
	list  []string
	first [256]bool // the bytes that one of them begins with
	close []string

	longestClose int
}

func newMarkers(open, close []string) *markers {
	m := &markers{close: close}
	for _, list := range [][]string{open, close} {
		for _, s := range list {
			if s != "" {
				m.list = append(m.list, s)
				m.first[s[0]] = true
			}
		}
	}
	for _, s := range close {
		m.longestClose = max(m.longestClose, len(s))
	}
	return m
}

// find gives where the first marker begins in text, or what could still become
// one; whole says which. Without either it is len(text).
func (m *markers) find(text string) (at int, whole bool) {
	for i := 0; i < len(text); i++ {
		if !m.first[text[i]] {
			continue
		}
		rest := text[i:]
		part := false
		for _, s := range m.list {
			if strings.HasPrefix(rest, s) {
				return i, true
			}
			part = part || len(rest) < len(s) && strings.HasPrefix(s, rest)
		}
		if part {
			return i, false
		}
	}
	return len(text), false
}

// closes gives the length of text up to the end of its first closing marker, or
// 0. tail is a beginning of a closing marker that stands before text.
func (m *markers) closes(tail, text string) int {
	best := 0
	for _, s := range m.close {
		if s == "" {
			continue
		}
		end := strings.Index(text, s) + len(s)
		if end < len(s) {
			end = 0
		}
		for at := 0; at < len(tail); at++ { // one that began before
			if begun := tail[at:]; len(begun) < len(s) && strings.HasPrefix(s, begun) && strings.HasPrefix(text, s[len(begun):]) {
				end = len(s) - len(begun)
				break
			}
		}
		if end > 0 && (best == 0 || end < best) {
			best = end
		}
	}
	return best
}

// begun is the longest end of tail and text that a closing marker begins with.
// tail is what it was for the text before.
func (m *markers) begun(tail, text string) string {
	if tail != "" && len(text) < m.longestClose {
		text = tail + text
	}
	return text[len(text)-holdback.Partial(text, m.close):]
}
