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
		"Qwen/Qwen3-Next-80B-A3B-Instruct",
		"Qwen/Qwen3-VL-235B-A22B-Instruct",
		"NousResearch/Hermes-4-70B",
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
	"kimi_k2": {
		"moonshotai/Kimi-K2-Instruct-0905",
		"moonshotai/Kimi-K2-Thinking",
		"moonshotai/Kimi-K2.5",
	},
	"kimi": {
		"moonshotai/Kimi-VL-A3B-Thinking-2506",
		"moonshotai/Kimi-Dev-72B",
	},
	"step3": {
		"stepfun-ai/step3",
	},
	"step3p5": {
		"stepfun-ai/Step-3.5-Flash",
	},
	"interns1": {
		"internlm/Intern-S1",
		"internlm/Intern-S1-mini",
		"internlm/internlm3-8b-instruct",
		"internlm/internlm2_5-7b-chat",
	},
	"minimax_m2": {
		"MiniMaxAI/MiniMax-M2",
		"MiniMaxAI/MiniMax-M2.1",
	},
	"harmony": {
		"openai/gpt-oss-20b",
		"openai/gpt-oss-120b",
	},
	"seed_oss": {
		"ByteDance-Seed/Seed-OSS-36B-Instruct",
	},
	"granite": {
		"ibm-granite/granite-3.3-8b-instruct",
	},
	"granite4": {
		"ibm-granite/granite-4.0-h-small",
	},
	"lfm2": {
		"LiquidAI/LFM2-8B-A1B",
		"LiquidAI/LFM2.5-1.2B-Instruct",
	},
	"olmo3": {
		"allenai/Olmo-3-7B-Instruct",
	},
	"longcat": {
		"meituan-longcat/LongCat-Flash-Chat",
	},
	"ernie45": {
		"baidu/ERNIE-4.5-21B-A3B-Thinking",
	},
	"jamba": {
		"ai21labs/AI21-Jamba-Large-1.7",
		"ai21labs/AI21-Jamba-Mini-1.6",
	},
	"hunyuan_a13b": {
		"tencent/Hunyuan-A13B-Instruct",
	},
	"hy_v3": {
		"tencent/Hy3-preview",
	},
	"phi4": {
		"microsoft/Phi-4-mini-instruct",
	},
	"nemotron_v3": {
		"nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
	},
	"think": {
		"Hcompany/Holo2-8B",
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
