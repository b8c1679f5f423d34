// Package museglimmer reads what Muse Glimmer writes: messages that are routed by
// their recipient, and calls in ATEM tags.
//
//	turn      = message { message } ;
//	message   = header body ( "<|eom|>" | "<|eot|>" ) ;
//	header    = [ "<|start|>" [ "assistant" ] ] [ ws "to=" recipient ] "<|message|>" ;
//	recipient = characters other than white space and "<" ;
//	body      = reasoning for "self", text for "user" or nobody, else ATEM ;
//	ATEM      = [ "<atem:function_calls>" ] { ws invoke } ws [ "</atem:function_calls>" ] ;
//	invoke    = `<atem:invoke name="` name `">` { ws parameter } ws "</atem:invoke>" ;
//	parameter = `<atem:parameter name="` key `">` value "</atem:parameter>" ;
//
// The prompt ends with "<|start|>assistant", so the first header begins at its
// recipient. The four markers in bars are special tokens, the tags are text.
// "<|eom|>" must not stop the engine. Sources: the parsers of Dynamo and Ollama,
// with their tests and template. What follows is where they differ or are silent.
//
// # Headers
//
//   - A framed header, one that begins with "<|start|>", ends any body. A start that
//     none follows is taken out; one with another role than assistant's is none.
//   - A bare header counts before the turn's first header, with all white space
//     before it, and in a thought, where a word begins: the model left out the
//     terminator. There the white space is the thought's. Elsewhere it is words.
//   - A recipient begins at the first "to=" of its run.
//   - A terminator or a message marker that has nothing to do is taken out, unless it
//     is quoted. A quotation ends with its message, and at a terminator that is
//     directly followed by "<|start|>".
//   - Half a header at the end is never shown, unless it may be words: a bare one is
//     words until its marker has begun, or anything stands before it.
//   - Three or more characters of a special token, at the end or directly before
//     another, are dropped; so what is left round a marker makes no new one.
//   - A thought that directly follows another is a block of its own: the host puts
//     one line feed between them. Answers join as they are.
//
// # Calls
//
//   - The recipient only routes, the invoke names the tool. Words in a message to a
//     tool are for nobody. A namespace that stands twice before a declared tool's
//     name goes once; a message marker that slipped into a tag goes.
//   - A call is complete at its invoke's closer, or at the block's in its place; at
//     the message's end without one it is dropped.
//   - A declared parameter's value is read by its schema: a declared string stays one.
//     A text in quotation marks, and the value of a parameter that is not declared, is
//     JSON if all of it parses, else a string as it stands.
//   - An open parameter owns everything up to the closer behind which, after white
//     space, the call goes on or the text ends. A parameter's tag at a line's start ends a
//     value whose closer was forgotten, if its key is declared and was not given yet.
//     "TOOL.KEY" as a tool's name is a parameter whose tag was swallowed. Where no closer follows to the
//     very end, the message ended at the first special token in the value, and what
//     follows is read: so from there on the value waits for its closer.
//   - A block in an answer, or in a message to nobody, is read if its invoke has a
//     name. Other ATEM there, or in a thought, is text; an invoke's closer without an
//     opener in it is taken out.
//   - Without tools in the request, a message to a tool is text as it stands.
//
// # Guided modes
//
// The payload stands outside thoughts and answers. Headers to tools and the tags
// round it are taken out; in a thought they end the thought if the payload follows.
// A native call in its place is a call. Behind an answer that "<|eot|>" ended there is
// no payload. The answer that a prompt left open may be one.
package museglimmer
