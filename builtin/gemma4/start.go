package gemma4

import (
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
)

// closers are the markers that leave no thought open behind them.
var closers = []string{closeThought, "<|turn>", "<turn|>", openCall, closeCall, response, "<tool_response|>"}

// startOf is the channel that a session starts in, and what of a thought's label
// the prompt left to the model. Where the host does not know of a thought or an
// answer, the prompt's tail says: the last of its markers decides.
func startOf(s *abi.OpenBlock) (start abi.Channel, rest string) {
	inThought, rest := thoughtAtEnd(s.PromptTail)
	switch {
	case s.Start == abi.ChannelReasoning:
		return s.Start, rest
	case s.Start == abi.ChannelResponse:
		return s.Start, ""
	case inThought:
		return abi.ChannelReasoning, rest
	case emptyThoughtAtEnd(s.PromptTail):
		return abi.ChannelResponse, ""
	}
	return abi.ChannelContent, ""
}

// thoughtAtEnd says whether tail leaves a thought open, and what is left of its
// label.
func thoughtAtEnd(tail string) (open bool, rest string) {
	at := strings.LastIndex(tail, openThought)
	if at < 0 {
		return false, ""
	}
	behind := tail[at+len(openThought):]
	for _, c := range closers {
		if strings.Contains(behind, c) {
			return false, ""
		}
	}
	if rest, ok := strings.CutPrefix(label, behind); ok {
		return true, rest
	}
	return true, ""
}

// emptyThoughtAtEnd says whether tail ends with a thought that has no words: so
// the template switches thinking off.
func emptyThoughtAtEnd(tail string) bool {
	before, ok := strings.CutSuffix(strings.TrimSpace(tail), closeThought)
	if !ok {
		return false
	}
	before = strings.TrimSpace(before)
	before = strings.TrimSuffix(before, strings.TrimSpace(label))
	return strings.HasSuffix(before, openThought)
}
