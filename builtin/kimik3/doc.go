// Package kimik3 reads what Kimi K3 writes, which its makers call XTML:
//
//	turn      = [ message ] { channel } [ CLOSE "message" SEP ] [ "<|end_of_msg|>" ] ;
//	message   = OPEN "message" { attr } SEP ;
//	channel   = think | response | tools ;
//	think     = OPEN "think" SEP text CLOSE "think" SEP ;
//	response  = OPEN "response" SEP text CLOSE "response" SEP ;
//	tools     = OPEN "tools" SEP { call } CLOSE "tools" SEP ;
//	call      = OPEN "call" tool index SEP ( { argument } | json ) CLOSE "call" SEP ;
//	argument  = OPEN "argument" key type SEP value CLOSE "argument" SEP ;
//	json      = OPEN "json" type SEP object CLOSE "json" SEP ;
//	attr      = " " name '="' value '"' ;   (* tool, index, key and type are such *)
//	OPEN      = "<|open|>" [ " " ] ;
//	CLOSE     = "<|close|>" [ " " ] ;
//	SEP       = [ " " ] "<|sep|>" ;
//
// In attributes &quot; and &amp; stand for a quotation mark and an ampersand. The
// four bracketed markers are special tokens, which an engine must not skip: the
// answer itself stands in a channel. "<|end_of_msg|>" ends the turn; only the
// generation configuration names it.
//
// # Channels
//
//   - Channels come in any order and number. Text outside them is text.
//   - A thought ends at its closer; at the closer without its separator, if
//     another marker or the end follows; and at a response's opener. Tools in a
//     thought are read, and the thought goes on behind them.
//   - In a response, opened by the model or by the prompt, markers of thoughts are
//     text. Calls are read.
//   - Stray closers, an echoed opener, and an argument that belongs to no call are
//     taken out. A closer of a response does not end a thought.
//   - Behind the closer of the message or the end marker nothing is emitted.
//   - In a tools channel nothing but calls counts. A channel's opener ends it, so
//     that a forgotten closer does not swallow the answer (decided here).
//   - A marker that the end of the text cut, from its whole opener on, is dropped.
//   - Markers in quotations are prose; the rule is that of package prose.
//   - Without tools in the request nothing is a call, and call markup is text; the
//     channels' own markers are still taken out.
//
// # Calls
//
//   - The id is the name, ":" and the index less one; the index as it stands if it
//     is no positive number; the name alone without one. The host keeps ids unlike.
//   - A call without a tools channel is a call. One without a name
//     is prose, and so is the opener of a tools channel that no call follows.
//   - The argument's type decides, never the request's schema: "string", or none,
//     is text as it stands; all others are JSON, and text if they are none.
//   - Of a key that comes twice the last value counts, if it comes within 512
//     bytes behind the first one's header: so long the first is not emitted. Later,
//     the first counts, since a client may have it already.
//   - A json block that holds no object makes no call.
//   - A body that is neither arguments nor a json block is dropped up to the next
//     call's header.
//   - A call without its closer is whole if an argument or the json block has been
//     closed and the tools' or message's closer, the next call, or the end follows.
//
// # Where a value ends
//
// Text is raw, so closers in it may be data. An argument's closer ends the value
// if an argument's header follows, or the call's closer and then the next call's
// header, the tools' or message's closer, the end marker, the closer of the
// channel that the call stands in, or the end of the text; white space between
// does not count. Without a call's closer, the message's closer and the end do too,
// also behind the tools' closer, and so does the header of a call that has a body
// (decided here: the next call is not lost). Anything else makes it data, but for
// these, of which the first is kept: a call's closer with text behind it, and a
// closer of tools, or a json block or a call's header without a body, without a
// call's closer. If no better closer comes up to the end of the message, the thought
// or the text, the kept one was the end. (A bare call in a thought has text behind it.)
//
// A tools channel that is opened inside a value, as in a file about this format,
// closes there too: calls in it are data, unless the turn ends right behind it.
//
// In JSON, markers in strings are data, as long as it is JSON.
//
// # Streaming
//
// The call and its id are emitted when the header closes, a key as told above, a
// value as it comes, up to a kept closer.
//
// # Guided decoding
//
// A named choice is held to the call by a structural tag, which makes native
// calls (Constraint): arguments one by one where all properties say their type,
// else a json block. In the guided modes the model writes bare JSON.
//
// # Sources
//
// ai-dynamo/frontend-crates: parsers/v2/src/unified/kimi_k3.rs with its tests,
// unified/kimi_k3/structural_tag.rs, structural_tag/builders/kimi.rs,
// conformance/utils/lib/parsers/UNIFIED_CASES.md; lightseekorg/smg:
// crates/tool_parser/src/parsers/kimi_k3.rs, crates/reasoning_parser/src/parsers/kimi_k3.rs,
// crates/tokenizer/src/encoders/kimi_k3_xtml.rs. A tools channel in an open
// thought: vllm-project/vllm#53246; a message's closer without the response's: #51399.
package kimik3
