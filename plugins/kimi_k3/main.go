// Command kimi_k3 is the parser module of package kimik3, for WebAssembly:
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared
package main

import (
	"github.com/turnkey-parsers/turnkey/builtin/kimik3"
	"github.com/turnkey-parsers/turnkey/sdk/guest"
)

func init() { guest.Serve(&kimik3.Module) }

func main() {}
