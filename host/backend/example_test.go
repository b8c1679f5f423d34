package backend_test

import (
	"fmt"

	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// What the host decides takes the place of the client's members; all others pass as
// the client sent them.
func ExampleProfile_AppendRequest() {
	chat, err := openai.DecodeRequest([]byte(`{"model":"m","messages":[{"role":"user","content":"Hi"}],"temperature":0.5}`))
	if err != nil {
		panic(err)
	}
	vllm, err := backend.ProfileByName("vllm")
	if err != nil {
		panic(err)
	}
	fmt.Println(string(vllm.AppendRequest(nil, &backend.Request{Chat: chat, Model: "/weights/m", SpecialTokens: true})))
	// Output:
	// {"model":"/weights/m","messages":[{"role":"user","content":"Hi"}],"temperature":0.5,"stream":true,"stream_options":{"include_usage":true},"skip_special_tokens":false,"spaces_between_special_tokens":false}
}
