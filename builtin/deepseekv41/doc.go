// Package deepseekv41 is the parser module of DeepSeek V4.1. It reads DSML like
// package deepseekv4, with a space in every tag, exact headers, and closers that
// may be data.
//
// # Grammar
//
// D stands for ｜DSML｜, with bars U+FF5C; the space behind it is one U+0020.
//
//	turn      = { text | thought | block | invoke } ;
//	thought   = "<think>" { text | block | invoke } ( "</think>" | EOF ) ;
//	block     = [ "\n\n" ] "<D calls>" { ws invoke } ws ( "</D calls>" | EOF ) ;
//	invoke    = [ "\n\n" ] '<D invoke name="' name '">' ws ( object ws | { parameter ws } ) "</D invoke>" ;
//	parameter = '<D parameter name="' key '" string="' ( "true" | "false" ) '">' value "</D parameter>" ;
//
// The tags of V4 are text here, and those of V4.1 there. Prompt, prose, streaming
// and guided decoding are as in package deepseekv4; what follows is what differs.
//
// # Calls
//
//   - A call is made only if its whole body parses: exact headers, a name, distinct
//     keys, string="false" values that are JSON, and nothing but white space
//     between. Else it is dropped, and its neighbours stay. (Upstream's unit tests
//     raise an error; its corpus drops the call.)
//   - Models quote DSML in the documents that they write, so </D parameter> in a
//     string value may be data. Of all ways to end the string values with which
//     the body parses, the one with the first closers counts; else the one in
//     whose values the fewest openers and closers stand unpaired; of those the one
//     with the earliest closers. A value with an unpaired closer and an unpaired
//     opener behind it does not count: it would swallow the end of one parameter
//     and the start of the next. A closer with a malformed header behind it is not
//     skipped. A JSON value always ends at its first closer.
//   - The call ends at the first </D invoke> that stands between values, if each
//     value ends at its first closer. If one of the string values held an opener
//     of a parameter, that end may be quoted, and the end of the text decides: the
//     first end stands if the text makes sense with it, else the first later one
//     (of 16) with which it does, else the first. It makes sense if the body
//     parses, well-formed calls and the block's closer follow, or the end of the
//     text, and behind it no DSML closer is stranded outside of a block or call.
//   - The search stops after 16 parses, or 64 steps and 4 for each closer; the best
//     so far stands. All searches for ends in one text read it 64 times at most.
//     A call of 1 MiB, less 64 KiB, that still has no end is read with the first
//     closers, as V4's are; one that waits so long for the end of the text ends at
//     its first end.
//   - A value that never closes ends with the first closer of an invoke or block in
//     it, as in V4. The block's closer, or another call, directly behind a
//     parameter ends the call, unless a value has held an opener; behind other
//     bytes it is data as long as a closer of the call follows.
//   - A malformed header ends its call at the first closer behind it.
//
// # Streaming
//
// The name is emitted with the header, the first key with its header, and the first
// value, if it is a string, up to the first DSML tag in it: so much is part of
// every parse. The rest comes with the call's closer, or with the end of the text
// where that decides.
//
// # Guided decoding
//
// Behind a header, a JSON object is the payload where one tool's arguments are
// asked for, and a native call where a list of calls is. The constraint for
// native calls writes arguments as a JSON body: xgrammar's style deepseek_xml has
// no space in its tags.
//
// # Sources
//
// ai-dynamo/frontend-crates: parsers/v2/src/unified/deepseek_v41.rs,
// parsers/v2/tests/{dsml_separator,native_prose_quotes}.rs, the corpus in
// conformance, pull request 252; ai-dynamo/dynamo#15030; smg-project/smg#2525;
// sgl-project/sglang: deepseekv41_detector.py; vllm-project/vllm:
// vllm/parser/deepseek_v41.py.
package deepseekv41
