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
	w.writeRaw(`{"scope":"calls","structural_tag":{"type":"structural_tag","format":{"type":"sequence","elements":[`)
	switch s.Start {
	case abi.ChannelReasoning:
		w.writeTextTag("", c.EndThink, c.EndThink, c.EndTurn)
		w.writeRaw(`,`)
		w.writeConstant(c.Answer)
		w.writeRaw(`,`)
	case abi.ChannelResponse:
	default:
		w.writeRaw(`{"type":"optional","content":`)
		w.writeTextTag(c.Think, c.EndThink, c.EndThink, c.EndTurn)
		w.writeRaw(`},`)
		w.writeConstant(c.Answer)
		w.writeRaw(`,`)
	}
	w.writeTextTag("", c.EndAnswer, c.EndAnswer, c.Tools, c.EndMessage, c.EndTurn)
	switch {
	case bansCalls(s):
	case s.ToolChoice == abi.ToolChoiceAuto:
		w.writeRaw(`,{"type":"optional","content":`)
		c.writeCalls(&w, s)
		w.writeRaw(`}`)
	default:
		w.writeRaw(`,`)
		c.writeCalls(&w, s)
	}
	w.writeRaw(`,{"type":"optional","content":`)
	w.writeConstant(c.EndMessage)
	w.writeRaw(`}]}}}`)
	return w.out
}

func (c *Channels) writeCalls(w *writer, s *abi.OpenBlock) {
	w.writeRaw(`{"type":"tag","begin":`)
	w.writeQuoted(c.Tools, "")
	w.writeRaw(`,"content":{"type":"tags_with_separator","tags":[`)
	tools := s.Tools
	if s.ToolChoice == abi.ToolChoiceNamed {
		tools = []string{s.NamedTool}
	}
	for i, tool := range tools {
		if i > 0 {
			w.writeRaw(`,`)
		}
		w.writeRaw(`{"type":"tag","begin":`)
		w.writeQuoted(c.Call, escapeAttribute(tool))
		w.writeRaw(`,"content":{"type":"sequence","elements":[{"type":"regex","pattern":"[1-9][0-9]*"},`)
		w.writeConstant(c.Numbered)
		w.writeRaw(`,`)
		c.writeArguments(w, schemaOf(s, tool))
		w.writeRaw(`]},"end":`)
		w.writeQuoted(c.EndCall, "")
		w.writeRaw(`}`)
	}
	w.writeRaw(`],"separator":"","at_least_one":true,"stop_after_first":`)
	w.writeBool(s.Flags&abi.OpenParallel == 0)
	w.writeRaw(`},"end":`)
	w.writeQuoted(c.EndTools, "")
	w.writeRaw(`}`)
}

// writeArguments writes one tag for each property, or one object.
func (c *Channels) writeArguments(w *writer, schema string) {
	args, defs, ok := typedArguments(schema)
	if !ok {
		w.writeRaw(`{"type":"tag","begin":`)
		w.writeQuoted(c.Object, "")
		w.writeRaw(`,"content":{"type":"json_schema","json_schema":`)
		w.writeRaw(schema)
		w.writeRaw(`},"end":`)
		w.writeQuoted(c.EndObject, "")
		w.writeRaw(`}`)
		return
	}
	w.writeRaw(`{"type":"tags_with_separator","tags":[`)
	for i, a := range args {
		if i > 0 {
			w.writeRaw(`,`)
		}
		begin := strings.Replace(c.Argument, "%", a.kind, 1)
		if a.text {
			w.writeTag(begin, a.name, c.EndArg, func() { w.writeFreeText(c.EndArg, c.EndCall) })
			continue
		}
		w.writeTag(begin, a.name, c.EndArg, func() {
			w.writeRaw(`{"type":"json_schema","json_schema":`)
			w.writeRaw(withDefs(a.schema, defs))
			w.writeRaw(`}`)
		})
	}
	w.writeRaw(`],"separator":"","at_least_one":false}`)
}

// argument is a property whose type is known.
type argument struct {
	name, kind, schema string
	text               bool
}

// typedArguments gives the properties of an object schema and its "$defs", and false if
// the type of any of them does not stand there plainly.
func typedArguments(schema string) (args []argument, defs string, ok bool) {
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

// escapeAttribute escapes a name for an attribute.
func escapeAttribute(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "&", "&amp;"), `"`, "&quot;")
}

// writeTag writes a tag whose begin holds a name.
func (w *writer) writeTag(begin, name, end string, content func()) {
	w.writeRaw(`{"type":"tag","begin":`)
	w.writeQuoted(begin, escapeAttribute(name))
	w.writeRaw(`,"content":`)
	content()
	w.writeRaw(`,"end":`)
	w.writeQuoted(end, "")
	w.writeRaw(`}`)
}

// writeTextTag writes a tag of free text.
func (w *writer) writeTextTag(begin, end string, excludes ...string) {
	w.writeRaw(`{"type":"tag","begin":`)
	w.writeQuoted(begin, "")
	w.writeRaw(`,"content":`)
	w.writeFreeText(excludes...)
	w.writeRaw(`,"end":`)
	w.writeQuoted(end, "")
	w.writeRaw(`}`)
}

func (w *writer) writeFreeText(excludes ...string) {
	w.writeRaw(`{"type":"any_text","excludes":`)
	w.writeStrings(excludes)
	w.writeRaw(`}`)
}

func (w *writer) writeConstant(s string) {
	w.writeRaw(`{"type":"const_string","value":`)
	w.writeQuoted(s, "")
	w.writeRaw(`}`)
}
