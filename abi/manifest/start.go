package manifest

import (
	"strings"
	"unicode"

	"github.com/turnkey-parsers/turnkey/abi"
)

// StartAfter decides START of a session whose rendered prompt ends with tail: the
// channel that the prompt leaves open, by the parser's prompt markers. A marker
// counts only at the very end, and white space does not count at all, in the
// markers as in the tail. Of several markers that fit, the longest decides; where
// none fits nothing is open, which is the content channel. It never answers
// abi.ChannelUnknown.
func (p *Parser) StartAfter(tail string) abi.Channel {
	if p.Prompt == nil {
		return abi.ChannelContent
	}
	tail = withoutSpace(tail)
	start, longest := abi.ChannelContent, 0
	match := func(markers []string, c abi.Channel) {
		for _, marker := range markers {
			if marker = withoutSpace(marker); len(marker) > longest && strings.HasSuffix(tail, marker) {
				start, longest = c, len(marker)
			}
		}
	}
	match(p.Prompt.Reasoning, abi.ChannelReasoning)
	match(p.Prompt.Response, p.startAfterThought())
	return start
}

// StartUnseen decides START of a session whose rendered prompt nobody knows.
// opens is what the operator says that a prompt leaves open where the model is to
// think, abi.ChannelUnknown to go by thinking.opens of the manifest; thinks says
// whether it is to think. A prompt that would open a thought closes it where the
// model is not to think. abi.ChannelUnknown is left to the parser.
func (p *Parser) StartUnseen(opens abi.Channel, thinks bool) abi.Channel {
	if opens == abi.ChannelUnknown && p.Thinking != nil && p.Thinking.Opens {
		opens = abi.ChannelReasoning
	}
	if opens == abi.ChannelReasoning && !thinks {
		return p.startAfterThought()
	}
	return opens
}

// ThinksByDefault says whether the model thinks where neither the request nor the
// operator says so.
func (p *Parser) ThinksByDefault() bool {
	return p.Thinking == nil || p.Thinking.Default != "off"
}

// startAfterThought is the channel behind a thought that the prompt has closed.
func (p *Parser) startAfterThought() abi.Channel {
	if p.Prompt != nil && p.Prompt.ClosedPair == "none" {
		return abi.ChannelContent
	}
	return abi.ChannelResponse
}

func withoutSpace(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}
