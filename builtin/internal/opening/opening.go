// Package opening decides, when a session opens, what of a turn it reads.
package opening

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/guided"
)

// Opening is what a session reads. Thoughts and Calls are 1 where think tags, and
// where calls, are read, and 0 where they are text: they index a grammar's tables.
type Opening struct {
	StartChannel
	Thoughts, Calls int

	session *abi.OpenBlock
	guided  bool
}

// For decides for a parser of that kind, in a session whose text begins on channel
// start. Where the request offers no tools nothing is a call. Where the prompt left
// the visible channel open (response), think tags are text.
func For(s *abi.OpenBlock, kind sdk.Kind, start abi.Channel) Opening {
	o := Opening{StartChannel: StartChannel(start), session: s, guided: kind.Calls() && s.Mode != abi.ModeNative}
	switch {
	case !kind.Thoughts():
		o.StartChannel = StartChannel(abi.ChannelContent)
	case start != abi.ChannelResponse:
		o.Thoughts = 1
	}
	if kind.Calls() && !o.guided && len(s.Tools) > 0 {
		o.Calls = 1
	}
	return o
}

// InThought says whether the text begins in a thought.
func (o *Opening) InThought() bool { return o.StartChannel == StartChannel(abi.ChannelReasoning) }

// Guided gives the parser of a session in a guided mode, by whether thoughts are
// read, and nil in native mode. native makes the parser of native calls.
func (o *Opening) Guided(byThoughts *[2]*guided.Grammar, native guided.Native) sdk.Parser {
	if !o.guided {
		return nil
	}
	open := *o.session
	open.Start = o.Channel()
	return guidedParser{guided.New(byThoughts[o.Thoughts], &open, native), o.StartChannel}
}

// guidedParser is the parser of a guided mode, which reports its channel.
type guidedParser struct {
	sdk.Parser
	StartChannel
}

// Trial is prose.Machine.Trial for the session of s, whose parser open makes: it opens
// another such session within the text.
func Trial(s *abi.OpenBlock, kind sdk.Kind, open func(*abi.OpenBlock, sdk.Kind) sdk.Parser) func(thought bool) sdk.Parser {
	return func(thought bool) sdk.Parser {
		within := *s
		within.PromptTail = ""
		switch {
		case thought:
			within.Start = abi.ChannelReasoning
		case s.Start != abi.ChannelResponse:
			within.Start = abi.ChannelContent
		}
		return open(&within, kind)
	}
}

// StartChannel is the channel that was open at the start, for a parser to embed.
type StartChannel abi.Channel

// Channel implements sdk.Channeler.
func (c StartChannel) Channel() abi.Channel { return abi.Channel(c) }

var _ sdk.Channeler = guidedParser{}
