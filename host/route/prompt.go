package route

import (
	"strings"
	"unicode"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/host/openai"
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
	look(p.Prompt.Response, closed(p))
	return found
}

// assumed is the channel that a prompt leaves open that is not known: the
// operator's word, else the family's, for a template that opens the thought where
// the model is to think and closes it where not.
func assumed(p *manifest.Parser, opens abi.Channel, mode openai.Thinking) abi.Channel {
	t := p.Thinking
	if opens == abi.ChannelUnknown && t != nil && t.Opens {
		opens = abi.ChannelReasoning
	}
	if opens != abi.ChannelReasoning {
		return opens
	}
	if mode == openai.ThinkingOn || mode != openai.ThinkingOff && (t == nil || t.Default != "off") {
		return abi.ChannelReasoning
	}
	return closed(p)
}

// closed is the channel behind a thought that the prompt has closed.
func closed(p *manifest.Parser) abi.Channel {
	if p.Prompt != nil && p.Prompt.ClosedPair == "none" {
		return abi.ChannelContent
	}
	return abi.ChannelResponse
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
