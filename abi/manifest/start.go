package manifest

import (
	"regexp"
	"slices"
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

// Unseen is what decides START where nobody knows the rendered prompt.
type Unseen struct {
	// Opens is what the operator says that a prompt leaves open where the model is to
	// think; abi.ChannelUnknown leaves it to the manifest.
	Opens abi.Channel
	// Models are the model's names, the surest first.
	Models []string
	// On and Off say that the model is or is not to think; neither is the family's
	// default. Told says that its chat template is told so, by one of the controls.
	On, Off, Told bool
}

// StartUnseen decides START of a session whose rendered prompt nobody knows. A prompt
// that would open a thought closes it where the model is not to think.
// abi.ChannelUnknown is left to the parser.
func (p *Parser) StartUnseen(u Unseen) abi.Channel {
	opens := u.Opens
	if opens == abi.ChannelUnknown {
		opens = p.opensUnseen(&u)
	}
	thinks := u.On || !u.Off && (p.ThinksByDefault() || p.opensByName(u.Models))
	if opens == abi.ChannelReasoning && !thinks {
		return p.startAfterThought()
	}
	return opens
}

// opensUnseen is what a prompt leaves open where the model is to think, by the facts of
// the manifest.
func (p *Parser) opensUnseen(u *Unseen) abi.Channel {
	t := p.Thinking
	switch {
	case t == nil:
		return abi.ChannelUnknown
	case p.NeverThinks(u.Models):
		return abi.ChannelContent
	case t.Opens, p.opensByName(u.Models), t.OpensIfAsked && u.Told:
		return abi.ChannelReasoning
	}
	return abi.ChannelUnknown
}

// OpensByDefault says whether the prompt of a model of these names opens a thought
// where nobody says a word.
func (p *Parser) OpensByDefault(models []string) bool {
	return p.Thinking != nil && !p.NeverThinks(models) && (p.Thinking.Opens || p.opensByName(models))
}

// MayOpen says that the family's templates differ, and nothing tells which a model of
// these names has: whether its prompt opens a thought can't be known without it.
func (p *Parser) MayOpen(models []string) bool {
	return p.Thinking != nil && p.Thinking.OpensIfAsked && !p.OpensByDefault(models) && !p.NeverThinks(models)
}

// NeverThinks says whether a model of these names is known to have no thoughts.
func (p *Parser) NeverThinks(models []string) bool {
	return p.Thinking != nil && p.byName(models) == noThoughts
}

func (p *Parser) opensByName(models []string) bool {
	return p.Thinking != nil && p.byName(models) == opensThought
}

// nameFact is what a model's name tells.
type nameFact uint8

const (
	tellsNothing nameFact = iota
	opensThought
	noThoughts
)

// byName is what the first of the names tells that tells anything.
func (p *Parser) byName(models []string) nameFact {
	for _, name := range models {
		matches := func(re *regexp.Regexp) bool { return re.MatchString(name) }
		switch {
		case slices.ContainsFunc(p.Thinking.noneFor, matches):
			return noThoughts
		case slices.ContainsFunc(p.Thinking.opensFor, matches):
			return opensThought
		}
	}
	return tellsNothing
}

// StartWithin decides START of a session that goes on within the model's own turn: in
// its thought, or in its answer, which a thought can't precede any more.
func (p *Parser) StartWithin(thought bool) abi.Channel {
	if thought {
		return abi.ChannelReasoning
	}
	return p.startAfterThought()
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
