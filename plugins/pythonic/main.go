// Command pythonic is the parser module of package pythonic, for WebAssembly:
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared
package main

import (
	"github.com/turnkey-parsers/turnkey/builtin/pythonic"
	"github.com/turnkey-parsers/turnkey/sdk/guest"
)

func init() { guest.Serve(&pythonic.Module) }

func main() {}
