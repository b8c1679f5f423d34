// Command inkling is the parser module of package inkling, for WebAssembly:
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared
package main

import (
	"github.com/turnkey-parsers/turnkey/builtin/inkling"
	"github.com/turnkey-parsers/turnkey/sdk/guest"
)

func init() { guest.Serve(&inkling.Module) }

func main() {}
