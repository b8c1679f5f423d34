// Package kimik2 reads what Kimi K2, K2-Thinking, K2.5 and K2.6 write:
//
//	turn     = { text | thought | section | call } ;
//	thought  = "<think>" reasoning "</think>" ;
//	section  = "<|tool_calls_section_begin|>" { ws call } ws "<|tool_calls_section_end|>" ;
//	call     = "<|tool_call_begin|>" ws id ws "<|tool_call_argument_begin|>" ws json ws "<|tool_call_end|>" ;
//	id       = [ "functions." ] name ":" digits ;
//	name     = one or more of letters, digits, "_", ".", "-" ;
//
// The section's markers are also read in the singular, "<|tool_call_section_…|>".
// A call without a section is a call. The id is passed on as it stands, because
// the model's template prints it back; where guided JSON has none, or one comes
// twice, the host makes functions.NAME:N, with N the call's place in the
// conversation (ids in the manifest). Sources: the chat template of Kimi K2.5,
// and the parsers of Dynamo, vLLM, SGLang and SMG; what follows is where they
// differ or are silent.
//
// A call's body is read as JSON: markers in its strings are data. Where it turns
// out to be no JSON, the first "<|tool_call_end|>" behind the argument marker,
// in a string or not, closes it, and the call is unsound. So once such a marker
// stands in a string, fragments wait until the JSON has proved sound.
//
//   - A body that is broken or cut, with the next "<|tool_call_begin|>" before any
//     closer: dropped, and the next call is read.
//   - A whole body followed by a section's closer, by the next call, by the end
//     of the thought that it stands in, or by the end of the text: a call.
//   - A body that is a JSON string is the host's to unwrap. Other JSON that is no object,
//     and anything but white space behind the JSON: unsound, closed by the first closer.
//   - A cut body in which a closer stands in a string: the closer counts, so that
//     the calls behind it are not lost.
//   - Text behind a call without a section is text.
//   - A name that the request offers counts whatever bytes it has. A number in place of
//     the id, "0", is a call of the tool that alone accepts the arguments.
//   - An opener behind which no name is whole is prose, its section's opener and all that
//     stands behind it too. An offered name without ":digits", or without the argument
//     marker, is no call; its body goes with it.
//   - Anything but white space and the next call ends a section.
//   - In a thought, "</think>" ends a body that is broken. A second "<think>" is taken out.
package kimik2
