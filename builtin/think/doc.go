// Package think is the parser module of reasoning between a pair of markers, for
// models that no family module knows. It reads no calls: a model's tool parser may
// be any.
//
//	parser  aliases                       starts in, where the prompt is not known
//	think        basic, holo2      content: the model writes <think> itself
//	think_open   qwen3_thinking    reasoning: the prompt opens the thought
//	kimi                           content: the marks are ◁think▷ and ◁/think▷
//
// # Grammar
//
//	turn = { text | OPEN thought ( CLOSE | EOF ) } ;
//
// A stray closer, and an opener in a thought, are taken out. A marker in a
// quotation is prose. A prompt that ends in OPEN starts in reasoning; one that ends
// in OPEN CLOSE starts in the answer, in which markers are text.
//
// # Options
//
//	reasoning_open   what opens a thought: <think>. Empty: only the prompt does
//	reasoning_close  what ends it: </think>
//	reasoning_start  content or reasoning: where a session starts whose prompt is not known
//	reasoning_once   true: the markers count once, at the start of the output, and are prose elsewhere
//
// In turnkey.yaml:
//
//	models:
//	  - name: my-thinker
//	    reasoning_parser: think
//	    options:
//	      reasoning_open: "<reason>"
//	      reasoning_close: "</reason>"
//
// An option that can't be used ends the session with an error that names it.
//
// # Sources
//
// The names are those of ai-dynamo/dynamo (basic, kimi), sgl-project/sglang
// (qwen3-thinking, kimi) and vllm-project/vllm (holo2).
package think
