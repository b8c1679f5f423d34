// Package deepseekv3 is the parser module of DeepSeek V3, R1, V3.1 and V3.2: three
// syntaxes of calls and one of thoughts. Every parser reads all of them, since
// their openers differ, and V3 against V3.1 is settled call by call.
//
// # Checkpoints
//
//	checkpoint                      calls             thoughts              prompt ends in
//	V3, V3-0324                     V3                none                  <｜Assistant｜>
//	R1, its distillations           (V3, by template) always                <｜Assistant｜><think>\n
//	R1-0528                         V3                always                <｜Assistant｜><think>\n
//	V3.1, V3.1-Terminus, V3.2-Exp   V3.1              by template argument  on: <think>  off: </think>
//	V3.2                            DSML              by template argument  on: <think>  off: </think>
//
// The template argument is thinking or enable_thinking, for V3.2 thinking_mode
// ("chat", "thinking") too.
//
// # Parsers
//
// deepseek_v3 and deepseek_r1 differ in one thing: where nothing is known of the
// prompt, R1's has opened the thought (unless the request switched thinking off).
// Both have siblings for calls, for reasoning and for the jail. deepseek_r1 as
// the reasoning parser goes with any family's tool parser.
//
// # Grammar
//
// The bars are U+FF5C, the low blocks U+2581.
//
//	turn    = { text | thought | section | call | dsml } ;
//	thought = "<think>" { text | section | call | dsml } ( "</think>" | EOF ) ;
//	section = "<｜tool▁calls▁begin｜>" ws { call ws } ( "<｜tool▁calls▁end｜>" | EOF ) ;
//	call    = [ "<｜tool▁call▁begin｜>" ] ( v3 | v31 ) ws ( "<｜tool▁call▁end｜>" | EOF ) ;
//	v3      = "function" "<｜tool▁sep｜>" name ws-with-line-feed [ "```" [ "json" ] ] ws object ws [ "```" ] ;
//	v31     = name "<｜tool▁sep｜>" ws object ;
//	dsml    = see package deepseekv4; the block's tag is "function_calls" ;
//
// The markers are single tokens, special ones in some checkpoints: an engine must
// not skip special tokens. <｜end▁of▁sentence｜> ends a turn.
//
// # Prose
//
//   - Text and reasoning are verbatim, the empty line behind </think> included.
//     Only before a block of V3.2 an empty line is framing.
//   - A second <think> in a thought, </think> with nothing open, and stray closers
//     and separators are taken out. So is the opener that a model echoes when the
//     prompt has opened the thought.
//   - Where the prompt has closed the thought (start "response") think tags are
//     text.
//   - A call in a thought is a call, and the thought goes on behind it. In a
//     thought, </think> ends a section or a call that is not complete.
//   - Markers inside a quotation are prose; the rule is that of package prose.
//   - Without tools in the request nothing is a call and call markup is text.
//
// # Calls of V3 and V3.1
//
//   - A head "function" with a name line and JSON behind the separator is V3.
//     Everything else is V3.1, a tool that is named "function" included. The fence
//     and its label may be missing (decided here: the name line tells it apart).
//   - Arguments are the model's bytes. Fences, markers and think tags in strings
//     are data.
//   - White space between calls, round the JSON and behind the fence is structure;
//     what else stands there ends a section.
//   - The section's closer, or the end of the text, in place of the call's closer:
//     a whole body is a call, also where the fence or a marker behind it is cut.
//   - Broken JSON, JSON that is no object, no JSON at all, and anything behind the
//     JSON that is none of the above: the call is unsound, and the host judges its body. It
//     ends at its closer, in a string of the broken JSON or not, or is dropped before the next call.
//   - Without a whole name behind an opener all of it is prose, the section's opener too. An
//     offered name without a separator is no call.
//   - R1 and its distillations also write "<｜tool▁calls｜>" for the section's and the call's opener.
//   - A call without a section is a call. Closers behind it are taken out, white
//     space before them or before another such call is structure, other text is
//     text.
//   - Ids are the host's: the grammar has none.
//   - Markers of tool outputs belong to prompts; in a reply they are text.
//
// # Streaming
//
// The name is emitted at the separator (V3: at the fence), the arguments go out as
// they come. Once a call's closer stands in a string they wait until the JSON has
// proved sound.
//
// # Guided decoding
//
// In the guided modes the model writes bare JSON, which the host reads. Thoughts
// are split off, stray markup is taken out, and a native call says nothing. A
// constraint for native calls needs the option "dialect" of the model's
// configuration, v3, v31 or v32: a model must be held to what it was trained on.
// R1's is v3.
//
// # Sources
//
// The chat templates of the checkpoints; vllm-project/vllm:
// vllm/tool_parsers/deepseekv3_tool_parser.py, deepseekv31_tool_parser.py,
// vllm/parser/deepseek_v32.py, vllm/reasoning/deepseek_r1_reasoning_parser.py,
// rust/src/parser/src/tool/{deepseek_json,deepseek_dsml}; lightseekorg/smg:
// crates/tool_parser/src/parsers/{deepseek,deepseek31,deepseek_dsml}.rs;
// sgl-project/sglang: function_call/deepseekv3_detector.py and its successors;
// ollama/ollama: model/parsers/deepseek3.go; ai-dynamo/dynamo:
// lib/parsers/src/tool_calling/json/deepseek_v3_1_parser.rs;
// ai-dynamo/frontend-crates: parsers/v2, conformance/utils/lib/parsers/UNIFIED_CASES.md.
// Two calls in one delta: vllm-project/vllm#48020. A split opener:
// smg-project/smg#1030.
package deepseekv3
