// Package pythonic is the parser module of models that write a list of Python
// calls: Llama 3.2 (1B, 3B), Llama 4, ToolACE.
//
// # Grammar
//
//	turn = { text | [ fence ] ( list | json ) [ fence ] } ;
//	list = [ "<|python_start|>" ws ] "[" ws call { ws "," ws call } ws ( "]" | EOF ) [ ws "<|python_end|>" ] ;
//	ws   = { " " | "\t" | "\r" | "\n" } ;
//
// See package pycall for calls and their values. json is a call object, or a list of
// them, as llama3_json writes them; its name must be an offered one. The two markers are
// special tokens of Llama 4; a start without a list behind it is prose. <|eot_id|>, <|eom_id|> and, in Llama 4, <|eot|> end a turn.
//
// # Which bracket is a call
//
// One with a name and a parenthesis directly behind it, in a list that is well
// formed to its "]". All else is text: [1, 2], [link](url), [draft (v2)], [], a JSON
// array, a call outside brackets, and a list with an argument that has no name or
// no literal value. So nothing of a list is emitted before its "]"; up to 1 MiB is
// held. A list in a quotation is text: an answer that explains the format must not
// run. Prose before, between and behind lists is verbatim.
//
// # Calls
//
//   - Values go out as their Python text, and the host reads them: strings with
//     Python's escapes, numbers with the same token but for a plus sign, constants of
//     Python and of JSON, lists and tuples as arrays, dictionaries with string keys.
//     (x) is x, (x,) an array. No schema: the literal decides.
//   - Any word may name an argument, also one that Python reserves.
//   - Strings own everything in them: brackets, commas, markers.
//   - A name that was not offered is handed on.
//   - The text ends in a list: behind the first name's parenthesis the whole calls
//     stay, and the rest is dropped; before it is text. A number or a constant at the
//     very end may go on, so its call is not whole.
//
// Decided here, where no source settles it:
//
//   - Positional arguments, variables, expressions and strings side by side make no
//     call, nor does a number with leading zeros.
//   - Raw line feeds in strings pass.
//   - Of a bracket that proves to be no list, all up to the byte that no list has is
//     text; a list may begin there, not before.
//
// # Thoughts, guided decoding
//
// The family has no thoughts: <think> is text, and start states mean nothing. In
// the guided modes the model writes bare JSON, which the host reads; the markers
// round it are taken out.
//
// # Jail
//
// The manifest has no jail markers, because a call may begin with any "["; on
// the jail route all of the text is jailed, and let out as the parser decides.
//
// # Sources
//
// The chat templates of Llama 3.2 and Llama 4; vllm-project/vllm:
// vllm/tool_parsers/{pythonic,llama4_pythonic,olmo3}_tool_parser.py;
// sgl-project/sglang: function_call/pythonic_detector.py; lightseekorg/smg:
// crates/tool_parser/src/parsers/pythonic.rs; ai-dynamo/frontend-crates:
// parsers/v1/src/tool_calling/pythonic. Field reports: vllm-project/vllm#15462,
// #30722, #48171; sgl-project/sglang#38869; ml-explore/mlx-lm#1785.
package pythonic
