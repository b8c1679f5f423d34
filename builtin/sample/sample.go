// Package sample writes turns as the families' models write them, for benchmarks
// and for tests that hold for every family.
package sample

import (
	"strconv"
	"strings"
)

// Pair is what stands before something and behind it.
type Pair [2]string

func (p Pair) Around(s string) string { return p[0] + s + p[1] }

// Grammar is how a family writes a turn: a thought, visible text, a call of f.
type Grammar struct {
	Thought, Text, Call Pair
	// Argument is one argument with a short value; # stands for its number.
	Argument string
	// String stands around the text of an argument that is a string, the call's last.
	String Pair
}

// Grammars are those of all unified parsers, by name.
var Grammars = map[string]Grammar{
	"beam": {
		Thought:  Pair{"<|channel|>analysis<|message|>", "<|end|><|start|>assistant"},
		Text:     Pair{"<|channel|>final<|message|>", "<|end|>"},
		Call:     Pair{"<|start|>assistant to=f<|channel|>analysis<|message|>", "<|call|>"},
		Argument: `<rfl:parameter name="a#">1</rfl:parameter>`, String: Pair{`<rfl:parameter name="s">`, "</rfl:parameter>"},
	},
	"deepseek_v3": deepseekV3,
	"deepseek_r1": deepseekV3,
	"deepseek_v4": {
		Thought: thinkTags, Call: Pair{`<｜DSML｜tool_calls><｜DSML｜invoke name="f">`, "</｜DSML｜invoke></｜DSML｜tool_calls>"},
		Argument: `<｜DSML｜parameter name="a#" string="false">1</｜DSML｜parameter>`,
		String:   Pair{`<｜DSML｜parameter name="s" string="true">`, "</｜DSML｜parameter>"},
	},
	"deepseek_v41": {
		Thought: thinkTags, Call: Pair{`<｜DSML｜ calls><｜DSML｜ invoke name="f">`, "</｜DSML｜ invoke></｜DSML｜ calls>"},
		Argument: `<｜DSML｜ parameter name="a#" string="false">1</｜DSML｜ parameter>`,
		String:   Pair{`<｜DSML｜ parameter name="s" string="true">`, "</｜DSML｜ parameter>"},
	},
	"gemma4": {
		Thought: Pair{"<|channel>thought\n", "<channel|>"}, Call: Pair{"<|tool_call>call:f{", "}<tool_call|>"},
		Argument: "a#:1,", String: Pair{`s:<|"|>`, `<|"|>`},
	},
	"glm": {
		Thought: thinkTags, Call: Pair{"<tool_call>f", "</tool_call>"},
		Argument: "<arg_key>a#</arg_key><arg_value>1</arg_value>", String: Pair{"<arg_key>s</arg_key><arg_value>", "</arg_value>"},
	},
	"harmony": jsonGrammar(Pair{"<|channel|>analysis<|message|>", "<|end|><|start|>assistant"}, Pair{"<|channel|>final<|message|>", "<|end|>"},
		"<|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>", "<|call|>"),
	"hermes": jsonGrammar(thinkTags, Pair{}, `<tool_call>{"name": "f", "arguments": `, "}</tool_call>"),
	"inkling": jsonGrammar(Pair{"<|content_thinking|>", "<|end_message|>"}, Pair{"<|message_model|><|content_text|>", "<|end_message|>"},
		`<|message_model|>f<|content_invoke_tool_json|>{"name": "f", "args": `, "}<|end_message|>"),
	"kimi_k2": jsonGrammar(thinkTags, Pair{},
		"<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>", "<|tool_call_end|><|tool_calls_section_end|>"),
	"kimi_k3": {
		Thought:  Pair{"<|open|>think<|sep|>", "<|close|>think<|sep|>"},
		Text:     Pair{"<|open|>response<|sep|>", "<|close|>response<|sep|>"},
		Call:     Pair{`<|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|>`, "<|close|>call<|sep|><|close|>tools<|sep|>"},
		Argument: `<|open|>argument key="a#" type="number"<|sep|>1<|close|>argument<|sep|>`,
		String:   Pair{`<|open|>argument key="s" type="string"<|sep|>`, "<|close|>argument<|sep|>"},
	},
	"llama3_json": jsonGrammar(Pair{}, Pair{}, `<|python_tag|>{"name": "f", "parameters": `, "}"),
	"markers":     jsonGrammar(thinkTags, Pair{}, `<tool_call>{"name": "f", "arguments": `, "}</tool_call>"),
	"minimax_m2": {
		Thought: thinkTags, Call: Pair{`<minimax:tool_call><invoke name="f">`, "</invoke></minimax:tool_call>"},
		Argument: `<parameter name="a#">1</parameter>`, String: Pair{`<parameter name="s">`, "</parameter>"},
	},
	"minimax_m3": {
		Thought:  Pair{"<mm:think>", "</mm:think>"},
		Call:     Pair{`]<]minimax[>[<tool_call>]<]minimax[>[<invoke name="f">`, "]<]minimax[>[</invoke>]<]minimax[>[</tool_call>"},
		Argument: "]<]minimax[>[<a#>1]<]minimax[>[</a#>", String: Pair{"]<]minimax[>[<s>", "]<]minimax[>[</s>"},
	},
	"mistral": jsonGrammar(Pair{"[THINK]", "[/THINK]"}, Pair{}, "[TOOL_CALLS]f[ARGS]", ""),
	"muse_glimmer": {
		Thought:  Pair{" to=self<|message|>", "<|eom|>"},
		Text:     Pair{"<|start|>assistant to=user<|message|>", "<|eom|>"},
		Call:     Pair{`<|start|>assistant to=f<|message|><atem:function_calls><atem:invoke name="f">`, "</atem:invoke></atem:function_calls><|eot|>"},
		Argument: `<atem:parameter name="a#">1</atem:parameter>`, String: Pair{`<atem:parameter name="s">`, "</atem:parameter>"},
	},
	"pythonic": {Call: Pair{"[f(", ")]"}, Argument: "a#=1, ", String: Pair{`s="`, `"`}},
	"qwen3":    functionGrammar(thinkTags, Pair{"<tool_call>", "</tool_call>"}),

	"nemotron_deci": jsonGrammar(thinkTags, Pair{}, `<TOOLCALL>[{"name": "f", "arguments": `, "}]</TOOLCALL>"),
	"nemotron_v3":   functionGrammar(thinkTags, Pair{"<tool_call>", "</tool_call>"}),
	"phi4":          jsonGrammar(Pair{}, Pair{}, `functools[{"name": "f", "arguments": `, "}]"),
	"granite": jsonGrammar(Pair{"Here is my thought process:", "Here is my response:"}, Pair{},
		`<|tool_call|>[{"name": "f", "arguments": `, "}]"),
	"granite4": jsonGrammar(Pair{}, Pair{}, `<tool_call>{"name": "f", "arguments": `, "}</tool_call>"),
	"seed_oss": {
		Thought: Pair{"<seed:think>", "</seed:think>"}, Call: Pair{"<seed:tool_call>\n<function=f>\n", "</function>\n</seed:tool_call>"},
		Argument: "<parameter=a#>1</parameter>\n", String: Pair{"<parameter=s>", "</parameter>\n"},
	},
	"hunyuan_a13b": jsonGrammar(thinkTags, Pair{}, `<tool_calls>[{"name": "f", "arguments": `, "}]</tool_calls>"),
	"hy_v3": {
		Thought: thinkTags, Call: Pair{"<tool_calls><tool_call>f<tool_sep>", "</tool_call></tool_calls>"},
		Argument: "<arg_key>a#</arg_key><arg_value>1</arg_value>", String: Pair{"<arg_key>s</arg_key><arg_value>", "</arg_value>"},
	},
	"step3": {
		Thought: thinkTags, Call: Pair{
			`<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="f">`,
			"</steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>",
		},
		Argument: `<steptml:parameter name="a#">1</steptml:parameter>`, String: Pair{`<steptml:parameter name="s">`, "</steptml:parameter>"},
	},
	"interns1": jsonGrammar(thinkTags, Pair{}, `<|action_start|><|plugin|>{"name": "f", "parameters": `, "}<|action_end|>"),
	"step3p5":  functionGrammar(thinkTags, Pair{"<tool_call>", "</tool_call>"}),
	"longcat": jsonGrammar(Pair{"<longcat_think>", "</longcat_think>"}, Pair{},
		`<longcat_tool_call>{"name": "f", "arguments": `, "}</longcat_tool_call>"),
	"ernie45": jsonGrammar(thinkTags, Pair{"<response>", "</response>"}, `<tool_call>{"name": "f", "arguments": `, "}</tool_call>"),
	"jamba":   jsonGrammar(Pair{}, Pair{}, `<tool_calls>[{"name": "f", "arguments": `, "}]</tool_calls>"),
	"lfm2": {
		Thought: thinkTags, Call: Pair{"<|tool_call_start|>[f(", ")]<|tool_call_end|>"},
		Argument: "a#=1, ", String: Pair{`s="`, `"`},
	},
	"olmo3": {
		Thought: thinkTags, Call: Pair{"<function_calls>f(", ")</function_calls>"},
		Argument: "a#=1, ", String: Pair{`s="`, `"`},
	},
}

