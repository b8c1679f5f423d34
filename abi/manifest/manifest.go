// Package manifest reads what a parser module says about itself: its manifest,
// JSON in a custom section of the module, which can be read without running it.
// ABI.md describes every member.
//
// It is for hosts and build tools. Guests carry their manifest as a string and
// import nothing of this package.
package manifest

import "regexp"

// Manifest describes a module and the parsers in it. Parse makes one.
type Manifest struct {
	ABI     string   `json:"abi"` // "major.minor"
	Module  string   `json:"module"`
	Version string   `json:"version"` // "major.minor.patch", optionally with -pre-release or +build
	License string   `json:"license,omitempty"`
	Parsers []Parser `json:"parsers"`
}

// Kind says what a parser makes of its input.
type Kind string

const (
	Unified   Kind = "unified"   // reasoning and calls, streaming
	Tools     Kind = "tools"     // calls; reasoning has been taken out before
	Reasoning Kind = "reasoning" // reasoning; all else is text
	Batch     Kind = "batch"     // whole calls, for the jail route
)

// Parser describes one parser of a module.
type Parser struct {
	Name          string    `json:"name"`
	Aliases       []string  `json:"aliases,omitempty"`
	Kind          Kind      `json:"kind"`
	Models        []string  `json:"models,omitempty"`         // regular expressions for model names
	SpecialTokens bool      `json:"special_tokens,omitempty"` // the engine must not skip special tokens
	Jail          *Jail     `json:"jail,omitempty"`
	Thinking      *Thinking `json:"thinking,omitempty"`
	Prompt        *Prompt   `json:"prompt,omitempty"`
	EOS           []string  `json:"eos,omitempty"`
	Guided        []string  `json:"guided,omitempty"` // "required", "named"
	Constraint    bool      `json:"constraint,omitempty"`
	Strict        bool      `json:"strict,omitempty"`
	Wrapped       bool      `json:"wrapped,omitempty"` // every reply is wrapped in an envelope: processed even without tools
	NeedsSchemas  bool      `json:"needs_schemas,omitempty"`
	Synthesises   bool      `json:"synthesises,omitempty"`
	Typing        *Typing   `json:"typing,omitempty"`

	models []*regexp.Regexp // Models, compiled by Parse
}

// Jail holds the markers that tell the jail route when asking is worth while.
type Jail struct {
	Open  []string `json:"open"`
	Close []string `json:"close,omitempty"`
}

// Thinking says how requests switch reasoning on and off.
type Thinking struct {
	Default  string   `json:"default"` // "on" | "off"
	Controls []string `json:"controls,omitempty"`
}

// Prompt holds the tails of a rendered prompt that leave a channel open.
type Prompt struct {
	Reasoning []string `json:"reasoning,omitempty"`
	Response  []string `json:"response,omitempty"`
	// ClosedPair is the start state after a closed thought at the prompt's end:
	// "response" (default) or "none".
	ClosedPair string `json:"closed_pair,omitempty"`
}

// Typing holds the knobs by which a bare value is typed by its schema. The zero
// value is a documented default; see host/framing.
type Typing struct{}
