// Package inkling is the parser module of Inkling, whose turns are frames of typed
// content.
//
// # Grammar
//
//	turn   = { [ "<|message_model|>" ] header frame } [ "<|content_model_end_sampling|>" ] ;
//	header = at most 256 bytes, never visible: a tool's name in front of a call ;
//	frame  = "<|content_thinking|>" reasoning end
//	       | "<|content_text|>" text end
//	       | "<|content_invoke_tool_json|>" {"name": string, "args": object} end
//	       | ( "<|content_invoke_tool_text|>" | "<|content_tool_error|>" ) text end ;
//	end    = "<|end_message|>" | "<|content_model_end_sampling|>" | EOF
//	       | (* left for what follows, where the end is missing *) "<|message_model|>" | an opener ;
//
// All markers are special tokens: an engine must not skip them. A prompt ends in
// "<|message_model|>", so that the output begins in a header, or goes on into
// "<|content_thinking|>" (start = reasoning) or "<|content_text|>" (response).
//
// # Rules
//
//   - Text and reasoning are verbatim. Adjacent frames of one kind join without a
//     byte between. Markers in a quotation are prose.
//   - A call's name is the JSON's, not the header's. Missing args are {}. A marker in
//     a JSON string is data. Args that are no object, and broken JSON, make no call:
//     the frame is dropped up to its end, an unterminated string costs no more.
//   - A cut call is dropped. An open thought at the end is reasoning.
//   - Without tools in the request a call's frame is text, with its markers.
//
// Decided here, where no source settles it:
//
//   - The bodies of <|content_invoke_tool_text|> and <|content_tool_error|> are text:
//     a client loses nothing.
//   - A header of more than 256 bytes is an answer that lacks its frame, and text up
//     to the next marker. So are words with white space between them that stand
//     behind no "<|message_model|>", and a turn without any frame, as of an engine
//     that skips special tokens; but a lone word that was cut may be a call's name,
//     and is not shown.
//   - inkling_tools leaves thoughts in the text. It may stand behind a reasoning
//     parser, which took the frames off: there a lone word is an answer too, but for
//     an offered tool's name before a call.
//
// # Streaming
//
// Text and reasoning go out as they come, but for a marker's beginning. A call is emitted
// when its name has closed and its args were seen to open; then args go out as they
// come.
//
// # Sources
//
// vllm-project/vllm: rust/src/parser and vllm/parser (inkling); lightseekorg/smg:
// crates/tool_parser/src/parsers; ai-dynamo/dynamo: lib/llm/src/preprocessor.rs
// (special tokens); ai-dynamo/frontend-crates: conformance/utils/lib/parsers/UNIFIED_CASES.md.
package inkling
