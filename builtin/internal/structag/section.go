package structag

import "github.com/turnkey-parsers/turnkey/abi"

// Section says how a family's calls are written that stand in one section: the
// section's markers, and round each call Begin, a number of the model's choice
// if Numbered, Middle, the arguments as JSON, and End. In Begin the tool's name
// stands for "$".
type Section struct {
	Trigger            string // in free text, this begins a section; Open, if empty
	Lead               string // before a section that is forced
	Open, Close        string
	Begin, Middle, End string
	Numbered           bool
	Style              string   // of the arguments, as in Calls
	Separator          string   // between calls
	EndThink           string   // as in Calls
	Banned             []string // free text before the section does not hold these
	BannedAll          []string // where no call is allowed, text does not hold these
}

// Build answers what sdk.Module.Constraint asks for, like Calls.Build.
func (c *Section) Build(s *abi.OpenBlock) []byte {
	w := writer{}
	w.writeRaw(`{"scope":"calls","structural_tag":{"type":"structural_tag","format":`)
	thought := s.Start == abi.ChannelReasoning && c.EndThink != ""
	if thought {
		w.writeRaw(`{"type":"sequence","elements":[{"type":"tag","begin":"","content":{"type":"any_text"},"end":`)
		w.writeQuoted(c.EndThink, "")
		w.writeRaw(`},`)
	}
	switch {
	case bansCalls(s):
		w.writeRaw(`{"type":"any_text","excludes":`)
		w.writeStrings(c.BannedAll)
		w.writeRaw(`}`)
	case s.ToolChoice == abi.ToolChoiceAuto:
		w.writeRaw(`{"type":"triggered_tags","triggers":`)
		trigger := c.Trigger
		if trigger == "" {
			trigger = c.Open
		}
		w.writeStrings([]string{trigger})
		w.writeRaw(`,"tags":[`)
		w.writeSection(c, s, "")
		w.writeRaw(`],"excludes":`)
		w.writeStrings(c.Banned)
		w.writeRaw(`}`)
	default:
		w.writeSection(c, s, c.Lead)
	}
	if thought {
		w.writeRaw(`]}`)
	}
	w.writeRaw(`}}`)
	return w.out
}

func (w *writer) writeSection(c *Section, s *abi.OpenBlock, lead string) {
	w.writeRaw(`{"type":"tag","begin":`)
	w.writeQuoted(lead+c.Open, "")
	w.writeRaw(`,"content":{"type":"tags_with_separator","tags":[`)
	tools := s.Tools
	if s.ToolChoice == abi.ToolChoiceNamed {
		tools = []string{s.NamedTool}
	}
	for i, tool := range tools {
		if i > 0 {
			w.writeRaw(`,`)
		}
		w.writeNumbered(c, tool, schemaOf(s, tool))
	}
	w.writeRaw(`],"separator":`)
	w.writeQuoted(c.Separator, "")
	w.writeRaw(`,"at_least_one":true,"stop_after_first":`)
	w.writeBool(s.Flags&abi.OpenParallel == 0)
	w.writeRaw(`},"end":`)
	w.writeQuoted(c.Close, "")
	w.writeRaw(`}`)
}

func (w *writer) writeNumbered(c *Section, tool, schema string) {
	w.writeRaw(`{"type":"tag","begin":`)
	if c.Numbered {
		w.writeQuoted(c.Begin, tool)
		w.writeRaw(`,"content":{"type":"sequence","elements":[{"type":"regex","pattern":"[0-9]+"},{"type":"const_string","value":`)
		w.writeQuoted(c.Middle, "")
		w.writeRaw(`},`)
		w.writeSchemaContent(schema, c.Style)
		w.writeRaw(`]}`)
	} else {
		w.writeQuoted(c.Begin+c.Middle, tool)
		w.writeRaw(`,"content":`)
		w.writeSchemaContent(schema, c.Style)
	}
	w.writeRaw(`,"end":`)
	w.writeQuoted(c.End, "")
	w.writeRaw(`}`)
}
