// Command beam is the parser module of package beam, for WebAssembly:
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared
package main

import (
	"github.com/turnkey-parsers/turnkey/builtin/beam"
	"github.com/turnkey-parsers/turnkey/sdk/guest"
)

func init() { guest.Serve(&beam.Module) }

func main() {}
