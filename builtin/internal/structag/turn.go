package structag

import (
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// Turn says how a family's whole turn is written, where it is one message behind
// another: thoughts, answers, and calls whose arguments are parameters. In the
// call's and the parameter's markers a name stands for "$".
type Turn struct {
	Separator             string // between messages
	Thought, Answer, Call Message
	ParamBegin, ParamEnd  string
}

// Message is what stands round a message's body.
type Message struct {
	Begin string
	End   []string // any one of them
}

// Build answers what sdk.Module.Constraint asks for, with scope turn. Under auto
// the messages come as the model likes; a forced call comes behind thoughts
// only; without tools, or where the choice is none, there are no calls.
func (t *Turn) Build(s *abi.OpenBlock) []byte {
	w := writer{}
	w.writeRaw(`{"scope":"turn","structural_tag":{"type":"structural_tag","format":`)
	thought := s.Start == abi.ChannelReasoning
	if thought {
		w.writeRaw(`{"type":"sequence","elements":[`)
		w.writeMessage("", t.Thought.End)
		w.writeRaw(`,{"type":"const_string","value":`)
		w.writeQuoted(t.Separator, "")
		w.writeRaw(`},`)
	}
	t.writeMessages(&w, s)
	if thought {
		w.writeRaw(`]}`)
	}
	w.writeRaw(`}}`)
	return w.out
}

func (t *Turn) writeMessages(w *writer, s *abi.OpenBlock) {
	free := bansCalls(s) || s.ToolChoice == abi.ToolChoiceAuto
	w.writeRaw(`{"type":"tags_with_separator","tags":[`)
	w.writeMessage(t.Thought.Begin, t.Thought.End)
	if free {
		w.writeRaw(`,`)
		w.writeMessage(t.Answer.Begin, t.Answer.End)
	}
	if !bansCalls(s) {
		for _, tool := range t.allowedTools(s) {
			w.writeRaw(`,`)
			t.writeCall(w, tool, schemaOf(s, tool))
		}
	}
	w.writeRaw(`],"separator":`)
	w.writeQuoted(t.Separator, "")
	w.writeRaw(`,"at_least_one":true}`)
}

func (t *Turn) allowedTools(s *abi.OpenBlock) []string {
	if s.ToolChoice == abi.ToolChoiceNamed {
		return []string{s.NamedTool}
	}
	return s.Tools
}

func (t *Turn) writeCall(w *writer, tool, schema string) {
	w.writeRaw(`{"type":"tag","begin":`)
	w.writeQuoted(t.Call.Begin, tool)
	w.writeRaw(`,"content":{"type":"tags_with_separator","tags":[`)
	for i, name := range propertyNames(schema) {
		if i > 0 {
			w.writeRaw(`,`)
		}
		before, after, _ := strings.Cut(t.ParamBegin, "$")
		w.writeRaw(`{"type":"tag","begin":"`)
		w.writeEscaped(before)
		w.writeRaw(name) // as the schema has it, inside a JSON string too
		w.writeEscaped(after)
		w.writeRaw(`","content":{"type":"any_text"},"end":`)
		w.writeQuoted(t.ParamEnd, "")
		w.writeRaw(`}`)
	}
	w.writeRaw(`],"separator":"","at_least_one":false},"end":`)
	w.writeStrings(t.Call.End)
	w.writeRaw(`}`)
}

func (w *writer) writeMessage(begin string, end []string) {
	w.writeRaw(`{"type":"tag","begin":`)
	w.writeQuoted(begin, "")
	w.writeRaw(`,"content":{"type":"any_text"},"end":`)
	w.writeStrings(end)
	w.writeRaw(`}`)
}

// propertyNames gives the names of an object schema's properties, as they stand in
// its JSON. Names with a quotation mark or an angle bracket are left out: they
// could close a parameter's marker.
func propertyNames(schema string) []string {
	var names []string
	scan.EachMember([]byte(schema), func(name string, value []byte) {
		if name != "properties" {
			return
		}
		scan.EachMember(value, func(name string, _ []byte) {
			if !strings.ContainsAny(name, `\<>`) {
				names = append(names, name)
			}
		})
	})
	return names
}
