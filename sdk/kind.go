package sdk

import (
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
)

// Kind says what a parser reads of its family's grammar; it is the kind that the
// manifest gives it. What a parser does not read stays as the model wrote it.
type Kind uint8

// The kinds, and how the parser of a family NAME is called that has it.
const (
	Unified   Kind = iota // thoughts and calls, NAME
	Tools                 // calls, NAME_tools: thoughts were taken out before
	Reasoning             // thoughts, NAME_reasoning
	Batch                 // whole calls, NAME_batch
)

var kindSuffixes = [...]string{Tools: "_tools", Reasoning: "_reasoning", Batch: "_batch"}

// Calls says whether a parser of that kind reads calls.
func (k Kind) Calls() bool { return k != Reasoning }

// Thoughts says whether a parser of that kind reads thoughts.
func (k Kind) Thoughts() bool { return k == Unified || k == Reasoning }

// SplitName takes a parser's name apart into its family's and its kind. A name
// without one of the suffixes is a unified parser's.
func SplitName(parser string) (family string, kind Kind) {
	for kind, suffix := range kindSuffixes {
		if family, ok := strings.CutSuffix(parser, suffix); ok && suffix != "" {
			return family, Kind(kind)
		}
	}
	return parser, Unified
}

// Native is a maker of parsers of kind k, for a session in a native mode.
func (k Kind) Native(build func(open *abi.OpenBlock, kind Kind) Parser) func(*abi.OpenBlock) Parser {
	return func(open *abi.OpenBlock) Parser { return build(open, k) }
}

// Family makes a Module's New for a module with one family, all of whose parsers
// are called as Kind says: build makes the parser of a kind, or nil if the family
// has none of it. A module with several families calls SplitName instead.
func Family(name string, build func(open *abi.OpenBlock, kind Kind) Parser) func(*abi.OpenBlock) Parser {
	return func(open *abi.OpenBlock) Parser {
		family, kind := SplitName(open.Parser)
		if family != name {
			return nil
		}
		return build(open, kind)
	}
}
