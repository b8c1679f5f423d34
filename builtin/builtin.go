// Package builtin lists the parser modules that ship, for linking them natively.
package builtin

import (
	"github.com/turnkey-parsers/turnkey/builtin/beam"
	"github.com/turnkey-parsers/turnkey/builtin/deepseekv3"
	"github.com/turnkey-parsers/turnkey/builtin/deepseekv4"
	"github.com/turnkey-parsers/turnkey/builtin/deepseekv41"
	"github.com/turnkey-parsers/turnkey/builtin/gemma4"
	"github.com/turnkey-parsers/turnkey/builtin/glm"
	"github.com/turnkey-parsers/turnkey/builtin/harmony"
	"github.com/turnkey-parsers/turnkey/builtin/hermes"
	"github.com/turnkey-parsers/turnkey/builtin/inkling"
	"github.com/turnkey-parsers/turnkey/builtin/kimik2"
	"github.com/turnkey-parsers/turnkey/builtin/kimik3"
	"github.com/turnkey-parsers/turnkey/builtin/llama3json"
	"github.com/turnkey-parsers/turnkey/builtin/markers"
	"github.com/turnkey-parsers/turnkey/builtin/minimax"
	"github.com/turnkey-parsers/turnkey/builtin/mistral"
	"github.com/turnkey-parsers/turnkey/builtin/museglimmer"
	"github.com/turnkey-parsers/turnkey/builtin/pythonic"
	"github.com/turnkey-parsers/turnkey/builtin/qwen3"
	"github.com/turnkey-parsers/turnkey/builtin/tagged"
	"github.com/turnkey-parsers/turnkey/builtin/think"
	"github.com/turnkey-parsers/turnkey/sdk"
)

// Modules are the parser modules that ship, in alphabetical order.
var Modules = []*sdk.Module{
	&beam.Module,
	&deepseekv3.Module,
	&deepseekv4.Module,
	&deepseekv41.Module,
	&gemma4.Module,
	&glm.Module,
	&harmony.Module,
	&hermes.Module,
	&inkling.Module,
	&kimik2.Module,
	&kimik3.Module,
	&llama3json.Module,
	&markers.Module,
	&minimax.Module,
	&mistral.Module,
	&museglimmer.Module,
	&pythonic.Module,
	&qwen3.Module,
	&tagged.Module,
	&think.Module,
}
