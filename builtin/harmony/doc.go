// Package harmony is the parser module of gpt-oss and of other models that were
// trained on the harmony message format.
//
// # Grammar
//
//	turn        = [ opening ] { message | prose }
//	opening     = header-rest                        (the prompt ends in <|start|>assistant)
//	message     = [ "<|start|>" role ] header-rest body
//	role        = "assistant" | tool-name | "user" | "system" | "developer" | "tool"
//	header-rest = [ sp "to=" recipient ] "<|channel|>" channel [ sp "to=" recipient ] [ type ] "<|message|>"
//	type        = [ sp ] "<|constrain|>" word | sp word
//	channel     = "analysis" | "commentary" | "final"
//	recipient   = "functions." name | name | builtin | "assistant"
//	body        = text ( "<|end|>" | "<|call|>" | "<|return|>" | before "<|start|>" | before "<|channel|>" | EOF )
//
// A recipient ends at white space or at "<|". All markers are special tokens: an
// engine that skips them erases the grammar.
//
// # What a message becomes
//
//   - of a role other than assistant: nothing (the model made a tool's answer up);
//   - to functions.NAME, on every channel: a call of NAME, dots and hyphens
//     included (gpt-oss-120b puts about half of its calls on analysis);
//   - to a bare name that the request offers: a call of it;
//   - to another bare name (python, browser.search: tools that the engine would
//     run itself): reasoning on analysis, else text, without its header. The
//     client did not offer it and could not run it;
//   - analysis: reasoning; commentary and final: text. A preamble on commentary is
//     meant for the user.
//
// Two messages of one kind that directly follow each other are blocks of their
// own: the host puts one line feed between them.
//
// # Calls
//
//   - A body is JSON, trimmed; an empty one is {}. In its strings every marker is
//     data.
//   - Whole arguments are a call, whatever comes behind them: engines hide
//     "<|call|>", a model EOS, and the text then ends with the arguments. This holds
//     under every finish reason: the object is whole.
//   - A body that is no JSON ends at the first closer; the call is unsound. One
//     that the next header ends, or the text, is dropped.
//   - The grammar has no ids: the host makes them.
//
// # Between messages
//
// Words are text, white space around them too; white space between messages and
// stray closers are framing; half a header at the end is never visible. A marker
// that begins no header is prose, in a body too. After "<|call|>" and
// "<|return|>" the turn may go on.
//
// In a message's body a quoted marker is prose (the rule that all families
// share). Think tags mean nothing. Without tools in the request a message to a
// function is the model's text, verbatim.
//
// # Sources
//
// The harmony format's description; ai-dynamo/dynamo#9778 and #10366,
// vllm-project/vllm#35907 and #32587, sgl-project/sglang#9043; the parsers of vLLM,
// SGLang, SMG, Ollama and Dynamo, which differ in the rules above.
package harmony
