// Package gemma4 reads what Gemma 4 writes:
//
//	turn     = { text | thought | call | barecall } ;
//	thought  = "<|channel>" [ "thought\n" ] reasoning "<channel|>" ;
//	call     = "<|tool_call>" "call:" name "{" members "}" [ ws ] "<tool_call|>" { "<tool_call|>" } ;
//	barecall = "call:" name "{" members "}" "<tool_call|>" ;            the opener is lost
//	members  = [ ws pair { ws "," ws pair } [ "," ] ws ] ;
//	pair     = key ws ":" ws value ;
//	key      = name | string | quoted ;
//	name     = a tool's | one or more of letters, digits, "_", ".", "-" ;
//	value    = string | quoted | "{" members "}" | "[" [ value { "," value } [ "," ] ] "]" | bare ;
//	string   = `<|"|>` any bytes but that marker `<|"|>` ;
//	quoted   = any bytes between `"`, "'" or "`" ;
//	bare     = bytes up to "," or "}", in an array also "]" ;
//
// All markers are special tokens: an engine that skips them erases the grammar.
// Sources: the parsers of Dynamo, vLLM, SGLang and Ollama, their templates and
// tests; vllm-project/vllm#44522, #45834, #48217, #54256, #57231, #42047, #38946,
// Blaizzy/mlx-vlm#1351, ollama/ollama#16075. What follows is where they differ or
// are silent.
//
// # Channels
//
//   - The label is structure directly behind an opener only. Without its line feed
//     it is reasoning, and so is the name of another channel. The line feed before
//     a closer is the model's and stays.
//   - A second opener in a thought and a closer without one are taken out, and so
//     are "<|tool_response>", by which the model hands over to a tool, "<tool_call|>"
//     and the string delimiter, where they stand in prose.
//   - A call in a thought is a call, and the thought goes on.
//   - Where the prompt left the answer open, channel markers are text, label and all.
//   - The prompt's last marker says whether a thought is open. If it is the opener,
//     perhaps with a part of the label, what is left of the label is still to come.
//   - Thinking is off by default, but a small model may think all the same: a thought
//     is always read.
//
// # Arguments
//
//   - A string has no escapes; in it every marker is data.
//   - Ordinary quotation marks round a key or a value are no part of it, as the model
//     sometimes writes JSON. A value ends at the mark behind which the next member, or
//     the end of its object and call, follows. Between `"` and "'" it has escapes.
//   - true, false and JSON numbers are that; null, none, nil, None, NULL and NIL are
//     null; every other bare value is a string without its outer white space, an
//     empty one in an object too. In an object "]" is part of it. One of more than a
//     KiB is a string.
//   - No schema is asked. The grammar carries no ids.
//
// # Where a call ends
//
// Its body ends at the "}" that balances it; braces in strings do not count. Then
// its closer has to follow, or the end of the text: half a closer will do.
//
//   - Something else behind the body: the call is dropped, with all up to the next
//     marker.
//   - A marker outside strings while the body is open: the call is dropped, and the
//     marker is read. (Peers lose what follows a closer there.)
//   - A body that does not fit the grammar is read on by its braces alone, and the
//     call is unsound. The body is given as it stands unless a key was emitted before.
//   - A string in which a call's header stands holds what follows, until it closes.
//     If the body then goes on as it should, it was data. Where the text ends within
//     a string, the first header in a string that did not go on so is a call after
//     all: the string before it lost its closer. In a thought, the thought's closer
//     in a string counts like a header.
//   - An opener that no header follows is prose.
//   - A call without its opener is held until its closer has shown. Without one, or
//     behind a letter, digit or "_", it is prose.
//
// # Guided modes
//
// The word "call:" directly before the payload is taken out, and a native call in
// its place is none. Elsewhere the word is text.
package gemma4
