// Command muse_glimmer is the module of the Muse Glimmer family.
package main

import (
	"github.com/turnkey-parsers/turnkey/builtin/museglimmer"
	"github.com/turnkey-parsers/turnkey/sdk/guest"
)

func init() { guest.Serve(&museglimmer.Module) }

func main() {}
