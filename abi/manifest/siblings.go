package manifest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// inherited are the members that a sibling has from its unified parser, by the
// sibling's kind: of what is about calls and what is about thoughts, its own.
var inherited = map[Kind][]string{
	Tools:     {"special_tokens", "jail", "eos", "guided", "constraint", "strict", "wrapped", "needs_schemas", "synthesises", "typing", "ids"},
	Reasoning: {"special_tokens", "thinking", "prompt", "eos", "strict", "wrapped"},
	Batch:     {"special_tokens", "jail", "eos", "guided", "constraint", "strict", "wrapped", "needs_schemas", "synthesises", "typing", "ids"},
}

// members are those of a JSON object.
type members map[string]json.RawMessage

// Resolve writes out what a manifest says by siblings: the answer names every
// parser with all of its members, and any host of the ABI's major version reads
// it. A manifest without siblings comes back as it is. The manifest is not
// checked; see Parse.
func Resolve(raw []byte) ([]byte, error) {
	var doc members
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	var parsers []json.RawMessage
	if err := json.Unmarshal(doc["parsers"], &parsers); err != nil {
		return nil, fmt.Errorf("manifest: parsers: %w", err)
	}
	resolved, err := resolveParsers(parsers)
	if err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	if len(resolved) == len(parsers) {
		return raw, nil
	}
	if doc["parsers"], err = json.Marshal(resolved); err != nil {
		return nil, fmt.Errorf("manifest: parsers: %w", err)
	}
	return json.Marshal(doc)
}

func resolveParsers(parsers []json.RawMessage) ([]json.RawMessage, error) {
	var resolved []json.RawMessage
	for i, raw := range parsers {
		family, err := withSiblings(raw)
		if err != nil {
			return nil, fmt.Errorf("parsers[%d]: %w", i, err)
		}
		resolved = append(resolved, family...)
	}
	return resolved, nil
}

// withSiblings gives a parser and the siblings that it names, in a fixed order.
// What is no object, and has no siblings, is left for the caller to refuse.
func withSiblings(raw json.RawMessage) ([]json.RawMessage, error) {
	var unified members
	if json.Unmarshal(raw, &unified) != nil || unified["siblings"] == nil {
		return []json.RawMessage{raw}, nil
	}
	var siblings map[Kind]members
	if err := json.Unmarshal(unified["siblings"], &siblings); err != nil {
		return nil, fmt.Errorf("siblings: an object of objects is expected, one for each kind: %w", err)
	}
	delete(unified, "siblings")
	var name string
	var kind Kind
	if json.Unmarshal(unified["name"], &name) != nil || json.Unmarshal(unified["kind"], &kind) != nil || kind != Unified {
		return nil, fmt.Errorf("siblings: only a parser with a name, of the kind %q, has them", Unified)
	}
	family := []members{unified}
	for _, kind := range []Kind{Tools, Reasoning, Batch} {
		if own, ok := siblings[kind]; ok {
			family = append(family, sibling(unified, name, kind, own))
			delete(siblings, kind)
		}
	}
	for kind := range siblings {
		return nil, fmt.Errorf("siblings: %q; write one of %q", kind, []Kind{Tools, Reasoning, Batch})
	}
	written := make([]json.RawMessage, len(family))
	for i, parser := range family {
		var err error
		if written[i], err = json.Marshal(parser); err != nil {
			return nil, err
		}
	}
	return written, nil
}

// sibling makes a sibling of the unified parser of that name. own are the members
// in which it differs; null takes one out.
func sibling(unified members, name string, kind Kind, own members) members {
	parser := maps.Clone(unified)
	maps.DeleteFunc(parser, func(member string, _ json.RawMessage) bool { return !slices.Contains(inherited[kind], member) })
	maps.Copy(parser, own)
	maps.DeleteFunc(parser, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	if own["name"] == nil {
		parser["name"], _ = json.Marshal(name + "_" + string(kind)) // a string can be written
	}
	parser["kind"], _ = json.Marshal(kind)
	return parser
}
