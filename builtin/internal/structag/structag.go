// Package structag writes structural tags: the JSON by which a parser's module
// asks an engine to hold the model to the grammar of its own calls. The format
// is that of xgrammar (docs/tutorials/structural_tag.md in mlc-ai/xgrammar),
// which vLLM, SGLang and TensorRT-LLM take.
package structag

import (
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
)

// Calls says how a family's calls are written. In Begin and End the tool's name
// stands for every "$".
type Calls struct {
	Trigger    string // in free text, this begins a call; with "$", there is one of each tool
	Begin, End string // round one call's arguments
	Style      string // of the arguments: "" is JSON, "qwen_xml" parameters, or AnyText
	// EndThink closes a thought that the prompt left open.
	EndThink   string
	AfterThink string   // what the model writes between a thought and its answer
	Banned     []string // where no call is allowed, text does not hold these
}

// AnyText is the Style of arguments that no schema can describe: any text up to
// End.
const AnyText = "any_text"

// Build answers what sdk.Module.Constraint asks for, by the request's tool
// choice: auto may call a tool, required must, a named one is called. Without
// parallel calls the model stops behind the first. With none, or without tools,
// calls are banned.
func (c *Calls) Build(s *abi.OpenBlock) []byte {
	w := writer{calls: c}
	w.writeRaw(`{"scope":"calls","structural_tag":{"type":"structural_tag","format":`)
	thought := s.Start == abi.ChannelReasoning && c.EndThink != ""
	if thought {
		w.writeRaw(`{"type":"sequence","elements":[{"type":"tag","begin":"","content":{"type":"any_text"},"end":`)
		w.writeQuoted(c.EndThink, "")
		w.writeRaw(`},`)
		if c.AfterThink != "" {
			w.writeRaw(`{"type":"const_string","value":`)
			w.writeQuoted(c.AfterThink, "")
			w.writeRaw(`},`)
		}
	}
	w.writeFormat(s)
	if thought {
		w.writeRaw(`]}`)
	}
	w.writeRaw(`}}`)
	return w.out
}

type writer struct {
	calls *Calls
	out   []byte
}

func (w *writer) writeFormat(s *abi.OpenBlock) {
	switch {
	case bansCalls(s):
		w.writeRaw(`{"type":"any_text","excludes":`)
		w.writeStrings(w.calls.Banned)
		w.writeRaw(`}`)
		return
	case s.ToolChoice == abi.ToolChoiceNamed:
		w.writeCallTag(s.NamedTool, schemaOf(s, s.NamedTool))
		return
	}
	w.writeRaw(`{"type":"triggered_tags","triggers":`)
	w.writeTriggers(s.Tools)
	w.writeRaw(`,"tags":[`)
	for i, tool := range s.Tools {
		if i > 0 {
			w.writeRaw(`,`)
		}
		w.writeCallTag(tool, schemaOf(s, tool))
	}
	w.writeRaw(`],"at_least_one":`)
	w.writeBool(s.ToolChoice == abi.ToolChoiceRequired)
	w.writeRaw(`,"stop_after_first":`)
	w.writeBool(s.Flags&abi.OpenParallel == 0)
	w.writeRaw(`}`)
}

func (w *writer) writeTriggers(tools []string) {
	if !strings.Contains(w.calls.Trigger, "$") {
		tools = []string{""}
	}
	w.writeRaw(`[`)
	for i, tool := range tools {
		if i > 0 {
			w.writeRaw(`,`)
		}
		w.writeQuoted(w.calls.Trigger, tool)
	}
	w.writeRaw(`]`)
}

// bansCalls says whether no call is allowed.
func bansCalls(s *abi.OpenBlock) bool {
	return len(s.Tools) == 0 || s.ToolChoice == abi.ToolChoiceNone
}

func (w *writer) writeCallTag(tool, schema string) {
	w.writeRaw(`{"type":"tag","begin":`)
	w.writeQuoted(w.calls.Begin, tool)
	w.writeRaw(`,"content":`)
	w.writeSchemaContent(schema, w.calls.Style)
	w.writeRaw(`,"end":`)
	w.writeQuoted(w.calls.End, tool)
	w.writeRaw(`}`)
}

// writeSchemaContent writes arguments by a schema, in a style.
func (w *writer) writeSchemaContent(schema, style string) {
	if style == AnyText {
		w.writeRaw(`{"type":"any_text"}`)
		return
	}
	w.writeRaw(`{"type":"json_schema","json_schema":`)
	w.writeRaw(schema)
	if style != "" {
		w.writeRaw(`,"style":`)
		w.writeQuoted(style, "")
	}
	w.writeRaw(`}`)
}

// schemaOf is the schema of that tool's parameters; any object, if none was sent.
func schemaOf(s *abi.OpenBlock, tool string) string {
	for _, c := range s.Schemas {
		if int(c.Tool) < len(s.Tools) && s.Tools[c.Tool] == tool {
			return c.JSON
		}
	}
	return `{"type":"object"}`
}

func (w *writer) writeRaw(s string) { w.out = append(w.out, s...) }

func (w *writer) writeBool(b bool) {
	if b {
		w.writeRaw("true")
	} else {
		w.writeRaw("false")
	}
}

func (w *writer) writeStrings(items []string) {
	w.writeRaw(`[`)
	for i, item := range items {
		if i > 0 {
			w.writeRaw(`,`)
		}
		w.writeQuoted(item, "")
	}
	w.writeRaw(`]`)
}

// writeQuoted writes s as a JSON string, with name for every "$".
func (w *writer) writeQuoted(s, name string) {
	w.writeRaw(`"`)
	for i := 0; i < len(s); i++ {
		if s[i] == '$' {
			w.writeEscaped(name)
		} else {
			w.writeEscaped(s[i : i+1])
		}
	}
	w.writeRaw(`"`)
}

func (w *writer) writeEscaped(s string) {
	const hex = "0123456789abcdef"
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			w.out = append(w.out, '\\', c)
		case c < ' ':
			w.out = append(w.out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			w.out = append(w.out, c)
		}
	}
}
