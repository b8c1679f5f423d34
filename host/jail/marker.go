package jail

import "strings"

// markers finds the markers of calls in text.
type markers struct {
	list  []string
	first [256]bool // the bytes that one of them begins with
	close []string
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
// 0. tail is what stands before text, where a marker may have begun.
func (m *markers) closes(tail, text string) int {
	best := 0
	joined := tail + text
	for _, s := range m.close {
		if s == "" {
			continue
		}
		from := max(0, len(tail)-len(s)+1)
		if i := strings.Index(joined[from:], s); i >= 0 {
			if end := from + i + len(s) - len(tail); end > 0 && (best == 0 || end < best) {
				best = end
			}
		}
	}
	return best
}

// longest is the length of the longest closing marker.
func (m *markers) longest() int {
	n := 0
	for _, s := range m.close {
		n = max(n, len(s))
	}
	return n
}
