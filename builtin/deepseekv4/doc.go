// Package deepseekv4 is the parser module of DeepSeek V4, whose calls are written
// in DSML. V3.2 writes the same with another block (package deepseekv3), V4.1
// with other tags and other rules (package deepseekv41).
//
// # Grammar
//
// D stands for ｜DSML｜, with bars U+FF5C.
//
//	turn      = { text | thought | block | invoke } ;
//	thought   = "<think>" { text | block | invoke } ( "</think>" | EOF ) ;
//	block     = [ "\n\n" ] "<Dtool_calls>" { ws invoke } ws ( "</Dtool_calls>" | EOF ) ;
//	invoke    = [ "\n\n" ] '<Dinvoke name="' name '">' ws ( object ws | { parameter ws } ) "</Dinvoke>" ;
//	parameter = '<Dparameter name="' key '"' [ ' string="' ( "true" | "false" ) '"' ] ">" value "</Dparameter>" ;
//
// The encoder puts an empty line before each block, a line feed behind each tag
// but the parameter's opener, and nothing is escaped. ｜DSML｜ and the think tags
// are single tokens, and vanish where an engine skips special tokens, so it must
// not. <｜end▁of▁sentence｜> ends a turn.
//
// # Prompt
//
// It ends in <｜Assistant｜><think> (start "reasoning") or <｜Assistant｜></think>
// (start "response": think tags are text). The template's switches are thinking,
// enable_thinking, thinking_mode ("chat", "thinking") and reasoning_effort.
//
// # Prose
//
//   - Text and reasoning are verbatim. Exactly one "\n\n" directly before a block,
//     or before an invoke without one, is framing in visible text, also where the
//     block turns out cut or empty. In a thought nothing is framing.
//   - A second <think> in a thought, </think> with nothing open, and stray closers
//     of blocks, invokes and parameters are taken out. (For parameters upstream
//     leaves them; decided here.) Unknown DSML tags are text.
//   - A call in a thought is a call, and the thought goes on behind it. In a
//     thought, </think> ends a block between calls, and a call that is not
//     complete.
//   - Markers inside a quotation are prose; the rule is that of package prose.
//     The quotation marks of attributes quote nothing.
//   - Without tools in the request nothing is a call and call markup is text.
//
// # Calls
//
//   - In a value a </Dparameter> counts behind which, after white space, the call goes
//     on or the text ends; any other, and all other markers, are data. A parameter's
//     opener at a line's start ends a value whose closer was forgotten, if its key is
//     declared and was not given yet. Where none
//     follows to the end of the text, the first closer of an invoke or block in it
//     was its end: the call is dropped, what follows is read as usual.
//   - string="true" is a string, byte for byte. string="false" is JSON with white
//     space round it; what is none is a string, and the call stands. Without the
//     attribute, or with another one, the value is JSON if it parses. The schema
//     decides nothing.
//   - A JSON object may stand in place of the parameters; strings own all markers
//     in it. Broken JSON there, or something behind it: no call (decided here).
//     No parameters at all is {}. Prose between parameters is ignored.
//   - A call without </Dinvoke> is none, whatever follows: the block's closer,
//     another call, the end of the text. Its neighbours stay.
//   - A block may stay open. What stands between its calls is dropped. A block whose
//     opener no call follows is prose, and so is a call whose header is malformed:
//     no name, no call. A header that closes itself, "/>", is a call. V3.2's name of
//     the block, function_calls, is read too.
//   - A malformed header of a parameter drops the call up to its closer or the block's
//     (decided here: a value that belongs nowhere must not vanish from a call that is
//     made). Names are at most 1 KiB long.
//   - An invoke without a block is a call. White space before another one, or
//     before the block's closer, is structure; other text is text (decided here;
//     upstream drops it).
//   - Of a repeated key the first counts: it may be on its way already.
//   - The finish reason changes nothing. Ids are the host's.
//
// # Streaming
//
// The name is emitted with the header, a key with its header, values as they come:
// but for the beginning of a tag, and in a value with a closer of an invoke or
// block (in a thought: with </think>) from there on. In prose up to two line
// feeds wait for the byte behind them.
//
// # Guided decoding
//
// In the guided modes the model writes bare JSON, which the host reads. Thoughts
// are split off, stray markup is taken out, and a native call says nothing. A
// header owns its own quotation mark only, so that a payload may follow it
// directly. The constraint for native calls is a block in the encoder's layout,
// with arguments in xgrammar's style deepseek_xml.
//
// # Sources
//
// ai-dynamo/frontend-crates: parsers/v2/src/unified/deepseek_v4.rs,
// tool_calling/dsml.rs, structural_tag/builders/deepseek_dsml.rs,
// parsers/v2/tests/{dsml_separator,native_prose_quotes}.rs,
// conformance/utils/lib/parsers/UNIFIED_CASES.md; vllm-project/vllm:
// vllm/parser/deepseek_v4.py, vllm/tokenizers/deepseek_v4_encoding.py,
// rust/src/parser/src/tool/deepseek_dsml; lightseekorg/smg:
// crates/tool_parser/src/parsers/deepseek_dsml.rs,
// crates/tokenizer/src/encoders/deepseek_v4.rs; SGLang's DSML detectors; LocalAI:
// backend/cpp/ds4/dsml_parser.cpp. Special tokens that vanish:
// vllm-project/vllm-ascend#9767. A tag in pieces: smg-project/smg#1030. Markup
// that leaks: vllm-project/vllm#54686, sgl-project/sglang#40236. Values with
// brackets: vllm-project/vllm#45877, vllm-project/vllm#53227. Calls in prefilled
// thoughts: ai-dynamo/frontend-crates#144, antirez/ds4#167.
package deepseekv4
