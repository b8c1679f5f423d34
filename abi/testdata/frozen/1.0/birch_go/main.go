// Command birch_wasm is package birch as a WebAssembly module:
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o birch.wasm .
package main

import (
	"github.com/turnkey-parsers/turnkey/examples/plugins/birch"
	"github.com/turnkey-parsers/turnkey/sdk/guest"
)

func init() { guest.Serve(&birch.Module) }

func main() {}
