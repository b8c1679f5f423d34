package wasm_test

import (
	"context"
	"fmt"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/wasm"
	"github.com/turnkey-parsers/turnkey/wasm/wasmtest"
)

// A module is compiled once; each of its sessions parses one output.
func Example() {
	ctx := context.Background()
	runtime, err := wasm.NewRuntime(ctx, wasm.NewConfig())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer runtime.Close(ctx)
	module, err := runtime.Compile(ctx, wasmtest.Guest{}.Bytes(), wasm.ThirdParty())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(module.Manifest().Module, module.Manifest().Version)

	session, _, err := module.Open(ctx, &abi.OpenBlock{Parser: "mine"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	answer, err := session.Push(0, 0, []byte("hello"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range answer.Events {
		fmt.Println(e.Kind, e.Start, e.Len)
	}
	// Output:
	// mine 1.0.0
	// TEXT 0 5
}

// A fault names the module, what was called and what went wrong. The session is
// over; the module serves others.
func ExampleFault() {
	ctx := context.Background()
	runtime, err := wasm.NewRuntime(ctx, wasm.NewConfig())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer runtime.Close(ctx)
	module, err := runtime.Compile(ctx, wasmtest.Guest{}.Bytes(), wasm.ThirdParty())
	if err != nil {
		fmt.Println(err)
		return
	}
	session, _, err := module.Open(ctx, &abi.OpenBlock{Parser: "mine"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	_, err = session.Push(0, 0, []byte("! traps"))
	fmt.Println(err)
	// Output:
	// module mine 1.0.0: tk_push: wasm error: unreachable
}
