package backend

import (
	"strings"

	"github.com/turnkey-parsers/turnkey/host/internal/holdback"
)

// cutHiddenStops takes hidden stop strings out of a choice's text. The engine stops at the
// first one, so it can only be the end of the text: what may begin one is held
// until more text shows that it does not, or until the choice ends. Stop is the
// string that ended it, if one did.
func (s *choiceState) cutHiddenStops(text string, hidden []string, ended bool, stop string) string {
	text = s.held + text
	s.held = ""
	if ended {
		return strings.TrimSuffix(text, stop)
	}
	n := holdback.Suffix(text, hidden)
	s.held = text[len(text)-n:]
	return text[:len(text)-n]
}
