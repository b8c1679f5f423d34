// Package minimax reads what MiniMax M2 (M2, M2.1, M2.5) and MiniMax M3 write: two
// grammars, two parsers.
//
// # M2
//
//	turn    = { text | thought | block | invoke } ;
//	thought = "<think>" { text | block | invoke } ( "</think>" | EOF ) ;
//	block   = "<minimax:tool_call>" { invoke | filler } ( "</minimax:tool_call>" | EOF ) ;
//	invoke  = "<invoke name=" attr ">" { ws | param } "</invoke>" ;
//	param   = "<parameter name=" attr ">" value "</parameter>" ;
//	attr    = '"' chars '"' | "'" chars "'" | chars ;
//	value   = bytes up to "</parameter>", as they stand ;
//
// The prompt ends in "<think>" and a line feed: a thought is open. "[e~[" ends the
// turn. See packages turn and toolblock for what this has in common with others:
// calls in thoughts, strays, lost tags, the end of the text. Besides:
//
//   - An invoke without its block counts where it names a tool that was offered;
//     else it is prose, so that an answer about the format survives.
//   - Of a parameter that comes twice the last value counts, if it comes within 512
//     bytes behind the first one's header: so long the first is not emitted. Later,
//     the first counts, since a client may have it already.
//   - Line feeds and entities in values are part of them. The host types values by
//     the schema; null only where it provably admits null; what is not declared is
//     text.
//
// # M3
//
// NS is the namespace "]<]minimax[>[".
//
//		turn    = { text | thought | block | invoke } ;
//		thought = "<mm:think>" { text | block | invoke } ( "</mm:think>" | EOF ) ;
//		block   = NS "<tool_call>" { invoke | filler } ( NS "</tool_call>" | EOF ) ;
//		invoke  = NS "<invoke name=" attr ">" { filler | element } NS "</invoke>" ;
//		element = NS "<" key ">" ( leaf | { ws | element } ) NS "</" key ">" ;
//		leaf    = bytes up to the element's closer, as they stand ;
//		key     = bytes other than ">" and "<", the first no "/" ;
//
//	  - What begins, white space aside, with an element is made of elements, anything
//	    else is a leaf; in a leaf only its own closer counts. In one that the text's
//	    end cuts, the first invoke's closer was its end.
//	  - Elements named "item" are an array where the schema admits one, else members
//	    of an object. Members of one name are an array under that name.
//	  - An empty element is [] or {} by its schema, else the empty string.
//	  - In elements, text beside elements is dropped (upstream keeps it under a name
//	    of its own making), and the invoke's closer closes all that is open.
//	  - Of a parameter that comes twice the first counts.
//	  - Other text in an invoke, and between invokes, is dropped. A block's closer
//	    ends a call that lacks its own; openers start anew. A cut call is dropped.
//	  - An invoke without its block is a call. An opener that no name follows is prose.
//	  - "</mm:think>" with nothing open, and closers of blocks and invokes in prose,
//	    are taken out. "<think>" is text, and so are pieces of the namespace.
//
// A leaf parameter is emitted as it comes. One that is made of elements is emitted when
// it is whole: of what kind it is shows late. It is dropped with its call when it
// is longer than what a parser may hold. Elements that nest deeper than 64 are
// text.
//
// # Thoughts in the text
//
// minimax_append_think leaves thoughts in the text with their tags. The opening tag
// stands in the prompt; the manifest has the host put it in front of the text.
//
// # Guided decoding
//
// In the guided modes the model writes bare JSON, with or without the block's
// tags, and where the prompt opened a thought also without closing it. For M2
// Constraint builds a structural tag with arguments in xgrammar's style
// minimax_xml; xgrammar has none for M3.
//
// # Sources
//
// The parsers of vLLM (Python and Rust), SGLang, SMG and Dynamo for both models, and
// ai-dynamo/frontend-crates: conformance/utils/lib/parsers/UNIFIED_CASES.md.
// Calls without parameters: sgl-project/sglang#36691, #24995, #23071,
// vllm-project/vllm#35895, #39649; markers in values: ai-dynamo/frontend-crates#245.
package minimax
