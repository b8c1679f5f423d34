// Command deepseek_v3 is the module of DeepSeek V3, R1, V3.1 and V3.2.
package main

import (
	"github.com/turnkey-parsers/turnkey/builtin/deepseekv3"
	"github.com/turnkey-parsers/turnkey/sdk/guest"
)

func init() { guest.Serve(&deepseekv3.Module) }

func main() {}
