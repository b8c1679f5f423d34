package openai_test

import (
	"errors"
	"fmt"

	"github.com/turnkey-parsers/turnkey/host/openai"
)

func ExampleDecodeRequest() {
	r, err := openai.DecodeRequest([]byte(`{
		"model": "m",
		"messages": [{"role": "user", "content": "How warm is it in Paris?"}],
		"tools": [{"type": "function", "function": {"name": "get_weather"}}],
		"tool_choice": "required",
		"top_k": 4
	}`))
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Model, r.Messages[0].Role, r.Tools[0].Name, r.ToolChoice.Mode)
	fmt.Println(r.Members[4].Name, string(r.Members[4].Value)) // kept for the engine

	_, err = openai.DecodeRequest([]byte(`{"model": "m", "messages": [{"role": "user"}], "n": 0}`))
	var bad *openai.Error
	if errors.As(err, &bad) {
		fmt.Println(bad.Status, bad.Param, bad.Code)
	}
	// Output:
	// m user get_weather required
	// top_k 4
	// 400 n invalid_value
}
