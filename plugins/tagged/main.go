// Command tagged is the parser module of package tagged, for WebAssembly:
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared
package main

import (
	"github.com/turnkey-parsers/turnkey/builtin/tagged"
	"github.com/turnkey-parsers/turnkey/sdk/guest"
)

func init() { guest.Serve(&tagged.Module) }

func main() {}
