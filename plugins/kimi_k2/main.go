// Command kimi_k2 is the module of the Kimi K2 family.
package main

import (
	"github.com/turnkey-parsers/turnkey/builtin/kimik2"
	"github.com/turnkey-parsers/turnkey/sdk/guest"
)

func init() { guest.Serve(&kimik2.Module) }

func main() {}
