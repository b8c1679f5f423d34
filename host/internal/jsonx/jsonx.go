// Package jsonx is the one place where the host reads and writes JSON. It wraps
// sonic and adds what a proxy needs beyond decoding into structs: walking the
// members of an object in order, with their values as the source text.
package jsonx

import (
	"encoding/json"
)

// Raw is a JSON value as its source text.
type Raw = json.RawMessage

// Member is one member of an object: its name, decoded, and its value as it was
// written, so that numbers keep their digits.
type Member struct {
	Name  string
	Value Raw
}
