package gemma4

import (
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
)

// labelToCome is what the prompt left to the model of the label of the thought
// that it opened: a prompt may end anywhere in openThought and label, and START
// does not say where.
func labelToCome(s *abi.OpenBlock) string {
	if s.Start != abi.ChannelReasoning {
		return ""
	}
	at := strings.LastIndex(s.PromptTail, openThought)
	if at < 0 {
		return ""
	}
	rest, ok := strings.CutPrefix(label, s.PromptTail[at+len(openThought):])
	if !ok {
		return ""
	}
	return rest
}
