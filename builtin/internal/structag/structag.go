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
	w.raw(`{"scope":"calls","structural_tag":{"type":"structural_tag","format":`)
	thought := s.Start == abi.ChannelReasoning && c.EndThink != ""
	if thought {
		w.raw(`{"type":"sequence","elements":[{"type":"tag","begin":"","content":{"type":"any_text"},"end":`)
		w.quote(c.EndThink, "")
		w.raw(`},`)
		if c.AfterThink != "" {
			w.raw(`{"type":"const_string","value":`)
			w.quote(c.AfterThink, "")
			w.raw(`},`)
		}
	}
	w.format(s)
	if thought {
		w.raw(`]}`)
	}
	w.raw(`}}`)
	return w.out
}

type writer struct {
	calls *Calls
	out   []byte
}

func (w *writer) format(s *abi.OpenBlock) {
	switch {
	case banned(s):
		w.raw(`{"type":"any_text","excludes":`)
		w.list(w.calls.Banned)
		w.raw(`}`)
		return
	case s.ToolChoice == abi.ToolChoiceNamed:
		w.tag(s.NamedTool, schema(s, s.NamedTool))
		return
	}
	w.raw(`{"type":"triggered_tags","triggers":`)
	w.triggers(s.Tools)
	w.raw(`,"tags":[`)
	for i, tool := range s.Tools {
		if i > 0 {
			w.raw(`,`)
		}
		w.tag(tool, schema(s, tool))
	}
	w.raw(`],"at_least_one":`)
	w.bool(s.ToolChoice == abi.ToolChoiceRequired)
	w.raw(`,"stop_after_first":`)
	w.bool(s.Flags&abi.OpenParallel == 0)
	w.raw(`}`)
}

func (w *writer) triggers(tools []string) {
	if !strings.Contains(w.calls.Trigger, "$") {
		tools = []string{""}
	}
	w.raw(`[`)
	for i, tool := range tools {
		if i > 0 {
			w.raw(`,`)
		}
		w.quote(w.calls.Trigger, tool)
	}
	w.raw(`]`)
}

// banned says whether no call is allowed.
func banned(s *abi.OpenBlock) bool {
	return len(s.Tools) == 0 || s.ToolChoice == abi.ToolChoiceNone
}

func (w *writer) tag(tool, schema string) {
	w.raw(`{"type":"tag","begin":`)
	w.quote(w.calls.Begin, tool)
	w.raw(`,"content":`)
	w.content(schema, w.calls.Style)
	w.raw(`,"end":`)
	w.quote(w.calls.End, tool)
	w.raw(`}`)
}

// content writes arguments by a schema, in a style.
func (w *writer) content(schema, style string) {
	if style == AnyText {
		w.raw(`{"type":"any_text"}`)
		return
	}
	w.raw(`{"type":"json_schema","json_schema":`)
	w.raw(schema)
	if style != "" {
		w.raw(`,"style":`)
		w.quote(style, "")
	}
	w.raw(`}`)
}

// schema is the schema of that tool's parameters; any object, if none was sent.
func schema(s *abi.OpenBlock, tool string) string {
	for _, c := range s.Schemas {
		if int(c.Tool) < len(s.Tools) && s.Tools[c.Tool] == tool {
			return c.JSON
		}
	}
	return `{"type":"object"}`
}

func (w *writer) raw(s string) { w.out = append(w.out, s...) }

func (w *writer) bool(b bool) {
	if b {
		w.raw("true")
	} else {
		w.raw("false")
	}
}

func (w *writer) list(items []string) {
	w.raw(`[`)
	for i, item := range items {
		if i > 0 {
			w.raw(`,`)
		}
		w.quote(item, "")
	}
	w.raw(`]`)
}

// quote writes s as a JSON string, with name for every "$".
func (w *writer) quote(s, name string) {
	w.raw(`"`)
	for i := 0; i < len(s); i++ {
		if s[i] == '$' {
			w.escape(name)
		} else {
			w.escape(s[i : i+1])
		}
	}
	w.raw(`"`)
}

func (w *writer) escape(s string) {
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
