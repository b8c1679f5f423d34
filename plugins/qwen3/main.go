// Command qwen3 is the parser module of package qwen3, for WebAssembly:
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared
package main

import (
	"github.com/turnkey-parsers/turnkey/builtin/qwen3"
	"github.com/turnkey-parsers/turnkey/sdk/guest"
)

func init() { guest.Serve(&qwen3.Module) }

func main() {}
