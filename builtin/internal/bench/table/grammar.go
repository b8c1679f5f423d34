package main

import (
	"fmt"
	"strconv"
	"strings"
)

// pair is what stands before something and behind it.
type pair [2]string

func (p pair) around(s string) string { return p[0] + s + p[1] }

// grammar is how a family writes a turn: a thought, visible text, a call of f.
type grammar struct {
	thought, text, call pair
	// argument is one argument with a short value; # stands for its number.
	argument string
	// long stands around the text of an argument that is a string, the call's last.
	long pair
}

// grammars are those of all unified parsers, by name.
var grammars = map[string]grammar{
	"beam": {
		thought:  pair{"<|channel|>analysis<|message|>", "<|end|><|start|>assistant"},
		text:     pair{"<|channel|>final<|message|>", "<|end|>"},
		call:     pair{"<|start|>assistant to=f<|channel|>analysis<|message|>", "<|call|>"},
		argument: `<rfl:parameter name="a#">1</rfl:parameter>`, long: pair{`<rfl:parameter name="s">`, "</rfl:parameter>"},
	},
	"deepseek_v3": deepseekV3,
	"deepseek_r1": deepseekV3,
	"deepseek_v4": {
		thought: thinkTags, call: pair{`<｜DSML｜tool_calls><｜DSML｜invoke name="f">`, "</｜DSML｜invoke></｜DSML｜tool_calls>"},
		argument: `<｜DSML｜parameter name="a#" string="false">1</｜DSML｜parameter>`,
		long:     pair{`<｜DSML｜parameter name="s" string="true">`, "</｜DSML｜parameter>"},
	},
	"deepseek_v41": {
		thought: thinkTags, call: pair{`<｜DSML｜ calls><｜DSML｜ invoke name="f">`, "</｜DSML｜ invoke></｜DSML｜ calls>"},
		argument: `<｜DSML｜ parameter name="a#" string="false">1</｜DSML｜ parameter>`,
		long:     pair{`<｜DSML｜ parameter name="s" string="true">`, "</｜DSML｜ parameter>"},
	},
	"gemma4": {
		thought: pair{"<|channel>thought\n", "<channel|>"}, call: pair{"<|tool_call>call:f{", "}<tool_call|>"},
		argument: "a#:1,", long: pair{`s:<|"|>`, `<|"|>`},
	},
	"glm": {
		thought: thinkTags, call: pair{"<tool_call>f", "</tool_call>"},
		argument: "<arg_key>a#</arg_key><arg_value>1</arg_value>", long: pair{"<arg_key>s</arg_key><arg_value>", "</arg_value>"},
	},
	"harmony": jsonGrammar(pair{"<|channel|>analysis<|message|>", "<|end|><|start|>assistant"}, pair{"<|channel|>final<|message|>", "<|end|>"},
		"<|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>", "<|call|>"),
	"hermes": jsonGrammar(thinkTags, pair{}, `<tool_call>{"name": "f", "arguments": `, "}</tool_call>"),
	"inkling": jsonGrammar(pair{"<|content_thinking|>", "<|end_message|>"}, pair{"<|message_model|><|content_text|>", "<|end_message|>"},
		`<|message_model|>f<|content_invoke_tool_json|>{"name": "f", "args": `, "}<|end_message|>"),
	"kimi_k2": jsonGrammar(thinkTags, pair{},
		"<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>", "<|tool_call_end|><|tool_calls_section_end|>"),
	"kimi_k3": {
		thought:  pair{"<|open|>think<|sep|>", "<|close|>think<|sep|>"},
		text:     pair{"<|open|>response<|sep|>", "<|close|>response<|sep|>"},
		call:     pair{`<|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|>`, "<|close|>call<|sep|><|close|>tools<|sep|>"},
		argument: `<|open|>argument key="a#" type="number"<|sep|>1<|close|>argument<|sep|>`,
		long:     pair{`<|open|>argument key="s" type="string"<|sep|>`, "<|close|>argument<|sep|>"},
	},
	"llama3_json": jsonGrammar(pair{}, pair{}, `<|python_tag|>{"name": "f", "parameters": `, "}"),
	"markers":     jsonGrammar(thinkTags, pair{}, `<tool_call>{"name": "f", "arguments": `, "}</tool_call>"),
	"minimax_m2": {
		thought: thinkTags, call: pair{`<minimax:tool_call><invoke name="f">`, "</invoke></minimax:tool_call>"},
		argument: `<parameter name="a#">1</parameter>`, long: pair{`<parameter name="s">`, "</parameter>"},
	},
	"minimax_m3": {
		thought:  pair{"<mm:think>", "</mm:think>"},
		call:     pair{`]<]minimax[>[<tool_call>]<]minimax[>[<invoke name="f">`, "]<]minimax[>[</invoke>]<]minimax[>[</tool_call>"},
		argument: "]<]minimax[>[<a#>1]<]minimax[>[</a#>", long: pair{"]<]minimax[>[<s>", "]<]minimax[>[</s>"},
	},
	"mistral": jsonGrammar(pair{"[THINK]", "[/THINK]"}, pair{}, "[TOOL_CALLS]f[ARGS]", ""),
	"muse_glimmer": {
		thought:  pair{" to=self<|message|>", "<|eom|>"},
		text:     pair{"<|start|>assistant to=user<|message|>", "<|eom|>"},
		call:     pair{`<|start|>assistant to=f<|message|><atem:function_calls><atem:invoke name="f">`, "</atem:invoke></atem:function_calls><|eot|>"},
		argument: `<atem:parameter name="a#">1</atem:parameter>`, long: pair{`<atem:parameter name="s">`, "</atem:parameter>"},
	},
	"pythonic": {call: pair{"[f(", ")]"}, argument: "a#=1, ", long: pair{`s="`, `"`}},
	"qwen3":    functions(thinkTags, pair{"<tool_call>", "</tool_call>"}),

	"nemotron_deci": jsonGrammar(thinkTags, pair{}, `<TOOLCALL>[{"name": "f", "arguments": `, "}]</TOOLCALL>"),
	"nemotron_v3":   functions(thinkTags, pair{"<tool_call>", "</tool_call>"}),
	"phi4":          jsonGrammar(pair{}, pair{}, `functools[{"name": "f", "arguments": `, "}]"),
	"granite": jsonGrammar(pair{"Here is my thought process:", "Here is my response:"}, pair{},
		`<|tool_call|>[{"name": "f", "arguments": `, "}]"),
	"granite4":     jsonGrammar(pair{}, pair{}, `<tool_call>{"name": "f", "arguments": `, "}</tool_call>"),
	"seed_oss":     functions(pair{"<seed:think>", "</seed:think>"}, pair{"<seed:tool_call>", "</seed:tool_call>"}),
	"hunyuan_a13b": jsonGrammar(thinkTags, pair{}, `<tool_calls>[{"name": "f", "arguments": `, "}]</tool_calls>"),
	"hy_v3": {
		thought: thinkTags, call: pair{"<tool_calls><tool_call>f<tool_sep>", "</tool_call></tool_calls>"},
		argument: "<arg_key>a#</arg_key><arg_value>1</arg_value>", long: pair{"<arg_key>s</arg_key><arg_value>", "</arg_value>"},
	},
	"step3p5": functions(thinkTags, pair{"<tool_call>", "</tool_call>"}),
	"longcat": jsonGrammar(pair{"<longcat_think>", "</longcat_think>"}, pair{},
		`<longcat_tool_call>{"name": "f", "arguments": `, "}</longcat_tool_call>"),
	"ernie45": jsonGrammar(thinkTags, pair{"<response>", "</response>"}, `<tool_call>{"name": "f", "arguments": `, "}</tool_call>"),
	"jamba":   jsonGrammar(pair{}, pair{}, `<tool_calls>[{"name": "f", "arguments": `, "}]</tool_calls>"),
	"lfm2": {
		thought: thinkTags, call: pair{"<|tool_call_start|>[f(", ")]<|tool_call_end|>"},
		argument: "a#=1, ", long: pair{`s="`, `"`},
	},
	"olmo3": {
		thought: thinkTags, call: pair{"<function_calls>f(", ")</function_calls>"},
		argument: "a#=1, ", long: pair{`s="`, `"`},
	},
}

