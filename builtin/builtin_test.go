package builtin

import (
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi/manifest"
)

func manifests(t *testing.T) manifest.Set {
	var set manifest.Set
	for _, m := range Modules {
		d, err := manifest.Parse([]byte(m.Manifest))
		if err != nil {
			t.Fatal(err)
		}
		set = append(set, d)
	}
	return set
}

// No two parsers of all modules claim one name.
func TestNamesAreUnique(t *testing.T) {
	owner := map[string]string{}
	for _, m := range manifests(t) {
		for _, p := range m.Parsers {
			for _, name := range append([]string{p.Name}, p.Aliases...) {
				name = manifest.Normalise(name)
				if other, taken := owner[name]; taken && other != p.Name {
					t.Errorf("%s: claimed by %s and %s", name, other, p.Name)
				}
				owner[name] = p.Name
			}
		}
	}
}

// Operators can keep the names that engines have for their parsers.
func TestEnginesNames(t *testing.T) {
	set := manifests(t)
	for engine, names := range map[string]string{
		"vLLM reasoning": `deepseek_r1 deepseek_v3 ernie45 glm45 openai_gptoss granite hunyuan_a13b kimi_k2 minimax_m2
			minimax_m2_append_think mistral nemotron_v3 olmo3 qwen3 seed_oss step3 step3p5 holo2`,
		"vLLM tools": `deepseek_v3 deepseek_v31 ernie45 glm45 granite granite4 hermes hunyuan_a13b jamba kimi_k2 llama3_json
			llama4_pythonic longcat minimax_m2 mistral olmo3 openai phi4_mini_json pythonic qwen3_coder qwen3_xml seed_oss step3p5`,
		"SGLang reasoning": `deepseek-r1 deepseek-v3 glm45 gpt-oss kimi kimi_k2 qwen3 qwen3-thinking minimax
			minimax-append-think step3 step3p5 interns1 nano_v3`,
		"Dynamo reasoning": `basic deepseek_r1 gpt_oss granite kimi kimi_k25 minimax_append_think mistral nemotron_deci
			nemotron_nano nemotron3 qwen3 step3 kimi interns1`,
		"Dynamo tools": `deepseek_v3 harmony hermes jamba kimi_k2 llama3_json mistral nemotron_deci nemotron_nano phi4 pythonic
			qwen3_coder glm47 minimax_m2`,
	} {
		for _, name := range strings.Fields(names) {
			if _, ok := set.Find(name); !ok {
				t.Errorf("%s: no parser has the name %s", engine, name)
			}
		}
	}
}
