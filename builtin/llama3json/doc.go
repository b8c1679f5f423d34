// Package llama3json is the parser module of Llama 3.1, 3.2 (11B, 90B) and 3.3,
// and of Llama 4 where it is asked for JSON calls.
//
// # Grammar
//
//	turn   = { text | tagged | bare } ;
//	tagged = "<|python_tag|>" ws ( calls | code ) ;
//	bare   = [ fence ] ( calls | list ) [ fence ] ;
//	list   = "[" object { "," object } "]" | a list of Python calls, see package pycall ;
//	calls  = object { ws ";" ws [ "<|python_tag|>" ws ] object } [ ws ";" ws EOF ] ;
//	object = JSON object: "name" string, "parameters" | "arguments" object, other members ignored, in any order ;
//	code   = anything that does not begin a call object ;
//	ws     = { " " | "\t" | "\r" | "\n" } ;
//
// There is no closer, and often no opener. <|eot_id|>, <|eom_id|> and, in Llama 4,
// <|eot|> end a turn. They and the tag are special tokens: an engine must not skip
// them, though calls are mostly found without the tag, too.
//
// # Which object is a call
//
// One with a string "name" and an object "parameters" or "arguments". Behind the
// tag and behind a call's ";" any name will do. At the start of the output it will
// if no member is there that calls lack ("name", "parameters", "arguments", "type"
// are theirs). Elsewhere in prose the name must be that of an offered tool: without
// a marker a JSON answer and a call look alike, and nothing else tells them apart.
//
// What is no call is text, verbatim. It is known to be none, and let go of, when
// its first member is not a call's, its name is not one (above), its arguments are
// no object, they break before a first member is whole, or it ends. Objects inside an object that is text are text; an empty
// line in one of its strings, which JSON does not allow, ends it. An object in a
// quotation is text: an answer that explains the format must not run. The tag is
// taken out, also before code; with anything else behind it, it is prose. Of a list of
// Python calls all names must be offered.
//
// # Calls
//
//   - Arguments are the model's bytes; "{}" stays "{}". Of two members that mean the
//     same the first counts.
//   - A call ends at its object's brace. Inside strings the tag, ";" and braces are
//     data.
//   - Behind a call, ";" with another object goes on with calls, and a ";" that ends
//     the text is structure. Anything else is text from the byte behind the brace on,
//     the ";" included.
//   - The text ends inside an object: it is dropped where its name is known, behind the tag
//     or a ";" or if it is offered; else it is text.
//
// Decided here, where no source settles it:
//
//   - The tag may come again behind ";".
//   - White space before the first object is text, and the object still starts the
//     output.
//   - A call whose arguments break behind their first member is unsound. It ends where their
//     brackets close, or at the tag or an empty line before that.
//
// # Thoughts, guided decoding
//
// The family has no thoughts: <think> is text, and start states mean nothing. A
// fine-tune that thinks pairs llama3_json_tools with a reasoning parser. In the
// guided modes the model writes bare JSON, which the host reads; the tag is taken
// out. A semicolon joins nothing there: objects on both sides of one are payloads
// of their own, and it is text.
//
// # Jail
//
// The manifest has no jail markers, because a call may begin with any "{"; on
// the jail route all of the text is jailed, and let out as the parser decides.
//
// # Sources
//
// The chat templates of Llama 3.1 and 3.3; vllm-project/vllm:
// vllm/tool_parsers/llama_tool_parser.py, rust/src/parser/src/tool/json;
// sgl-project/sglang: function_call/llama32_detector.py; lightseekorg/smg:
// crates/tool_parser/src/parsers/llama.rs; ai-dynamo/frontend-crates:
// parsers/v1/src/tool_calling. Field reports: vllm-project/vllm#19024, #49923;
// ai-dynamo/dynamo#8732, #9536; ggml-org/llama.cpp#18183;
// raullenchai/Rapid-MLX#703, #921.
package llama3json
