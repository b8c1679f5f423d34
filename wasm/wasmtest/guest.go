// Package wasmtest helps to test with parser modules: small guests made by hand, and
// runtimes that share one cache of compiled code.
package wasmtest

import (
	"fmt"
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/wasm/internal/wat"
)

// Guest is a module of one parser, which says one kind of thing of all that comes.
// A push that begins with "!" is its end.
type Guest struct {
	Module  string   // "mine" if empty
	Version string   // "1.0.0" if empty
	Parser  string   // the module's name if empty
	Aliases []string // of the parser
	Models  string   // a pattern of model names
	Says    abi.Kind // abi.Text if 0
	Cases   string   // turnkey.cases
	Broken  bool     // it answers for parsers that it lacks
}

// Where the guest keeps what it answers, its manifest and its input.
const (
	answerAt   = 1024
	manifestAt = 2048
	inputAt    = 8192
)

// event is code that writes the answer's one event.
func event(kind abi.Kind, flags uint8, start, size, end string) string {
	return fmt.Sprintf(`
		i32.const %d; i32.const %d; i32.store 0
		i32.const %d; %s; i32.store 0
		i32.const %d; %s; i32.store 0
		i32.const %d; %s; i32.store 0
		i64.const %d
	`, answerAt, int(kind)|int(flags)<<8, answerAt+4, start, answerAt+8, size, answerAt+12, end, answerAt<<32|abi.EventSize)
}

func (g Guest) manifest() string {
	models, aliases := "", ""
	if g.Models != "" {
		models = fmt.Sprintf(`,"models":[%q]`, g.Models)
	}
	if len(g.Aliases) > 0 {
		aliases = fmt.Sprintf(`,"aliases":["%s"]`, strings.Join(g.Aliases, `","`))
	}
	return fmt.Sprintf(`{"abi":"1.0","module":%q,"version":%q,"parsers":[{"name":%q,"kind":"unified"%s%s}]}`, g.Module, g.Version, g.Parser, aliases, models)
}

// Bytes gives the module.
func (g Guest) Bytes() []byte {
	def := func(s *string, v string) {
		if *s == "" {
			*s = v
		}
	}
	def(&g.Module, "mine")
	def(&g.Version, "1.0.0")
	def(&g.Parser, g.Module)
	if g.Says == 0 {
		g.Says = abi.Text
	}
	const zero, given = "i32.const 0", "local.get 4; local.get 2; i32.sub"
	unknown := event(abi.Error, abi.FlagFatal, fmt.Sprint("i32.const ", abi.CodeUnknownParser), zero, zero)
	if g.Broken {
		unknown = "i64.const 0"
	}
	said := g.manifest()
	var m wat.Module
	m.Memory(abi.ExportMemory, 4, 0)
	m.Data(manifestAt, said)
	m.Func(abi.ExportABI, "", "i32", "", fmt.Sprint("i32.const ", abi.Version))
	m.Func(abi.ExportManifest, "", "i64", "", fmt.Sprint("i64.const ", manifestAt<<32|len(said)))
	m.Func(abi.ExportAlloc, "i32", "i32", "", fmt.Sprint("i32.const ", inputAt))
	m.Func(abi.ExportOpen, "i32 i32 i32", "i64", "", fmt.Sprintf( // the parser's name is known by its length
		"local.get 1; i32.load 4; i32.const %d; i32.eq; if i64; i64.const 0; else; %s; end", len(g.Parser), unknown))
	m.Func(abi.ExportPush, "i32 i32 i32 i32 i32", "i64", "",
		"local.get 3; i32.load8_u 0; i32.const 33; i32.eq; if; unreachable; end;"+
			event(g.Says, 0, "local.get 1", given, "local.get 1; "+given+"; i32.add"))
	m.Func(abi.ExportFinish, "i32 i32 i32", "i64", "", event(abi.Commit, 0, zero, zero, "local.get 1"))
	m.Func(abi.ExportClose, "i32", "", "", "")
	m.Custom(abi.SectionManifest, said)
	if g.Cases != "" {
		m.Custom(abi.SectionCases, g.Cases)
	}
	return m.Bytes()
}
