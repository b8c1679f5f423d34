// Command hermes is the parser module of package hermes, for WebAssembly:
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared
package main

import (
	"github.com/turnkey-parsers/turnkey/builtin/hermes"
	"github.com/turnkey-parsers/turnkey/sdk/guest"
)

func init() { guest.Serve(&hermes.Module) }

func main() {}
