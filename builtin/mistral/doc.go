// Package mistral is the parser module of Mistral's models: Mistral, Mixtral,
// Ministral, Devstral, and Magistral with its thoughts.
//
// # Dialects
//
//	dialect   tokenizer  who writes it                             shape
//	array     v3, v7     7B v0.3, Mixtral 8x22B, Nemo, Large 2,    [TOOL_CALLS] [{"name": "f", "arguments": {…}, "id": "…"}, …]
//	                     Small 3
//	call id   v11        Small 3.2                                 [TOOL_CALLS]f[CALL_ID]123456789[ARGS]{…}
//	named     v13 on     Magistral, Devstral, Ministral 3          [TOOL_CALLS]f[ARGS]{…}
//	stripped             a named one behind an engine that skips   [TOOL_CALLS]f{…}
//	                     special tokens
//
// One parser reads them all: the byte behind [TOOL_CALLS] tells them apart.
//
// # Grammar
//
//	turn    = { thought | text | calls } ;
//	thought = "[THINK]" { text | calls } ( "[/THINK]" | EOF ) ;
//	calls   = "[TOOL_CALLS]" ws ( array | object | named ) [ ws "[/TOOL_CALLS]" ] ;
//	array   = "[" [ object { "," object } ] ( "]" | EOF ) ;
//	object  = JSON object: "name" string, "arguments" | "parameters" object, "id" string, in any order; only the name must be there ;
//	named   = name [ "[CALL_ID]" id ] [ "[ARGS]" ] ws JSON-object ;
//	name    = one or more of letters, digits, "_", "-", "." ;   id = the same ;
//	ws      = { " " | "\t" | "\r" | "\n" } ;
//
// The markers but [/TOOL_CALLS] are control tokens of the vocabulary: an engine
// must not skip special tokens. </s> ends a turn.
//
// # Prose
//
// Text and reasoning are verbatim, blanks included. Stray [/THINK] and
// [/TOOL_CALLS] are taken out; a call in a thought is a call, and the thought goes
// on; markers in quotations are prose. [ARGS] and [CALL_ID] mean something in a
// call only: elsewhere they are text, as in "Usage: prog [OPTIONS] [ARGS]". A JSON
// array without [TOOL_CALLS] is an answer. The prompt opens no thought unless it
// ends in [THINK]; then one that the model says again is taken out. In an open
// response the think markers are text.
//
// # Calls
//
//   - Arguments are the model's bytes. Inside JSON strings everything is data, also
//     where the text ends there. The array ends at its own bracket, a named call at
//     its object's brace, and what follows is prose.
//   - An id in the stream is the call's id, because the template prints it back. The
//     host sends it with a call's first part: in an array the arguments wait for an
//     id behind them, up to 64 KiB of the object. Ids that the host makes have nine
//     letters and digits (ids in the manifest): templates insist on it.
//   - Parallel calls are elements of an array; in the named forms the opener is emitted
//     again.
//   - What the end of the text cuts behind a name is dropped: an id, an object. Whole
//     elements stay, a missing "]" costs nothing.
//
// Decided here, where no source settles it:
//
//   - One call object in place of the array is read like an array of one.
//   - [TOOL_CALLS] without a whole name behind it is prose, and so is what stands there. A
//     name that the request offers counts whatever bytes it has.
//   - Named arguments that are no JSON end where their brackets close, and the call
//     is unsound; a marker or an empty line before that ends them too, and the call
//     is dropped. In a broken array the element that broke is unsound, and those behind it are
//     dropped, up to where its brackets close. So broken JSON does not swallow the answer.
//   - [TOOL_CALLS] in a string of arguments that later prove broken begins a call: an
//     unterminated string costs one call.
//
// # Guided decoding
//
// In the guided modes the model writes bare JSON, which the host reads; the
// markers round it, with a name, are taken out. There is no structural tag: which
// dialect a checkpoint speaks is not known here.
//
// # Sources
//
// mistralai/mistral-common: src/mistral_common/tokens/tokenizers/instruct.py;
// ai-dynamo/frontend-crates: parsers/v1/src/tool_calling; vllm-project/vllm:
// vllm/tool_parsers/mistral_tool_parser.py, vllm/reasoning/mistral_reasoning_parser.py;
// sgl-project/sglang: function_call/mistral_detector.py; ollama/ollama:
// model/parsers/ministral.go. Field reports: vllm-project/vllm#5649, #13622;
// sgl-project/sglang#35564; raullenchai/Rapid-MLX#579, #581;
// waybarrios/vllm-mlx#631; ml-explore/mlx-lm#1374.
package mistral
