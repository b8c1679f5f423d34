// Command llama3_json is the parser module of package llama3json, for WebAssembly:
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared
package main

import (
	"github.com/turnkey-parsers/turnkey/builtin/llama3json"
	"github.com/turnkey-parsers/turnkey/sdk/guest"
)

func init() { guest.Serve(&llama3json.Module) }

func main() {}
