package route

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
)

// channel is the channel that a prompt with this end leaves open. A marker
// counts only at the very end, and white space does not count at all. Of several
// that fit, the longest decides.
func channel(p *manifest.Parser, tail string) abi.Channel {
	if p.Prompt == nil {
		return abi.ChannelContent
	}
	tail = squeeze(tail)
	found, longest := abi.ChannelContent, 0
	look := func(markers []string, c abi.Channel) {
		for _, m := range markers {
			if m = squeeze(m); len(m) > longest && strings.HasSuffix(tail, m) {
				found, longest = c, len(m)
			}
		}
	}
	look(p.Prompt.Reasoning, abi.ChannelReasoning)
	response := abi.ChannelResponse
	if p.Prompt.ClosedPair == "none" {
		response = abi.ChannelContent
	}
	look(p.Prompt.Response, response)
	return found
}

// squeeze takes all white space out.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// cutTail keeps the last bytes of a prompt that the open block has room for.
func cutTail(prompt string) string {
	if len(prompt) <= abi.MaxPromptTail {
		return prompt
	}
	prompt = prompt[len(prompt)-abi.MaxPromptTail:]
	for len(prompt) > 0 && !utf8.RuneStart(prompt[0]) {
		prompt = prompt[1:]
	}
	return prompt
}
