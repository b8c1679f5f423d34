package builtin

import (
	"strings"
	"testing"
)

// suggested are models by the name of the one parser that suggests itself for
// them; "" is for models that no parser claims.
var suggested = map[string][]string{
	"": {
		"google/gemma-3-27b-it",
		"gemma-42",
		"glm-4-9b-chat",
		"THUDM/GLM-4-32B-0414",
		"muse-x",
	},
	"deepseek_r1": {
		"deepseek-ai/DeepSeek-R1-0528",
		"deepseek-ai/DeepSeek-R1-Distill-Qwen-32B",
		"deepseek-ai/DeepSeek-R1-Distill-Llama-70B",
	},
	"deepseek_v3": {
		"deepseek-ai/DeepSeek-V3-0324",
		"deepseek-ai/DeepSeek-V3.1-Terminus",
		"deepseek-ai/DeepSeek-V3.2-Exp",
		"deepseek-ai/DeepSeek-V3.2",
	},
	"deepseek_v4": {
		"deepseek-ai/DeepSeek-V4",
		"deepseek-ai/DeepSeek-V4-Pro",
	},
	"deepseek_v41": {
		"deepseek-ai/DeepSeek-V4.1",
		"deepseek_v4_1",
	},
	"gemma4": {
		"google/gemma-4-27b-it",
		"gemma4:e2b",
		"Gemma 4 E4B",
	},
	"glm": {
		"zai-org/GLM-4.5-Air",
		"GLM-4.7",
		"glm-5",
		"glm45",
		"zai-org/GLM-5.2-FP8",
	},
	"hermes": {
		"Qwen/Qwen2.5-72B-Instruct",
		"Qwen/Qwen3-8B",
		"Qwen/Qwen3-235B-A22B-Thinking-2507",
		"Qwen/Qwen3-0.6B",
		"Qwen/QwQ-32B",
		"NousResearch/Hermes-3-Llama-3.1-8B",
		"NousResearch/Hermes-2-Pro-Mistral-7B",
		"Qwen/Qwen2.5-Coder-32B-Instruct",
	},
	"llama3_json": {
		"meta-llama/Llama-3.1-8B-Instruct",
		"meta-llama/Meta-Llama-3.1-405B-Instruct-FP8",
		"meta-llama/Llama-3.3-70B-Instruct",
		"meta-llama/Llama-3.2-11B-Vision-Instruct",
	},
	"mistral": {
		"mistralai/Mistral-7B-Instruct-v0.3",
		"mistralai/Mixtral-8x22B-Instruct-v0.1",
		"mistralai/Magistral-Small-2507",
		"unsloth/Devstral-Small-2505",
		"mistralai/Ministral-3-8B-Instruct-2512",
	},
	"muse_glimmer": {
		"acme/Muse-Glimmer-70B",
		"muse_glimmer",
	},
	"nemotron_deci": {
		"nvidia/Llama-3.1-Nemotron-70B-Instruct-HF",
		"nvidia/Llama-3_3-Nemotron-Super-49B-v1_5",
	},
	"pythonic": {
		"meta-llama/Llama-3.2-3B-Instruct",
		"meta-llama/Llama-3.2-1B-Instruct",
		"meta-llama/Llama-4-Scout-17B-16E-Instruct",
		"Team-ACE/ToolACE-8B",
	},
	"qwen3": {
		"Qwen/Qwen3-Coder-480B-A35B-Instruct",
		"Qwen/Qwen3.5-397B-A17B",
		"qwen3-coder-next",
		"Qwen3.8-Max",
	},
}

func TestSuggestedModels(t *testing.T) {
	set := manifests(t)
	for parser, models := range suggested {
		for _, model := range models {
			t.Run(strings.ReplaceAll(model, "/", "_"), func(t *testing.T) {
				var got []string
				for _, described := range set {
					for i := range described.Parsers {
						if described.Parsers[i].Suggests(model) {
							got = append(got, described.Parsers[i].Name)
						}
					}
				}
				if names := strings.Join(got, " "); names != parser {
					t.Errorf("%s: suggested by %q, want %q", model, names, parser)
				}
			})
		}
	}
}
