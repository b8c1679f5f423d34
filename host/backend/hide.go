package backend

import "strings"

// hide takes hidden stop strings out of a choice's text. The engine stops at the
// first one, so it can only be the end of the text: what may begin one is held
// until more text shows that it does not, or until the choice ends. Stop is the
// string that ended it, if one did.
func (s *choiceState) hide(text string, hidden []string, ended bool, stop string) string {
	text = s.held + text
	s.held = ""
	if ended {
		return strings.TrimSuffix(text, stop)
	}
	n := heldBack(text, hidden)
	s.held = text[len(text)-n:]
	return text[:len(text)-n]
}

// heldBack is the length of the longest end of text that one of the strings
// begins with; a whole string counts too.
func heldBack(text string, list []string) int {
	longest := 0
	for _, s := range list {
		for n := min(len(s), len(text)); n > longest; n-- {
			if strings.HasSuffix(text, s[:n]) {
				longest = n
			}
		}
	}
	return longest
}
