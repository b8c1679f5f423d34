package tagged

import (
	_ "embed"
	"sync"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/pycall"
	"github.com/turnkey-parsers/turnkey/builtin/internal/toolblock"
	"github.com/turnkey-parsers/turnkey/builtin/internal/turn"
	"github.com/turnkey-parsers/turnkey/sdk"
)

//go:embed manifest.json
var described string

// Module is the module of all families here.
var Module = sdk.Module{Manifest: described, New: newParser}

func newParser(s *abi.OpenBlock) sdk.Parser {
	family, kind := sdk.SplitName(s.Parser)
	grammar := families[family]
	if grammar == nil {
		return nil
	}
	g := grammar()
	if kind == sdk.Reasoning && g.EndThink == "" {
		return nil
	}
	return g.Parser(s, kind)
}

// families are the grammars by the names of their unified parsers. A grammar's
// tables are built when it is first asked for.
var families = map[string]func() *turn.Grammar{
	"nemotron_deci": family(thinks(turn.Config{Block: jsonBlock("<TOOLCALL>", "</TOOLCALL>")})),
	"nemotron_v3": family(opened(thinks(turn.Config{
		Block: toolblock.Config{Open: "<tool_call>", Close: "</tool_call>", XML: toolblock.Functions},
	}))),
	"phi4": family(turn.Config{Block: jsonBlock("functools[", "")}),
	"granite": family(turn.Config{
		Think: "Here is my thought process:", ThinkForms: []string{"Here's my thought process:"},
		EndThink: "Here is my response:", EndThinkForms: []string{"Here's my response:"},
		Once:  true,
		Strip: []string{"</tool_call>"},
		Block: toolblock.Config{Open: "<|tool_call|>", OpenForms: []string{"<tool_call>"}, JSON: true},
	}),
	"granite4": family(turn.Config{Block: jsonBlock("<tool_call>", "</tool_call>")}),
	"seed_oss": family(turn.Config{
		Think: "<seed:think>", EndThink: "</seed:think>",
		Block: toolblock.Config{Open: "<seed:tool_call>", Close: "</seed:tool_call>", XML: toolblock.Functions},
	}),
	"hunyuan_a13b": family(turn.Config{
		Think: "<think>", ThinkForms: []string{"<think>\n"},
		EndThink: "</think>", EndThinkForms: []string{"\n</think>\n", "\n</think>", "</think>\n"},
		Envelope: []string{"<answer>\n", "<answer>", "\n</answer>", "</answer>"},
		Block:    jsonBlock("<tool_calls>", "</tool_calls>"),
	}),
	"hy_v3": family(thinks(turn.Config{
		Block: toolblock.Config{Open: "<tool_calls>", Close: "</tool_calls>", XML: &toolblock.XML{
			Function: "<tool_call>", NameEnd: "<tool_sep>", FunctionClose: "</tool_call>",
			Parameter: "<arg_key>", KeyEnd: "</arg_key>", Value: "<arg_value>", ParameterClose: "</arg_value>",
			Verbatim: true,
		}},
	})),
	"step3p5": family(opened(turn.Config{
		Think: "<think>", ThinkForms: []string{"<think>\n"},
		EndThink: "</think>", EndThinkForms: []string{"\n</think>\n", "\n</think>", "</think>\n"},
		Block: toolblock.Config{Open: "<tool_call>", Close: "</tool_call>", XML: toolblock.Functions},
	})),
	"longcat": family(turn.Config{
		Think: "<longcat_think>", EndThink: "</longcat_think>",
		Block: jsonBlock("<longcat_tool_call>", "</longcat_tool_call>"),
	}),
	"ernie45": family(opened(turn.Config{
		Think: "<think>", EndThink: "</think>", EndThinkForms: []string{"</think>\n", "</think>\n\n"},
		Envelope: []string{"<response>\n", "<response>", "\n</response>", "</response>"},
		Block:    jsonBlock("<tool_call>", "</tool_call>"),
	})),
	"jamba": family(turn.Config{Block: jsonBlock("<tool_calls>", "</tool_calls>")}),
	"lfm2": family(thinks(turn.Config{Block: toolblock.Config{
		Open: "<|tool_call_start|>", Close: "<|tool_call_end|>", JSON: true,
		Python: &pycall.Form{Dotted: true, Sure: true},
	}})),
	"olmo3": family(opened(thinks(turn.Config{Block: toolblock.Config{
		Open: "<function_calls>", Close: "</function_calls>", Python: &pycall.Form{Lines: true, Sure: true},
	}}))),
}

func family(c turn.Config) func() *turn.Grammar {
	return sync.OnceValue(func() *turn.Grammar { return turn.New(c) })
}

// thinks gives a turn the think tags that most models have.
func thinks(c turn.Config) turn.Config {
	c.Think, c.EndThink = "<think>", "</think>"
	return c
}

// opened is for checkpoints whose prompt opens the thought.
func opened(c turn.Config) turn.Config {
	c.PromptOpens = true
	return c
}

// jsonBlock is a block that holds a JSON call object, or an array of them.
func jsonBlock(open, closer string) toolblock.Config {
	return toolblock.Config{Open: open, Close: closer, JSON: true}
}
