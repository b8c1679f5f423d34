// Command glm is the parser module of package glm, for WebAssembly:
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared
package main

import (
	"github.com/turnkey-parsers/turnkey/builtin/glm"
	"github.com/turnkey-parsers/turnkey/sdk/guest"
)

func init() { guest.Serve(&glm.Module) }

func main() {}