var thinkTags = Pair{"<think>", "</think>"}

var deepseekV3 = jsonGrammar(thinkTags, Pair{},
	"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n", "\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>")

// jsonGrammar has calls whose arguments are a JSON object.
func jsonGrammar(thought, text Pair, lead, tail string) Grammar {
	return Grammar{
		Thought: thought, Text: text, Call: Pair{lead + "{", "}" + tail},
		Argument: `"a#": 1, `, String: Pair{`"s": "`, `"`},
	}
}

// functionGrammar has calls in Qwen's XML.
func functionGrammar(thought, block Pair) Grammar {
	return Grammar{
		Thought: thought, Call: Pair{block[0] + "\n<function=f>\n", "</function>\n" + block[1]},
		Argument: "<parameter=a#>\n1\n</parameter>\n", String: Pair{"<parameter=s>\n", "\n</parameter>\n"},
	}
}

// Text for thoughts and answers, and for strings.
const (
	Prose = "A cache is only as good as its keys, and that's why we look at \"cold\" starts first; the rest (see [1]) follows.\n\n"
	Code  = "if x < 3 then\n  print('cache [' .. x .. ']: <b>miss</b>')\nend\n"
)

// Filled repeats unit up to n bytes.
func Filled(unit string, n int) string { return strings.Repeat(unit, n/len(unit)+1)[:n] }

