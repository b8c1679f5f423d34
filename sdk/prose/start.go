package prose

import (
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
)

// Channel is the channel that a session starts in: what the host says, or where
// it does not know, what the prompt's tail says. A tail that ends with think, up
// to white space, leaves a thought open; one that ends with think and endThink,
// with nothing but white space between, leaves closed open.
func Channel(open *abi.OpenBlock, think, endThink string, closed abi.Channel) abi.Channel {
	if open.Start != abi.ChannelUnknown {
		return open.Start
	}
	tail := trimRight(open.PromptTail)
	if strings.HasSuffix(tail, think) {
		return abi.ChannelReasoning
	}
	if before, ok := strings.CutSuffix(tail, endThink); ok && strings.HasSuffix(trimRight(before), think) {
		return closed
	}
	return abi.ChannelContent
}

func trimRight(s string) string { return strings.TrimRight(s, " \t\r\n") }
