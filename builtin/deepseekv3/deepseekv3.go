package deepseekv3

import (
	_ "embed"
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
)

//go:embed manifest.json
var manifest string

// Module is the family's parser module.
var Module = sdk.Module{Manifest: manifest, New: newParser}

const (
	think    = "<think>"
	endThink = "</think>"
)

var (
	thoughts = prose.Compile(prose.Markers{Think: []string{think}, EndThink: []string{endThink}})
	nothing  = prose.Compile(prose.Markers{})
)

func newParser(open *abi.Session) sdk.Parser {
	if open.Parser != "deepseek_r1" {
		return nil
	}
	start := channel(open)
	if start == abi.ChannelUnknown {
		start = abi.ChannelContent
		if open.Flags&abi.OpenReasoning != 0 {
			start = abi.ChannelReasoning
		}
	}
	p := &parser{start: start}
	g := thoughts
	if start == abi.ChannelResponse {
		g = nothing
	}
	p.prose.Start(g, start == abi.ChannelReasoning)
	return p
}

// channel is the channel that the prompt left open, by its tail where the host
// does not say; unknown where there is none.
func channel(open *abi.Session) abi.Channel {
	tail := strings.TrimRight(open.PromptTail, " \t\r\n")
	switch {
	case open.Start != abi.ChannelUnknown, tail == "":
		return open.Start
	case strings.HasSuffix(tail, endThink):
		return abi.ChannelResponse
	case strings.HasSuffix(tail, think):
		return abi.ChannelReasoning
	}
	return abi.ChannelContent
}

// parser reads one session.
type parser struct {
	start abi.Channel
	prose prose.Machine
}

// Channel implements sdk.Channeler.
func (p *parser) Channel() abi.Channel { return p.start }

// Step implements sdk.Parser.
func (p *parser) Step(w *sdk.Window) { p.prose.Next(w) }
