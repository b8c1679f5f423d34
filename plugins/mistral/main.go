// Command mistral is the parser module of package mistral, for WebAssembly:
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared
package main

import (
	"github.com/turnkey-parsers/turnkey/builtin/mistral"
	"github.com/turnkey-parsers/turnkey/sdk/guest"
)

func init() { guest.Serve(&mistral.Module) }

func main() {}
