// Command minimax is the parser module of package minimax, for WebAssembly:
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared
package main

import (
	"github.com/turnkey-parsers/turnkey/builtin/minimax"
	"github.com/turnkey-parsers/turnkey/sdk/guest"
)

func init() { guest.Serve(&minimax.Module) }

func main() {}