// LongCall is a call with n bytes of arguments.
func (g *Grammar) LongCall(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(strings.ReplaceAll(g.Argument, "#", strconv.Itoa(i)))
	}
	return g.Call.Around(b.String() + g.String.Around("end"))
}

// LongString is a call with one argument, a string of n bytes.
func (g *Grammar) LongString(n int) string {
	return g.Call.Around(g.String.Around(g.quoted(Filled(Code, n))))
}

// quoted is text as it stands in a string: JSON and Python escape line feeds.
func (g *Grammar) quoted(text string) string {
	if strings.HasSuffix(g.String[0], `"`) {
		return strings.ReplaceAll(text, "\n", `\n`)
	}
	return text
}

// Answer is a turn of about 2,000 tokens, of 4 bytes each: a thought, where the
// family has them, an answer, and a call that writes 1,600 bytes.
func (g *Grammar) Answer() string {
	said := g.Text.Around(Filled(Prose, 3200))
	if g.Thought == (Pair{}) {
		said += g.Text.Around(Filled(Prose, 3200))
	} else {
		said = g.Thought.Around(Filled(Prose, 3200)) + said
	}
	return said + g.Call.Around(strings.ReplaceAll(g.Argument, "#", "1")+g.String.Around(g.quoted(Filled(Code, 1500))))
}
