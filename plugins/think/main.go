// Command think is the parser module of package think, for WebAssembly:
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared
package main

import (
	"github.com/turnkey-parsers/turnkey/builtin/think"
	"github.com/turnkey-parsers/turnkey/sdk/guest"
)

func init() { guest.Serve(&think.Module) }

func main() {}
