// Command deepseek_v4 is the module of DeepSeek V4.
package main

import (
	"github.com/turnkey-parsers/turnkey/builtin/deepseekv4"
	"github.com/turnkey-parsers/turnkey/sdk/guest"
)

func init() { guest.Serve(&deepseekv4.Module) }

func main() {}
