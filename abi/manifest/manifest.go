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

// The kinds of parsers.
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
	// IDs is the form of the call ids that the host makes where the grammar carries
	// none: "" is the host's own, IDsShort, or a text in which {name} stands for the
	// tool's name and {index} for the call's place in the conversation, from 0.
	IDs string `json:"ids,omitempty"`
	// Lead is text that the host puts in front of an answer's first content: the
	// opener that stands in the prompt, for clients that take thoughts out of the
	// content themselves.
	Lead string `json:"lead,omitempty"`

	models []*regexp.Regexp // Models, compiled by Parse
}

// IDsShort are ids of nine letters and digits.
const IDsShort = "short"

// Jail holds the markers that tell the jail route when asking is worth while.
type Jail struct {
	Open  []string `json:"open"`
	Close []string `json:"close,omitempty"`
}

// Thinking says how requests switch reasoning on and off.
type Thinking struct {
	Default  string   `json:"default"` // "on" | "off"
	Controls []string `json:"controls,omitempty"`
	// Off lists when reasoning is switched off by something else: "named", a
	// named tool choice, whatever the request says; "constrained", decoding under
	// a constraint, unless the request says otherwise.
	Off []string `json:"off,omitempty"`
	// Opens says that the chat template itself opens the thought where reasoning
	// is on, and closes it where it is off: the answer then begins inside the
	// thought, or behind it. It counts only where the host does not know the
	// rendered prompt.
	Opens bool `json:"opens,omitempty"`
	// OpensIfAsked is Opens for a family some of whose templates do so, or only where a
	// request asks: it counts where one of Controls was set, and the thought's opener,
	// should the model write it all the same, is structure.
	OpensIfAsked bool `json:"opens_if_asked,omitempty"`
	// OpensFor are models whose template is known to open the thought, and NoneFor
	// models that have none: regular expressions for their names.
	OpensFor []string `json:"opens_for,omitempty"`
	NoneFor  []string `json:"none_for,omitempty"`

	opensFor, noneFor []*regexp.Regexp // compiled by Parse
}

// Prompt holds the tails of a rendered prompt that leave a channel open.
type Prompt struct {
	Reasoning []string `json:"reasoning,omitempty"`
	Response  []string `json:"response,omitempty"`
	// ClosedPair is the start state after a closed thought at the prompt's end:
	// "response" (default) or "none".
	ClosedPair string `json:"closed_pair,omitempty"`
}

// Typing holds the knobs by which the host reads a bare value by its schema.
// Families differ in them. An empty member is its default.
type Typing struct {
	// Union says how a union of a string and other types is read.
	Union string `json:"union,omitempty"`
	// Null says when the bare word null is JSON null.
	Null string `json:"null,omitempty"`
	// JSON says where a JSON text is read as JSON.
	JSON string `json:"json,omitempty"`
	// Empty says what an empty value of an object's or an array's type is.
	Empty string `json:"empty,omitempty"`
	// Booleans says which words a boolean is read from.
	Booleans string `json:"booleans,omitempty"`
}

// Values of Typing's members; the first of each is the default.
const (
	UnionTyped  = "typed"  // another type, if the text is of one; else the string
	UnionString = "string" // the string

	NullWord   = "word"   // unless only a string fits; in any case
	NullProven = "proven" // only where the schema provably admits null; lower case

	JSONTyped = "typed" // an object or array where the schema admits one
	JSONAny   = "any"   // any JSON text whose schema is not a string's

	EmptyString    = "string"    // the empty string
	EmptyContainer = "container" // {} or []

	BooleansWords = "words" // true and false, in any case
	BooleansExact = "exact" // true and false, lower case
	BooleansLoose = "loose" // also yes, no, 1 and 0
)
