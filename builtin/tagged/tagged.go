package tagged

import (
	_ "embed"
	"sync"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/pycall"
	"github.com/turnkey-parsers/turnkey/builtin/internal/toolblock"
	"github.com/turnkey-parsers/turnkey/builtin/internal/turn"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

//go:embed manifest.json
var described string

// Module is the module of all families here.
var Module = sdk.Module{Manifest: described, New: newParser}

func newParser(s *abi.OpenBlock) sdk.Parser {
	family, kind := sdk.SplitName(s.Parser)
	grammar := families[family]
	switch {
	case family == suffixedFamily:
		return newSuffixed(s, kind)
	case grammar == nil:
		return nil
	}
	g := grammar()
	if kind == sdk.Reasoning && g.EndThink == "" {
		return nil
	}
	p := g.Parser(s, kind)
	if role := roleWords[family]; role != "" && s.Mode == abi.ModeNative {
		return &roleWord{Parser: p, word: role}
	}
	return p
}

// roleWords are what the answers of some checkpoints begin with, before the output's
// first byte that is meant for somebody.
var roleWords = map[string]string{"hunyuan_a13b": "助手："}

// roleWord takes the word off that the output begins with.
type roleWord struct {
	sdk.Parser
	word string // "" once it was looked for
}

// Channel implements sdk.Channeler.
func (p *roleWord) Channel() abi.Channel { return p.Parser.(sdk.Channeler).Channel() }

// Step implements sdk.Parser.
func (p *roleWord) Step(w *sdk.Window) {
	if p.word != "" {
		switch scan.Prefix(w.Bytes(), p.word, w.Final) {
		case scan.Wait:
			return
		case scan.Yes:
			w.Skip(len(p.word))
		}
		p.word = ""
	}
	p.Parser.Step(w)
}

// families are the grammars by the names of their unified parsers. A grammar's
// tables are built when it is first asked for.
var families = map[string]func() *turn.Grammar{
	"nemotron_deci": lazyGrammar(withThink(turn.Config{Block: jsonBlockConfig("<TOOLCALL>", "</TOOLCALL>")})),
	"nemotron_v3": lazyGrammar(withPromptThink(withThink(turn.Config{
		Block: toolblock.Config{Open: "<tool_call>", Close: "</tool_call>", XML: toolblock.Functions},
	}))),
	"phi4": lazyGrammar(turn.Config{Block: jsonBlockConfig("functools[", "")}),
	"granite": lazyGrammar(turn.Config{
		Think: "Here is my thought process:", ThinkForms: []string{"Here's my thought process:"},
		EndThink: "Here is my response:", EndThinkForms: []string{"Here's my response:"},
		Once:  true,
		Strip: []string{"</tool_call>"},
		Block: toolblock.Config{Open: "<|tool_call|>", OpenForms: []string{"<tool_call>"}, JSON: true},
	}),
	"granite4": lazyGrammar(turn.Config{Block: jsonBlockConfig("<tool_call>", "</tool_call>")}),
	"seed_oss": lazyGrammar(turn.Config{
		Think: "<seed:think>", EndThink: "</seed:think>",
		Block: toolblock.Config{Open: "<seed:tool_call>", Close: "</seed:tool_call>", XML: &toolblock.XML{
			Function: "<function=", FunctionClose: "</function>",
			Parameter: "<parameter=", ParameterClose: "</parameter>",
			Verbatim: true,
		}},
	}),
	"hunyuan_a13b": lazyGrammar(turn.Config{
		Think: "<think>", ThinkForms: []string{"<think>\n"},
		EndThink: "</think>", EndThinkForms: []string{"\n</think>\n", "\n</think>", "</think>\n", "</think>助手：", "\n</think>\n助手："},
		Envelope: []string{"<answer>\n助手：", "<answer>助手：", "<answer>\n", "<answer>", "\n</answer>", "</answer>"},
		Block:    jsonBlockConfig("<tool_calls>", "</tool_calls>"),
	}),
	"step3p5": lazyGrammar(withPromptThink(turn.Config{
		Think: "<think>", ThinkForms: []string{"<think>\n"},
		EndThink: "</think>", EndThinkForms: []string{"\n</think>\n", "\n</think>", "</think>\n"},
		Block: toolblock.Config{Open: "<tool_call>", Close: "</tool_call>", XML: toolblock.Functions},
	})),
	"step3": lazyGrammar(withPromptThink(withThink(turn.Config{
		Strip: []string{"<｜tool_call_end｜>"},
		Block: toolblock.Config{
			Open: "<｜tool_calls_begin｜>", Close: "<｜tool_calls_end｜>", OpenForms: []string{
				"<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>", "<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜>",
			},
			XML: &toolblock.XML{
				Function: "<steptml:invoke name=", FunctionClose: "</steptml:invoke>",
				Parameter: "<steptml:parameter name=", ParameterClose: "</steptml:parameter>",
				Verbatim: true,
			},
		},
	}))),
	"interns1": lazyGrammar(withThink(turn.Config{Block: toolblock.Config{
		Open: "<|action_start|><|plugin|>", OpenForms: []string{"<|action_start|> <|plugin|>", "<|action_start|>\n<|plugin|>"},
		Close: "<|action_end|>", JSON: true,
	}})),
	"longcat": lazyGrammar(turn.Config{
		Think: "<longcat_think>", EndThink: "</longcat_think>",
		Block: jsonBlockConfig("<longcat_tool_call>", "</longcat_tool_call>"),
	}),
	"ernie45": lazyGrammar(withPromptThink(turn.Config{
		Think: "<think>", EndThink: "</think>", EndThinkForms: []string{"</think>\n", "</think>\n\n"},
		Envelope: []string{"<response>\n", "<response>", "\n</response>", "</response>"},
		Block:    jsonBlockConfig("<tool_call>", "</tool_call>"),
	})),
	"jamba": lazyGrammar(turn.Config{Block: jsonBlockConfig("<tool_calls>", "</tool_calls>")}),
	"lfm2": lazyGrammar(withThink(turn.Config{Echo: true, Block: toolblock.Config{
		Open: "<|tool_call_start|>", Close: "<|tool_call_end|>", JSON: true,
		Python: &pycall.Form{Dotted: true, Sure: true},
	}})),
	"olmo3": lazyGrammar(withPromptThink(withThink(turn.Config{Block: toolblock.Config{
		Open: "<function_calls>", Close: "</function_calls>", Python: &pycall.Form{Lines: true, Sure: true},
	}}))),
}

func lazyGrammar(c turn.Config) func() *turn.Grammar {
	return sync.OnceValue(func() *turn.Grammar { return turn.New(c) })
}

// withThink gives a turn the think tags that most models have.
func withThink(c turn.Config) turn.Config {
	c.Think, c.EndThink = "<think>", "</think>"
	return c
}

// withPromptThink is for checkpoints whose prompt opens the thought.
func withPromptThink(c turn.Config) turn.Config {
	c.PromptOpens = true
	return c
}

// jsonBlockConfig is a block that holds a JSON call object, or an array of them.
func jsonBlockConfig(open, closer string) toolblock.Config {
	return toolblock.Config{Open: open, Close: closer, JSON: true}
}
