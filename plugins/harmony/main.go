// Command harmony is the parser module of package harmony, for WebAssembly:
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared
package main

import (
	"github.com/turnkey-parsers/turnkey/builtin/harmony"
	"github.com/turnkey-parsers/turnkey/sdk/guest"
)

func init() { guest.Serve(&harmony.Module) }

func main() {}
