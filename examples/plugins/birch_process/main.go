// Command birch_process is package birch as a process that the host starts.
package main

import (
	"github.com/turnkey-parsers/turnkey/examples/plugins/birch"
	"github.com/turnkey-parsers/turnkey/sdk/process"
)

func main() { process.Serve(&birch.Module) }