var thinkTags = pair{"<think>", "</think>"}

var deepseekV3 = jsonGrammar(thinkTags, pair{},
	"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n", "\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>")

// jsonGrammar has calls whose arguments are a JSON object.
func jsonGrammar(thought, text pair, lead, tail string) grammar {
	return grammar{
		thought: thought, text: text, call: pair{lead + "{", "}" + tail},
		argument: `"a#": 1, `, long: pair{`"s": "`, `"`},
	}
}

// functions has calls in Qwen's XML.
func functions(thought, block pair) grammar {
	return grammar{
		thought: thought, call: pair{block[0] + "\n<function=f>\n", "</function>\n" + block[1]},
		argument: "<parameter=a#>\n1\n</parameter>\n", long: pair{"<parameter=s>\n", "\n</parameter>\n"},
	}
}

const (
	prose = "A cache is only as good as its keys, and that's why we look at \"cold\" starts first; the rest (see [1]) follows.\n\n"
	code  = "if x < 3 then\n  print('cache [' .. x .. ']: <b>miss</b>')\nend\n"
)

// filled repeats unit up to n bytes.
func filled(unit string, n int) string { return strings.Repeat(unit, n/len(unit)+1)[:n] }

// longCall is a call with n bytes of arguments.
func (g *grammar) longCall(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(strings.ReplaceAll(g.argument, "#", strconv.Itoa(i)))
	}
	return g.call.around(b.String() + g.long.around("end"))
}

// longString is a call with one argument, a string of n bytes.
func (g *grammar) longString(n int) string {
	return g.call.around(g.long.around(g.quoted(filled(code, n))))
}

// quoted is text as it stands in a string: JSON and Python escape line feeds.
func (g *grammar) quoted(text string) string {
	if strings.HasSuffix(g.long[0], `"`) {
		return strings.ReplaceAll(text, "\n", `\n`)
	}
	return text
}

// answer is a turn of about 2,000 tokens, of 4 bytes each: a thought, where the
// family has them, an answer, and a call that writes 1,600 bytes.
func (g *grammar) answer() string {
	said := g.text.around(filled(prose, 3200))
	if g.thought == (pair{}) {
		said += g.text.around(filled(prose, 3200))
	} else {
		said = g.thought.around(filled(prose, 3200)) + said
	}
	return said + g.call.around(strings.ReplaceAll(g.argument, "#", "1")+g.long.around(g.quoted(filled(code, 1500))))
}

// check asks that the grammar is the parser's: every text makes the one call that
// it holds.
func (g *grammar) check(calls func(text string) (int, error)) error {
	for what, text := range map[string]string{"long call": g.longCall(500), "long string": g.longString(500), "answer": g.answer()} {
		if n, err := calls(text); err != nil || n != 1 {
			return fmt.Errorf("%s: %d calls, not 1, error %v, in %q", what, n, err, text)
		}
	}
	return nil
}
