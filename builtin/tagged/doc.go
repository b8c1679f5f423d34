// Package tagged is the parser module of the smaller families whose thoughts and
// calls stand between tags. They differ in the tags and in what stands between
// them, so each is a row in a table; package turn, which reads them all, says what
// they have in common.
//
//	parser         thoughts          start      calls                     body
//	nemotron_deci  <think>           content    <TOOLCALL>                JSON array
//	nemotron_v3    <think>           reasoning  <tool_call>               functions
//	phi4           none              content    functools[ … ]            JSON array
//	granite        two sentences     content    <|tool_call|>, <tool_call>, no closer  JSON array
//	granite4       none              content    <tool_call>               JSON object
//	seed_oss       <seed:think>      content    <seed:tool_call>          functions
//	hunyuan_a13b   <think>           content    <tool_calls>              JSON array
//	hy_v3          <think>           content    <tool_calls>              functions, key and value tags
//	step3          <think>           reasoning  <｜tool_calls_begin｜>      functions, in tags of their own
//	interns1       <think>           content    <|action_start|><|plugin|>  JSON object
//	step3p5        <think>           reasoning  <tool_call>               functions
//	longcat        <longcat_think>   content    <longcat_tool_call>       JSON object
//	ernie45        <think>           reasoning  <tool_call>               JSON object
//	jamba          none              content    <tool_calls>              JSON array
//	lfm2           <think>           content    <|tool_call_start|>       Python list, or JSON
//	olmo3          <think>           reasoning  <function_calls>          Python calls, one a line
//
// "start" is where a session begins whose prompt is not known, if reasoning is
// wanted. Each parser NAME has NAME_tools, NAME_batch and, if it thinks,
// NAME_reasoning.
//
// # Grammar
//
//	turn      = { thought | text | block } ;
//	thought   = THINK { text | block } ( ENDTHINK | EOF ) ;
//	block     = OPEN ws body ws ( CLOSE | EOF ) ;
//	array     = "[" object { "," object } "]" ;
//	object    = JSON object with "name" and "arguments" | "parameters", in any order ;
//	functions = { "<function=" NAME ">" { "<parameter=" KEY ">" value "</parameter>" } "</function>" } ;
//	hy_v3     = { "<tool_call>" NAME "<tool_sep>" { "<arg_key>" KEY "</arg_key>" ws "<arg_value>" value "</arg_value>" } "</tool_call>" } ;
//	list      = see package pycall ;
//
// # Rules of all
//
//   - Text and reasoning are verbatim. Adjacent thoughts join. Stray closers and a
//     second opener in a thought are taken out. Markers in a quotation are prose.
//   - A marker in a JSON string, a Python string or a tagged value is data.
//   - An array where an object is usual, and the other way round, is read too.
//   - A call in a thought is a call, and the thought goes on. In a thought its
//     closer ends a block that never became a call.
//   - No name, no call: an opener that no tool's name follows is prose, and its closer too.
//   - A cut call is dropped, the whole ones before it stay, those of the same array
//     too. A missing closer costs nothing. Where JSON breaks, the first closer
//     behind the opener ends the block.
//   - Missing arguments are {}. Names that were not offered are passed on.
//     JSON outside the tags is text. The grammars carry no ids.
//   - A response that the prompt has opened makes think tags text.
//
// # Rules of some
//
//   - nemotron_deci: a system prompt switches thinking ("detailed thinking on"), so
//     the model opens the thought itself.
//   - phi4: "functools" counts with the bracket directly behind it. phi4 and granite
//     have no closer: the array ends the calls, and text behind it is text.
//   - granite: "Here is my thought process:" opens a thought as the first thing of
//     the output only, white space before it goes with it, and "Here is my
//     response:" ends it once; "Here's" does in both. They are prose anywhere else.
//     Decided here: without the second sentence all that follows is reasoning, for
//     a stream can't take it back. A bare "[" is text; upstream takes it for a call.
//   - granite4: the arguments may be a JSON string that holds their object; one that
//     holds none makes no call.
//   - seed_oss: <seed:cot_budget_reflect> in a thought is thought text. A value is
//     verbatim: its template writes no line feeds round it.
//   - hunyuan_a13b: one line feed behind <think> and <answer>, on each side of
//     </think> and before </answer> belongs to the tag. The answer tags are taken
//     out.
//   - step3p5: one line feed on each side of </think> belongs to it. A function
//     without its block is a call if it names a tool that was offered, as in
//     nemotron_v3 and seed_oss.
//   - hunyuan_a13b: "助手：" is a role's word at the start of an answer, and is taken off.
//   - hy_v3: all tags carry one suffix, ":opensource" in Hy3 and another in each
//     checkpoint of Hy4: the option "suffix" says it, or the prompt's end, or the first
//     tag of the output. Hy4 writes no <tool_sep>: the first <arg_key> ends the name.
//   - hy_v3: a value is verbatim, line feeds too, and typed by the schema. So is a
//     call without the outer tags, if it names a tool that was offered.
//   - longcat: the thinking checkpoints have <longcat_think>, which vLLM reads since its
//     longcat reasoning parser.
//   - ernie45: up to two line feeds behind </think> belong to it, as does one inside
//     each response tag. The response tags are taken out.
//   - lfm2: names may be dotted. A "{", or a "[" with a "{" behind it, is JSON.
//     Where a checkpoint repeats a block's body behind its closer, that is structure.
//   - lfm2, olmo3: from something that is no Python call on, the rest of the block
//     is dropped; calls before it stay.
//
// # Sources
//
// vllm-project/vllm: vllm/tool_parsers/{phi4mini,granite,granite4,seed_oss,hunyuan_a13b,
// step3p5,longcat,ernie45,jamba,olmo3}_tool_parser.py, vllm/reasoning/*, rust/src/parser;
// ai-dynamo/frontend-crates: parsers/v1/src/tool_calling/config.rs,
// conformance/utils/lib/parsers/UNIFIED_CASES.md; ollama/ollama: model/parsers;
// mudler/LocalAI (JSON of lfm2). Brackets and constants in Python lists:
// vllm-project/vllm#48171.
package tagged
