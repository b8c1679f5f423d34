// Package glm reads what GLM-4.5, 4.6, 4.7, 5 and its successors write. They
// differ in white space and in the prompt's tail only:
//
//	version    between the parts of a call   prompt ends, thinking on    thinking off
//	4.5, 4.6   line feeds                    <|assistant|>               <|assistant|>\n<think></think>\n
//	4.7        nothing                       <|assistant|><think>        <|assistant|></think>
//	5 … 5.2    nothing                       <|assistant|><think>        … <think></think> or </think>
//	5.3        nothing                       <|assistant|><think>        cannot be switched off
//
// # Grammar
//
//	turn    = { text | thought | block | bare } ;
//	thought = "<think>" { text | block | bare } ( "</think>" | EOF ) ;
//	block   = "<tool_call>" ws NAME ws { pair ws } ( "</tool_call>" | EOF ) ;
//	bare    = NAME [ "\n" ] "<arg_key>" … ;          (* the opener was lost *)
//	pair    = "<arg_key>" KEY "</arg_key>" ws "<arg_value>" raw "</arg_value>" ;
//	NAME    = one or more of letters, digits, "_", ".", "-" ;
//	KEY     = bytes without "<", trimmed ;
//	raw     = bytes up to "</arg_value>", as they stand ;
//	ws      = { " " | "\t" | "\r" | "\n" } ;
//
// All eight tags are special tokens: an engine must not skip them. <|user|>,
// <|observation|> and <|endoftext|> end a turn. The grammar has no ids.
//
// # Prose
//
//   - Text and reasoning are verbatim, the line feeds between blocks and behind
//     "</think>" too. Adjacent thoughts join.
//   - A second "<think>" in a thought, closers with nothing open and orphaned
//     argument tags are taken out.
//   - A call inside a thought is a call, and the thought goes on.
//   - A prompt that ends in "<think>" leaves a thought open; a closed pair leaves
//     nothing open. In an open response think tags are text, and calls work.
//   - Markers in quotations are prose; the rule is that of package prose.
//   - Without tools in the request nothing is a call and call markup is text.
//
// # Calls
//
//   - A block is one call. Its name is emitted when a tag follows it, or the arguments
//     as a JSON object, behind ">" if the tool was not offered. No name, no call: the
//     opener is prose then, and so are the tags behind it.
//   - A line feed between tags may be written as an escape.
//   - In a value an </arg_value> counts behind which, after white space, another tag or
//     the end of the text follows; any other is data. <arg_key> at a line's start ends a
//     value whose closer was forgotten, if the key is declared and was not given yet. If a later <tool_call>NAME<arg_key>, the
//     three side by side, or the end of the text comes first, the first
//     </tool_call> in the value was its end. A call without arguments in a value
//     is data. In a thought, a </think> before any </tool_call> drops such a call
//     at the end of the text (decided here: the answer behind it is not lost).
//   - A pair may lack its "<arg_value>"; "</arg_key>" may be doubled or missing; a
//     value without a key is dropped, a key without a value too; stray closers
//     between pairs are skipped. Any other text between pairs drops the call.
//   - All pairs closed and "</tool_call>" missing or cut at the end of the text, at
//     the next "<tool_call>", or at the thought's end: a call. Without a pair: none.
//   - The opener may be lost before the name of an offered tool that has a key
//     directly behind it and no letter, digit or mark of a name before it. Words
//     that begin such a name are held until they differ. This is for the first 100
//     tools of a request.
//   - A word before a stray closer stays a word.
//   - Unknown names are passed on. Of a key that comes twice the first counts.
//
// # Values
//
// The host types them by the schema: the string of a union, null only where the
// schema provably admits it, JSON text wherever no string is asked for. White
// space and entities stay.
//
// # Guided decoding
//
// In the guided modes the model writes bare JSON, which the host reads. Constraint
// builds a structural tag with arguments in xgrammar's style glm_xml.
//
// # Sources
//
// ai-dynamo/frontend-crates: parsers/v2/src/unified/glm47.rs,
// parsers/v2/src/tool_calling/{glm47,scan}.rs, parsers/v2/src/structural_tag/builders/glm47.rs,
// conformance/utils/lib/parsers/UNIFIED_CASES.md; vllm-project/vllm:
// rust/src/parser/src/tool/glm_xml.rs, vllm/parser/glm47_moe.py; lightseekorg/smg:
// crates/tool_parser/src/parsers/glm4_moe.rs; ollama/ollama: model/parsers/{glm46,glm47}.go;
// sgl-project/sglang: function_call/glm4_moe_detector.py; mudler/LocalAI:
// pkg/functions/parse_glm_9722_test.go. Doubled and lost tags: vllm-project/vllm#54971,
// #49249, fw-ai-external/python-sdk#119; calls in thoughts: vllm-project/vllm#46040,
// #45915, #42400.
package glm
