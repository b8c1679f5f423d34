package minimax

import (
	_ "embed"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/structag"
	"github.com/turnkey-parsers/turnkey/builtin/internal/toolblock"
	"github.com/turnkey-parsers/turnkey/builtin/internal/turn"
	"github.com/turnkey-parsers/turnkey/sdk"
)

//go:embed manifest.json
var manifest string

// Module is the family's parser module.
var Module = sdk.Module{Manifest: manifest, New: newParser, Constraint: buildConstraint}

var m2 = turn.New(turn.Config{
	Think: "<think>", EndThink: "</think>",
	Block: toolblock.Config{
		Open: "<minimax:tool_call>", Close: "</minimax:tool_call>",
		XML: &toolblock.XML{
			Function: "<invoke name=", FunctionClose: "</invoke>",
			Parameter: "<parameter name=", ParameterClose: "</parameter>",
			Verbatim: true, LastWins: true,
		},
	},
})

var m2Calls = structag.Calls{
	Trigger:  "<minimax:tool_call>",
	Begin:    "<minimax:tool_call>\n<invoke name=\"$\">\n",
	End:      "</invoke>\n</minimax:tool_call>",
	Style:    "minimax_xml",
	EndThink: "</think>",
	Banned:   []string{"<minimax:tool_call>", "<invoke name="},
}

func newParser(s *abi.OpenBlock) sdk.Parser {
	switch family, kind := sdk.SplitName(s.Parser); family {
	case "minimax_m2":
		return m2.Parser(s, kind)
	case "minimax_m3":
		return newM3(s, kind)
	case "minimax_append_think":
		return appendThink{}
	}
	return nil
}

func buildConstraint(s *abi.OpenBlock) []byte {
	if family, _ := sdk.SplitName(s.Parser); family != "minimax_m2" {
		return nil
	}
	return m2Calls.Build(s)
}

// appendThink leaves the thoughts in the text, with their tags, for clients that
// take them out themselves.
type appendThink struct{}

// Channel implements sdk.Channeler.
func (appendThink) Channel() abi.Channel { return abi.ChannelContent }

// Step implements sdk.Parser.
func (appendThink) Step(w *sdk.Window) {
	w.Text(w.Len())
	w.Watch(abi.Text, nil)
}
