package structag

import (
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// Channels says how a family's turn is written whose thought, answer and calls
// stand in channels of their own, one behind the other. In Call and Argument the
// name stands for "$", in Argument its type for "%"; both as attributes, in which
// &quot; and &amp; stand for a quotation mark and an ampersand.
type Channels struct {
	Think, EndThink     string
	Answer, EndAnswer   string
	Tools, EndTools     string
	Call, Numbered      string // Call, a number from 1 on, Numbered, the arguments
	EndCall             string
	Argument, EndArg    string // one for each property whose type the schema says
	Object, EndObject   string // the arguments as one JSON object, for other schemas
	EndMessage, EndTurn string
}

// Build answers what sdk.Module.Constraint asks for. Under auto the calls may be
// missing; without tools, or where the choice is none, they are banned.
func (c *Channels) Build(s *abi.OpenBlock) []byte {
	w := writer{}
	w.raw(`{"scope":"calls","structural_tag":{"type":"structural_tag","format":{"type":"sequence","elements":[`)
	switch s.Start {
	case abi.ChannelReasoning:
		w.text("", c.EndThink, c.EndThink, c.EndTurn)
		w.raw(`,`)
		w.constant(c.Answer)
		w.raw(`,`)
	case abi.ChannelResponse:
	default:
		w.raw(`{"type":"optional","content":`)
		w.text(c.Think, c.EndThink, c.EndThink, c.EndTurn)
		w.raw(`},`)
		w.constant(c.Answer)
		w.raw(`,`)
	}
	w.text("", c.EndAnswer, c.EndAnswer, c.Tools, c.EndMessage, c.EndTurn)
	switch {
	case banned(s):
	case s.ToolChoice == abi.ToolChoiceAuto:
		w.raw(`,{"type":"optional","content":`)
		c.calls(&w, s)
		w.raw(`}`)
	default:
		w.raw(`,`)
		c.calls(&w, s)
	}
	w.raw(`,{"type":"optional","content":`)
	w.constant(c.EndMessage)
	w.raw(`}]}}}`)
	return w.out
}

func (c *Channels) calls(w *writer, s *abi.OpenBlock) {
	w.raw(`{"type":"tag","begin":`)
	w.quote(c.Tools, "")
	w.raw(`,"content":{"type":"tags_with_separator","tags":[`)
	tools := s.Tools
	if s.ToolChoice == abi.ToolChoiceNamed {
		tools = []string{s.NamedTool}
	}
	for i, tool := range tools {
		if i > 0 {
			w.raw(`,`)
		}
		w.raw(`{"type":"tag","begin":`)
		w.quote(c.Call, attribute(tool))
		w.raw(`,"content":{"type":"sequence","elements":[{"type":"regex","pattern":"[1-9][0-9]*"},`)
		w.constant(c.Numbered)
		w.raw(`,`)
		c.arguments(w, schema(s, tool))
		w.raw(`]},"end":`)
		w.quote(c.EndCall, "")
		w.raw(`}`)
	}
	w.raw(`],"separator":"","at_least_one":true,"stop_after_first":`)
	w.bool(s.Flags&abi.OpenParallel == 0)
	w.raw(`},"end":`)
	w.quote(c.EndTools, "")
	w.raw(`}`)
}

// arguments writes one tag for each property, or one object.
func (c *Channels) arguments(w *writer, schema string) {
	args, defs, ok := typed(schema)
	if !ok {
		w.raw(`{"type":"tag","begin":`)
		w.quote(c.Object, "")
		w.raw(`,"content":{"type":"json_schema","json_schema":`)
		w.raw(schema)
		w.raw(`},"end":`)
		w.quote(c.EndObject, "")
		w.raw(`}`)
		return
	}
	w.raw(`{"type":"tags_with_separator","tags":[`)
	for i, a := range args {
		if i > 0 {
			w.raw(`,`)
		}
		begin := strings.Replace(c.Argument, "%", a.kind, 1)
		if a.text {
			w.named(begin, a.name, c.EndArg, func() { w.free(c.EndArg, c.EndCall) })
			continue
		}
		w.named(begin, a.name, c.EndArg, func() {
			w.raw(`{"type":"json_schema","json_schema":`)
			w.raw(withDefs(a.schema, defs))
			w.raw(`}`)
		})
	}
	w.raw(`],"separator":"","at_least_one":false}`)
}

// argument is a property whose type is known.
type argument struct {
	name, kind, schema string
	text               bool
}

// typed gives the properties of an object schema and its "$defs", and false if
// the type of any of them does not stand there plainly.
func typed(schema string) (args []argument, defs string, ok bool) {
	ok = true
	scan.EachMember([]byte(schema), func(name string, value []byte) {
		switch name {
		case "$defs", "definitions":
			defs += `"` + name + `":` + string(value) + `,`
		case "properties":
			scan.EachMember(value, func(name string, value []byte) {
				a := argument{name: name, schema: string(value)}
				scan.EachMember(value, func(name string, value []byte) {
					switch name {
					case "type":
						a.kind = strings.Trim(string(value), `"`)
					case "enum", "const", "pattern", "format", "minLength", "maxLength":
						a.text = true // more is asked than a type
					}
				})
				switch a.kind {
				case "integer":
					a.kind = "number"
				case "number", "boolean", "object", "array", "null":
				case "string":
					ok = ok && !a.text
				default:
					ok = false
				}
				a.text = a.kind == "string"
				ok = ok && !strings.Contains(name, `\`)
				args = append(args, a)
			})
		}
	})
	return args, defs, ok && len(args) > 0
}

// withDefs puts the root's definitions into a property's schema.
func withDefs(schema, defs string) string {
	body := strings.TrimLeft(schema, " \t\r\n")[1:]
	if strings.TrimLeft(body, " \t\r\n") == "}" {
		defs = strings.TrimSuffix(defs, ",")
	}
	return "{" + defs + body
}

// attribute escapes a name for an attribute.
func attribute(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "&", "&amp;"), `"`, "&quot;")
}

// named writes a tag whose begin holds a name.
func (w *writer) named(begin, name, end string, content func()) {
	w.raw(`{"type":"tag","begin":`)
	w.quote(begin, attribute(name))
	w.raw(`,"content":`)
	content()
	w.raw(`,"end":`)
	w.quote(end, "")
	w.raw(`}`)
}

// text writes a tag of free text.
func (w *writer) text(begin, end string, excludes ...string) {
	w.raw(`{"type":"tag","begin":`)
	w.quote(begin, "")
	w.raw(`,"content":`)
	w.free(excludes...)
	w.raw(`,"end":`)
	w.quote(end, "")
	w.raw(`}`)
}

func (w *writer) free(excludes ...string) {
	w.raw(`{"type":"any_text","excludes":`)
	w.list(excludes)
	w.raw(`}`)
}

func (w *writer) constant(s string) {
	w.raw(`{"type":"const_string","value":`)
	w.quote(s, "")
	w.raw(`}`)
}
