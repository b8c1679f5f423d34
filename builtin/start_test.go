package builtin

import (
	"slices"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/sdk"
)

// promptEnd is how a rendered prompt ends, and the channel that it leaves open.
type promptEnd struct {
	tail string
	want abi.Channel
}

// templateEnds are the ends that chat templates write, by parser.
var templateEnds = map[string][]promptEnd{
	"deepseek_v3": {
		{"<｜Assistant｜>", abi.ChannelContent}, {"<｜Assistant｜><think>", abi.ChannelReasoning},
		{"<｜Assistant｜></think>", abi.ChannelResponse}, {"</function_results>\n\n<think>", abi.ChannelReasoning},
		{"<｜tool▁output▁end｜>", abi.ChannelContent},
	},
	"deepseek_r1": {{"<｜Assistant｜>", abi.ChannelContent}, {"<｜Assistant｜><think>\n", abi.ChannelReasoning}},
	"deepseek_v4": {
		{"<｜Assistant｜><think>", abi.ChannelReasoning}, {"<｜Assistant｜></think>", abi.ChannelResponse},
		{"<｜Assistant｜><｜action｜>", abi.ChannelContent},
	},
	"deepseek_v41": {
		{"<｜Assistant｜><think>", abi.ChannelReasoning}, {"<｜Assistant｜></think>", abi.ChannelResponse},
		{"<｜Assistant｜><｜action｜>", abi.ChannelContent},
	},
	"gemma4": {
		{"<|turn>model\n", abi.ChannelContent}, {"<|turn>model\n<|channel>thought\n<channel|>", abi.ChannelResponse},
		{"<|turn>model\n<|channel>thought\n<channel|>\n", abi.ChannelResponse},
		{"<|turn>model\n<|channel>thought\nhm<channel|>", abi.ChannelContent},
		{"x<tool_response|>", abi.ChannelContent}, {"x<tool_response|><|channel>thought\n", abi.ChannelReasoning},
		{"x<tool_response|><|channel>", abi.ChannelReasoning}, {"x<tool_response|><|channel>thought", abi.ChannelReasoning},
		{"<|channel>thought\n<|tool_call>call:f{}<tool_call|><|tool_response>", abi.ChannelContent},
	},
	"glm": {
		{"<|assistant|>", abi.ChannelContent}, {"<|assistant|><think>", abi.ChannelReasoning}, {"<|assistant|><think>\n", abi.ChannelReasoning},
		{"<|assistant|></think>", abi.ChannelContent}, {"<|assistant|>\n<think></think>\n", abi.ChannelContent},
	},
	"kimi_k2": {
		{"<|im_assistant|>assistant<|im_middle|>", abi.ChannelContent}, {"<|im_assistant|>assistant<|im_middle|><think>", abi.ChannelReasoning},
		{"<|im_assistant|>assistant<|im_middle|><think></think>", abi.ChannelResponse},
		{"<|im_assistant|>assistant<|im_middle|><think> </think>\n", abi.ChannelResponse},
	},
	"kimi_k3": {
		{`<|open|>message role="assistant"<|sep|>`, abi.ChannelContent},
		{`<|open|>message role="assistant"<|sep|><|open|> think ` + "\n<|sep|>\n", abi.ChannelReasoning},
		{`<|open|>message role="assistant"<|sep|><|open|>response<|sep|>`, abi.ChannelResponse},
		{"<|open|>think<|sep|><|close|>think<|sep|>", abi.ChannelContent},
	},
	"minimax_m2": {{"]~b]ai\n<think>\n", abi.ChannelReasoning}, {"]~b]ai\n", abi.ChannelContent}},
	"minimax_m3": {
		{"]~b]ai\n<mm:think>", abi.ChannelReasoning}, {"]~b]ai\n<mm:think></mm:think>", abi.ChannelResponse}, {"<think>", abi.ChannelContent},
	},
	"muse_glimmer": {
		{"hi<|eot|><|start|>assistant", abi.ChannelContent}, {"hi<|eot|><|start|>assistant to=self<|message|>", abi.ChannelReasoning},
		{"hi<|eot|><|start|> assistant  to=self <|message|>\n", abi.ChannelReasoning},
		{"hi<|eot|><|start|>assistant to=self<|message|>so far<|eom|>", abi.ChannelContent},
		{"hi<|eot|><|start|>assistant to=user<|message|>", abi.ChannelResponse}, {"hi<|eot|><|start|>assistant to=f<|message|>", abi.ChannelContent},
	},
	"qwen3": {
		{"<|im_start|>assistant\n<think>\n", abi.ChannelReasoning}, {"<|im_start|>assistant\n<think>\n\n</think>\n\n", abi.ChannelContent},
		{"<|im_start|>assistant\n", abi.ChannelContent},
	},
}

// markerEnds are ends made of the parser's own prompt markers.
func markerEnds(p *manifest.Parser) []promptEnd {
	ends := []promptEnd{{"assistant\n", abi.ChannelContent}, {"", abi.ChannelContent}}
	if p.Prompt == nil {
		return append(ends, promptEnd{"assistant\n<think>\n", abi.ChannelContent})
	}
	closed := abi.ChannelResponse
	if p.Prompt.ClosedPair == "none" {
		closed = abi.ChannelContent
	}
	for _, opener := range p.Prompt.Reasoning {
		ends = append(ends, promptEnd{opener, abi.ChannelReasoning}, promptEnd{"assistant " + opener + " \n", abi.ChannelReasoning},
			promptEnd{opener + "x", abi.ChannelContent})
		for _, closer := range p.Prompt.Response {
			ends = append(ends, promptEnd{opener + closer, closed}, promptEnd{opener + "\n\n" + closer + "\n\n", closed},
				promptEnd{opener + closer + "x", abi.ChannelContent})
		}
	}
	return ends
}

// Which channel the prompt left open is decided by the manifest, and no parser
// decides otherwise. Parsers that don't read thoughts always start in the answer.
func TestStartIsFinal(t *testing.T) {
	seen := map[string]bool{}
	for i, described := range manifests(t) {
		for _, p := range described.Parsers {
			if p.Kind != manifest.Unified && p.Kind != manifest.Reasoning {
				continue
			}
			seen[p.Name] = true
			for _, end := range slices.Concat(markerEnds(&p), templateEnds[p.Name]) {
				start := p.StartAfter(end.tail)
				if start != end.want {
					t.Errorf("%s, %q: channel %d, want %d", p.Name, end.tail, start, end.want)
				}
				for _, mode := range []abi.Mode{abi.ModeNative, abi.ModeGuidedRequired} {
					open := &abi.OpenBlock{Parser: p.Name, Start: start, Mode: mode, PromptTail: end.tail, Flags: abi.OpenReasoning, Tools: []string{"f"}}
					if got, told := channelOf(Modules[i], open); told && got != start && (p.Prompt != nil || p.Thinking != nil) {
						t.Errorf("%s, mode %d, %q: the parser starts in channel %d, not in %d", p.Name, mode, end.tail, got, start)
					}
				}
			}
		}
	}
	for name := range templateEnds {
		if !seen[name] {
			t.Errorf("no parser %s", name)
		}
	}
}

// channelOf is the channel that a session says it starts in, if it does.
func channelOf(m *sdk.Module, open *abi.OpenBlock) (c abi.Channel, told bool) {
	_, answer := sdk.Open(m, open)
	for _, e := range answer.Events {
		if e.Kind == abi.State {
			return abi.Channel(e.Flags), true
		}
	}
	return abi.ChannelUnknown, false
}
