// Package qwen3 is the parser module of Qwen3-Coder, Qwen3-Coder-Next, Qwen3.5
// and later, which write calls as XML-like functions. It also reads the JSON
// bodies of the Qwen3 instruct and thinking checkpoints (package hermes), since
// both stand in the same tags.
//
// # Checkpoints
//
//	checkpoint                    call     thoughts           prompt ends in
//	Qwen3-Coder, Coder-Next       XML      none               <|im_start|>assistant\n
//	Qwen3.5, 3.6, 3.8             XML      on by default      on: <think>\n  off: <think>\n\n</think>\n\n
//	Qwen3 hybrid (0.6B … 235B)    JSON     on by default      on: nothing    off: <think>\n\n</think>\n\n
//	Qwen3 Instruct-2507           JSON     none               <|im_start|>assistant\n
//	Qwen3 Thinking-2507, QwQ      JSON     always             <think>\n
//
// The template of 3.8 reads reasoning_effort too. In hybrid checkpoints /think
// and /no_think in a user turn are read by the model, not by the template.
//
// # Grammar
//
//	turn      = { thought | text | block | function } ;
//	thought   = "<think>" { text | block | function } ( "</think>" | EOF ) ;
//	block     = "<tool_call>" ws ( function { ws function } | json ) ws ( "</tool_call>" | EOF ) ;
//	function  = "<function=" NAME ">" { any | parameter } "</function>" ;
//	parameter = "<parameter=" KEY ">" value "</parameter>" ;
//	value     = [ "\n" ] raw [ "\n" ] ;
//	json      = see package hermes ;
//	NAME      = bytes up to ">", trimmed, without quotes round it and without "<" ;
//	KEY       = one or more bytes other than ">", "<" and white space, without quotes round it ;
//	ws        = { " " | "\t" | "\r" | "\n" } ;
//
// The first byte of a block's body that is not white space tells the bodies
// apart: "{" (or "[") is JSON, anything else is not.
//
// The think and tool tags are single tokens of the vocabulary, and special ones
// in some checkpoints: an engine must not skip special tokens. "<function=" and
// "<parameter=" are ordinary text. <|im_end|> and <|endoftext|> end a turn.
//
// # Prose
//
//   - Text and reasoning are verbatim, the line feed between two blocks and the
//     empty line behind </think> included.
//   - Adjacent thoughts join without a byte between. Empty spans say nothing.
//   - A second <think> in a thought, </tool_call> with nothing open and </think>
//     with nothing open are taken out. So is the opener that a model echoes when
//     the prompt has opened the thought.
//   - A prompt whose tail ends in <think> starts in reasoning; a closed pair there
//     starts as if nothing were open. Where the visible channel is known to be
//     open (start "response"), think tags are text and calls still work.
//   - A call inside a thought is a call, and the thought goes on behind it. In a
//     thought, </think> ends a block that never became a call.
//   - Markers inside a quotation are prose; the rule is that of package prose.
//   - Without tools in the request nothing is a call and call markup is text.
//
// # Calls
//
//   - In a value a </parameter> counts behind which, after white space, the next
//     parameter, the function's or the block's closer or the end of the text follows; any
//     other, and all other markers, are data. <parameter=KEY> at a line's start ends a
//     value whose closer was forgotten, if KEY is declared and was not given yet. Where none
//     follows to the end of the text, the first </function> behind the value's
//     start was its end. That is known at the end only, so a forgotten
//     </parameter> followed by a later call with a whole parameter reads as one
//     long value.
//   - One line break, LF or CR LF, at each end of a value is framing, nothing else is stripped
//     and no entity is decoded. The host types the value by the tool's schema.
//   - Outside a value </function> ends the function. </tool_call> ends function
//     and block: the model has finished the call and forgot a tag (decided here:
//     nothing is lost by it; the upstream parser drops the call).
//   - Outside a value, <tool_call> or <function= in an open function starts anew,
//     and what came before it is dropped.
//   - Behind a function comes another one, </tool_call>, or <tool_call> where the
//     closer was forgotten; other bytes up to there are dropped.
//   - No name, no call: an opener that no function with a name follows is prose, and
//     its closer too. Markup never becomes a name or a key: a parameter's header that
//     lost its ">" is dropped, up to the next tag.
//   - A function without its block counts where it names a tool that was offered,
//     also in a thought; else it is prose, so that an answer about the format
//     survives. Unknown names inside a block are passed on.
//   - A call is cut, and dropped, if the text ends before its </function>. A
//     missing </tool_call> costs nothing.
//   - Where a stop string of the user's ended the text between two parameters, the
//     stop string was the function's closer: the call is whole. No other finish reason
//     changes anything. Ids are the host's.
//
// # Streaming
//
// The call is emitted when its header closes, a key when its header closes, and
// values as they come, but for a last line feed, the beginning of a tag, and
// everything from a </function> on (in a thought from a </think> on) until
// </parameter> proves it data. How much of a value a client sees before it ends is the
// host's matter: only values that can be nothing but strings go out in parts.
//
// # Guided decoding
//
// In the guided modes the model writes bare JSON, which the host reads. Thoughts
// are split off and call markup round it is taken out. A native call is read as one.
// Constraint builds a structural tag with arguments in xgrammar's style qwen_xml;
// its output is native.
//
// # Sources
//
// ai-dynamo/frontend-crates: parsers/v2/src/unified/{qwen3,qwen3_coder}.rs,
// parsers/v2/src/tool_calling/qwen3_coder.rs, conformance/utils/lib/parsers/UNIFIED_CASES.md,
// parsers/v2/src/structural_tag/builders/qwen3_coder.rs; vllm-project/vllm:
// rust/src/parser/src/tool/{qwen_coder,parameters}.rs, vllm/parser/qwen3.py;
// lightseekorg/smg: crates/tool_parser/src/parsers/{qwen,qwen_xml}.rs;
// ollama/ollama: model/parsers/{qwen3,qwen35,qwen3coder}.go; sgl-project/sglang:
// function_call/{qwen3_coder,qwen25}_detector.py. A header without ">":
// vllm-project/vllm#55497. Calls inside thoughts: cubist38/mlx-openai-server#284,
// ggml-org/llama.cpp#23678.
package qwen3
