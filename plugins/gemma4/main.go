// Command gemma4 is the module of the Gemma 4 family.
package main

import (
	"github.com/turnkey-parsers/turnkey/builtin/gemma4"
	"github.com/turnkey-parsers/turnkey/sdk/guest"
)

func init() { guest.Serve(&gemma4.Module) }

func main() {}
