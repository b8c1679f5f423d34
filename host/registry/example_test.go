package registry_test

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/registry"
	"github.com/turnkey-parsers/turnkey/wasm/wasmtest"
)

// A module is replaced while a request runs: the request keeps the version that
// it began with.
func Example() {
	ctx := context.Background()
	r, err := registry.New(ctx, registry.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close(ctx)
	put := func(version string) error {
		return r.Put(ctx, "mine", registry.Change{Binary: wasmtest.Guest{Version: version}.Bytes()})
	}
	if err := put("1.0.0"); err != nil {
		fmt.Println(err)
		return
	}
	lease, err := r.Lease(ctx, "mine")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer lease.Release()
	if err := put("2.0.0"); err != nil {
		fmt.Println(err)
		return
	}
	m, _ := r.Module("mine")
	fmt.Println("live:", m.Live.Version)
	fmt.Println("this request has:", lease.Infos()[0].Manifest.Version)

	session, _, err := lease.Families[0].Unified.Open(&abi.OpenBlock{Parser: "mine"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	answer, err := session.Push(0, 0, []byte("hello"))
	fmt.Println(answer.Events[0].Kind, answer.Events[0].Len, err)
	// Output:
	// live: 2.0.0
	// this request has: 1.0.0
	// TEXT 5 <nil>
}
