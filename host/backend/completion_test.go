package backend

import (
	"errors"
	"testing"

	"github.com/turnkey-parsers/turnkey/host/openai"
)

func TestAppendCompletion(t *testing.T) {
	chat, refused := openai.DecodeRequest([]byte(`{"model":"m","messages":[{"role":"user","content":"hi"}],"temperature":0.5,
		"max_completion_tokens":64,"stop":["###"],"tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":"auto",
		"chat_template_kwargs":{"thinking":true},"top_k":3}`))
	if refused != nil {
		t.Fatal(refused)
	}
	p, err := ProfileByName("vllm")
	if err != nil {
		t.Fatal(err)
	}
	r := &Request{Chat: chat, Model: "served", Prompt: "<user>hi \"there\"<think>", RawText: true, ShowTools: true, SpecialTokens: true, TokenIDs: true,
		TemplateArgs: chat.ChatTemplateKwargs, Guided: Guided{Kind: GuidedJSON, Value: openai.Raw(`{"type":"object"}`)}}
	got, err := p.AppendCompletion(nil, r)
	const want = `{"model":"served","temperature":0.5,"stop":["###"],"top_k":3,"stream":true,"stream_options":{"include_usage":true},` +
		`"skip_special_tokens":false,"spaces_between_special_tokens":false,"return_token_ids":true,` +
		`"structured_outputs":{"json":{"type":"object"}},"prompt":"<user>hi \"there\"<think>","max_tokens":64}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}

	var refusal *Error
	if _, err := p.AppendCompletion(nil, &Request{Chat: chat}); !errors.As(err, &refusal) || refusal.Status != 400 || refusal.Shown() == "" {
		t.Errorf("without a prompt: %v", err)
	}
	chat.Logprobs = true
	if _, err := p.AppendCompletion(nil, r); !errors.As(err, &refusal) || refusal.Status != 400 {
		t.Errorf("with logprobs: %v", err)
	}
}
