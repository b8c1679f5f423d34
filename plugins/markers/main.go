// Command markers is the parser module of package markers, for WebAssembly:
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared
package main

import (
	"github.com/turnkey-parsers/turnkey/builtin/markers"
	"github.com/turnkey-parsers/turnkey/sdk/guest"
)

func init() { guest.Serve(&markers.Module) }

func main() {}
