package channel

import (
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
)

// Headers of the messages that a prompt may leave open.
const (
	AnalysisHeader = Channel + "analysis" + Message
	FinalHeader    = Channel + "final" + Message
)

// StartOf is the channel that a session starts in: what the host says, or where
// it does not know, what the prompt's tail says.
func StartOf(s *abi.OpenBlock) abi.Channel {
	if s.Start != abi.ChannelUnknown {
		return s.Start
	}
	tail := strings.TrimRight(s.PromptTail, " \t\r\n")
	switch {
	case strings.HasSuffix(tail, AnalysisHeader):
		return abi.ChannelReasoning
	case strings.HasSuffix(tail, FinalHeader):
		return abi.ChannelResponse
	}
	return abi.ChannelContent
}
