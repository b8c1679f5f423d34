// Command deepseek_v41 is the module of DeepSeek V4.1.
package main

import (
	"github.com/turnkey-parsers/turnkey/builtin/deepseekv41"
	"github.com/turnkey-parsers/turnkey/sdk/guest"
)

func init() { guest.Serve(&deepseekv41.Module) }

func main() {}
