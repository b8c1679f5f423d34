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
	w.raw(`{"scope":"calls","structural_tag":{"type":"structural_tag","format":`)
	thought := s.Start == abi.ChannelReasoning && c.EndThink != ""
	if thought {
		w.raw(`{"type":"sequence","elements":[{"type":"tag","begin":"","content":{"type":"any_text"},"end":`)
		w.quote(c.EndThink, "")
		w.raw(`},`)
	}
	switch {
	case banned(s):
		w.raw(`{"type":"any_text","excludes":`)
		w.list(c.BannedAll)
		w.raw(`}`)
	case s.ToolChoice == abi.ToolChoiceAuto:
		w.raw(`{"type":"triggered_tags","triggers":`)
		trigger := c.Trigger
		if trigger == "" {
			trigger = c.Open
		}
		w.list([]string{trigger})
		w.raw(`,"tags":[`)
		w.section(c, s, "")
		w.raw(`],"excludes":`)
		w.list(c.Banned)
		w.raw(`}`)
	default:
		w.section(c, s, c.Lead)
	}
	if thought {
		w.raw(`]}`)
	}
	w.raw(`}}`)
	return w.out
}

func (w *writer) section(c *Section, s *abi.OpenBlock, lead string) {
	w.raw(`{"type":"tag","begin":`)
	w.quote(lead+c.Open, "")
	w.raw(`,"content":{"type":"tags_with_separator","tags":[`)
	tools := s.Tools
	if s.ToolChoice == abi.ToolChoiceNamed {
		tools = []string{s.NamedTool}
	}
	for i, tool := range tools {
		if i > 0 {
			w.raw(`,`)
		}
		w.numbered(c, tool, schema(s, tool))
	}
	w.raw(`],"separator":`)
	w.quote(c.Separator, "")
	w.raw(`,"at_least_one":true,"stop_after_first":`)
	w.bool(s.Flags&abi.OpenParallel == 0)
	w.raw(`},"end":`)
	w.quote(c.Close, "")
	w.raw(`}`)
}

func (w *writer) numbered(c *Section, tool, schema string) {
	w.raw(`{"type":"tag","begin":`)
	if c.Numbered {
		w.quote(c.Begin, tool)
		w.raw(`,"content":{"type":"sequence","elements":[{"type":"regex","pattern":"[0-9]+"},{"type":"const_string","value":`)
		w.quote(c.Middle, "")
		w.raw(`},`)
		w.content(schema, c.Style)
		w.raw(`]}`)
	} else {
		w.quote(c.Begin+c.Middle, tool)
		w.raw(`,"content":`)
		w.content(schema, c.Style)
	}
	w.raw(`,"end":`)
	w.quote(c.End, "")
	w.raw(`}`)
}
