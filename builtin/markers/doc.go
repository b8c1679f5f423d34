// Package markers is the parser module for models that nobody has written a parser
// for: its grammar is data, the options of the model in turnkey.yaml. Without
// options it reads <think> and JSON calls in <tool_call>, which most models have.
//
// # Options
//
// Thoughts:
//
//	reasoning_open      what opens a thought: <think>. Empty: only the prompt does, or there are none
//	reasoning_close     what ends it: </think>
//	reasoning_start     content (default) or reasoning: where a session starts whose prompt is not known
//	reasoning_once      true: the markers count once, at the start of the output, and are prose elsewhere
//
// Calls:
//
//	call_arguments      json (default), xml or structured: how arguments are written
//	call_name           body (default with json) or header (default else): where the name stands
//	call_open           what opens a block of calls: <tool_call>. Empty: calls stand by themselves (header only)
//	call_close          what ends a block: </tool_call>. Empty: it ends with its JSON
//	call_separator      what stands between two blocks, or two calls without blocks, and is not text. Empty: nothing
//	call_id             none (default): the grammar carries no ids; else where they stand, see below
//
// With the name in the body, the block is a JSON object with a name and arguments,
// or an array of them:
//
//	call_name_key       the name's member: name
//	call_arguments_key  the arguments' member. Empty: arguments or parameters
//	call_id             member: an id is in the member call_id_key, which is id
//
// With the name in a header:
//
//	call_name_open      what stands before the name: <function=
//	call_name_close     what stands behind it: >
//	call_end            what ends a call: </function>. Empty: it ends with its JSON
//	call_id             header: the header is the id, and the name what stands between its last "." and its last ":"
//	                    behind: the id stands behind the name and the marker call_id_open
//
// With arguments in xml or structured (one value behind each key):
//
//	call_key_open       what stands before a key: <parameter=, structured <arg_key>
//	call_key_close      what stands behind it: >, structured </arg_key>
//	call_value_open     what stands before a value, behind white space: nothing, structured <arg_value>
//	call_value_close    what ends a value: </parameter>, structured </arg_value>
//	call_value_frame    line_feed (default): one line feed at each end of a value is no part of it; none: all of it is
//
// A marker that ends in "{" or "[", in front of JSON, leaves that byte to the JSON.
// Quotation marks round a name or a key in a header are not part of it.
//
// An option that can't be used, or a misspelt one, ends every session with a fatal
// error, and tells the operator which and why. Keys that do not begin with
// reasoning_ or call_ are another parser's.
//
// # Grammar
//
//	turn    = { text | thought | block | call } ;           (* call: where call_open is empty *)
//	thought = reasoning_open { text | block | call } ( reasoning_close | EOF ) ;
//	block   = call_open ws ( object | array | { call } ) ws ( call_close | EOF ) ;
//	call    = call_name_open NAME [ call_id_open ID ] call_name_close ( object | { pair } ) call_end ;
//	pair    = call_key_open KEY call_key_close ws call_value_open value call_value_close ;
//
// What holds for text, thoughts, quotations, cut and broken calls and guided
// decoding is as in packages hermes (JSON) and qwen3 (pairs), and checked by their
// cases. Between the calls of a block all else is dropped. A call outside its block
// counts where it names a tool that was offered. Where calls stand by themselves,
// call_name_open is prose unless a name, at most 256 bytes on one line, and
// call_name_close follow.
//
// Not expressible: thoughts and calls in messages of typed channels, arguments that
// nest in markup, Python calls, several spellings of one marker, and values that
// say themselves whether they are strings. Such families have modules.
//
// # Example: JSON behind a header that is the id
//
//	options:
//	  reasoning_open: "◁think▷"
//	  reasoning_close: "◁/think▷"
//	  call_name: header
//	  call_id: header
//	  call_open: "<|calls|>"
//	  call_close: "<|/calls|>"
//	  call_name_open: "<|call|>"
//	  call_name_close: "<|args|>"
//	  call_end: "<|/call|>"
//
// reads
//
//	◁think▷Two.◁/think▷Wait.<|calls|><|call|>functions.f:0<|args|>{"a": 1}<|/call|><|call|>functions.g:1<|args|>{}<|/call|><|/calls|>
//
// as the thought "Two.", the text "Wait.", f({"a": 1}) with the id functions.f:0
// and g({}) with functions.g:1.
//
// # Example: XML parameters
//
//	options:
//	  call_arguments: xml
//	  call_open: "<calls>"
//	  call_close: "</calls>"
//	  call_name_open: "<invoke name="
//	  call_end: "</invoke>"
//	  call_key_open: "<parameter name="
//	  call_value_frame: none
//
// reads
//
//	<think>So.</think><calls><invoke name="f"><parameter name="a">x < y</parameter></invoke><invoke name="g"></invoke></calls>Done.
//
// as the thought "So.", f with a = "x < y", g without arguments and the text "Done.".
// The host types each value by the tool's schema.
//
// # Example: structured arguments
//
//	options:
//	  reasoning_start: reasoning
//	  call_arguments: structured
//	  call_open: ""
//	  call_close: ""
//	  call_separator: "\n"
//	  call_name_open: "<tool_call>"
//	  call_name_close: "<tool_sep>"
//	  call_end: "</tool_call>"
//
// reads
//
//	Look.</think><tool_call>f<tool_sep><arg_key>a</arg_key><arg_value>1</arg_value></tool_call>\n<tool_call>g<tool_sep></tool_call>\nDone.
//
// as the thought "Look.", f with a = 1, g without arguments and the text "\nDone.":
// only between two calls the line feed is no text.
package markers
