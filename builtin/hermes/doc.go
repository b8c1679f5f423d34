// Package hermes is the parser module of models that write each call as JSON
// between <tool_call> tags: Qwen2.5, Qwen3 (hybrid, Instruct-2507,
// Thinking-2507), QwQ, NousHermes 2 Pro and 3.
//
// # Checkpoints
//
//	checkpoint                            thoughts        prompt ends in
//	Qwen2.5 instruct, NousHermes 2, 3     none            <|im_start|>assistant\n
//	Qwen3 hybrid                          on by default   on: <|im_start|>assistant\n  off: <think>\n\n</think>\n\n
//	Qwen3 Instruct-2507                   none            <|im_start|>assistant\n
//	Qwen3 Thinking-2507, QwQ              always          <think>\n
//
// With /no_think in a user turn a hybrid model writes an empty pair of think tags
// itself: the line feeds in it are reasoning, those behind it text. Qwen3-Coder
// and Qwen3.5 write XML in the same tags: see package qwen3.
//
// # Grammar
//
//	turn    = { thought | text | block } ;
//	thought = "<think>" { text | block } ( "</think>" | EOF ) ;
//	block   = "<tool_call>" ws ( object | array ) ws ( "</tool_call>" | EOF ) ;
//	object  = JSON object with "name": non-empty string and "arguments" | "parameters": object, in any order ;
//	array   = "[" object { "," object } "]" ;
//	ws      = { " " | "\t" | "\r" | "\n" } ;
//
// The four tags are added tokens of the vocabulary, and special ones in some
// models: an engine must not skip special tokens. <|im_end|> and <|endoftext|>
// end a turn.
//
// # Prose
//
// As in package qwen3: verbatim text and reasoning, stray tags taken out,
// markers in quotations are prose, a call in a thought is a call, start states by
// the prompt's tail. JSON outside the tags is text, however much it looks like a
// call. Quotation marks of a JSON body close no quotation in front of it.
//
// # Calls
//
//   - The body ends where its JSON ends; tags and braces inside strings are data.
//     What follows up to </tool_call> is dropped; a missing </tool_call> costs
//     nothing.
//   - Where the JSON breaks, or the text ends inside it, the block's end is the
//     first </tool_call> behind the opener, whether a string seemed to be open
//     there or not. The call is dropped, what follows is read as usual: an
//     unterminated string costs one call, not the rest of the turn. A broken body
//     without a closer swallows all up to the next tag.
//   - In a thought, </think> ends a block that never became a call.
//   - Arguments are the model's bytes: no schema, no reformatting of numbers.
//   - A body without a name, with an empty name or with arguments that are null, a
//     list or a scalar is dropped.
//
// Decided here, where no source settles it:
//
//   - No arguments at all is a call with {}.
//   - Arguments in a JSON string that begins with "{" are that object: some models
//     encode them twice.
//   - Of two keys that mean the same, and of "arguments" and "parameters" together,
//     the first counts: it may be on its way to the client already.
//   - Every element of an array is a call. An "id" in the body is not part of the
//     grammar and is ignored.
//   - <tool_call> behind a body that broke starts a new block.
//
// # Streaming
//
// The call is emitted when its name has closed and its arguments were seen to open
// with "{"; arguments that come first wait for the name. Then the arguments go
// out as they come, up to their own closing brace, but for a </tool_call> in a
// string and all behind it, until the object closes and proves it data.
//
// # Guided decoding
//
// In the guided modes the model writes bare JSON, which the host reads; the tags
// around it are taken out. Constraint builds a structural tag; its output is
// native.
//
// # Sources
//
// ai-dynamo/frontend-crates: parsers/v1/src/tool_calling/{config.rs,json/base_json_parser.rs},
// conformance/utils/lib/parsers/UNIFIED_CASES.md; ai-dynamo/dynamo:
// lib/llm/src/preprocessor/structural_tag.rs; vllm-project/vllm:
// rust/src/parser/src/tool/json/{hermes,qwen}.rs, vllm/tool_parsers/hermes_tool_parser.py;
// lightseekorg/smg: crates/tool_parser/src/parsers/qwen.rs; sgl-project/sglang:
// function_call/{qwen25_detector,base_format_detector}.py; ollama/ollama:
// model/parsers/qwen3.go. Tags and braces inside strings: vllm-project/vllm#45167,
// #45310, #22885, #32518; empty arguments: #28806.
package hermes
