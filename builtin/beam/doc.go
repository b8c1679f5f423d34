// Package beam is the parser module of Beam: channel messages in the manner of
// the harmony format, with XML parameters for calls.
//
// # Grammar
//
//	turn     = { analysis | call | final }
//	analysis = [ S ] "<|channel|>analysis<|message|>" text "<|end|>"
//	call     = [ S ] " to=" NAME "<|channel|>analysis" [ " <|constrain|>xml" ] "<|message|>" { ws param } ws ( "<|call|>" | "<|end|>" )
//	final    = [ S ] "<|channel|>final<|message|>" text ( "<|return|>" | "<|end|>" )
//	param    = '<rfl:parameter name="' KEY '">' VALUE "</rfl:parameter>"
//	S        = "<|start|>assistant"
//
// What tells a call from a thought is "to=NAME" before the channel; the channel's
// word is the same. NAME goes up to white space or a marker, dots included; KEY has
// no quotation mark. Headers are read by package channel, which harmony shares.
//
// # Rules
//
//   - analysis is reasoning, final is content, any message with a recipient is a
//     call, on every channel. The order of the turn is kept.
//   - A value ends at the first "</rfl:parameter>"; all other markers in it are
//     data, entities are not decoded, white space is kept. The host types it by the
//     tool's schema: a string stays a string.
//   - A call ends at "<|call|>" or "<|end|>". Without parameters it is {}.
//   - "<|return|>" ends the turn: nothing behind it is shown.
//   - A message whose closer is missing ends where the next header begins (as in
//     harmony), but a call is then dropped.
//   - Between messages white space and stray closers are framing; other bytes are
//     text, under a turn grammar an error.
//   - A quoted closer in a thought or an answer is prose (the rule that all
//     families share).
//   - Messages of one kind that directly follow each other are blocks of their
//     own: the host puts a line feed between them, as for harmony.
//   - Without tools in the request a message with a recipient is the model's
//     text, verbatim.
//
// # The turn grammar
//
// Beam may run under a grammar that constrains the whole turn. Then
//
//   - a call whose parameters are whole, at least one, and whose closer is missing
//     is complete if the model's EOS was confirmed (finish reason 1), also with
//     "<|return|>" in the text;
//   - a malformed call (words between parameters, a second parameter closer, a
//     parameter left open at a confirmed EOS) is an error of the request. Without the
//     grammar it is dropped up to the next closer or header.
//
// With the grammar or without, such a call is complete at a bare end: where nothing
// stands behind it and nothing cut the answer. A cut by length, a user's stop or the
// transport never completes a call and never makes an error.
//
// # Constraint
//
// The structural tag covers the whole turn (scope "turn"), so a request that gets
// it runs under the turn grammar.
//
// # Sources
//
// lightseekorg/smg (tests of its response template parser), ai-dynamo/dynamo#17625
// for the turn grammar; the rest follows the sibling harmony format.
package beam
