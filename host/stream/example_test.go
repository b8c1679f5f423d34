package stream_test

import (
	"context"
	"fmt"
	"io"

	"github.com/turnkey-parsers/turnkey/host/openai"
	"github.com/turnkey-parsers/turnkey/host/stream"
)

// One request: decided, sent to the engine, read to its end.
func ExampleOperator() {
	model := &stream.Model{Name: "m", Backend: &loop{chunks: chunks("The valve ", "is shut."), n: 2}}
	request, err := openai.DecodeRequest([]byte(`{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true}`))
	if err != nil {
		panic(err)
	}
	operator, refused := model.Prepare(context.Background(), request)
	if refused != nil {
		panic(refused)
	}
	if err := operator.Start(context.Background()); err != nil {
		panic(err)
	}
	defer operator.Close()
	for {
		item, err := operator.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			panic(err)
		}
		fmt.Printf("%q\n", item.Data.Choices[0].Delta.Content)
	}
	// Output:
	// "The valve "
	// "is shut."
}
