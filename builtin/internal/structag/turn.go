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
	w.raw(`{"scope":"turn","structural_tag":{"type":"structural_tag","format":`)
	thought := s.Start == abi.ChannelReasoning
	if thought {
		w.raw(`{"type":"sequence","elements":[`)
		w.message("", t.Thought.End)
		w.raw(`,{"type":"const_string","value":`)
		w.quote(t.Separator, "")
		w.raw(`},`)
	}
	t.messages(&w, s)
	if thought {
		w.raw(`]}`)
	}
	w.raw(`}}`)
	return w.out
}

func (t *Turn) messages(w *writer, s *abi.OpenBlock) {
	free := banned(s) || s.ToolChoice == abi.ToolChoiceAuto
	w.raw(`{"type":"tags_with_separator","tags":[`)
	w.message(t.Thought.Begin, t.Thought.End)
	if free {
		w.raw(`,`)
		w.message(t.Answer.Begin, t.Answer.End)
	}
	if !banned(s) {
		for _, tool := range t.allowed(s) {
			w.raw(`,`)
			t.call(w, tool, schema(s, tool))
		}
	}
	w.raw(`],"separator":`)
	w.quote(t.Separator, "")
	w.raw(`,"at_least_one":true}`)
}

func (t *Turn) allowed(s *abi.OpenBlock) []string {
	if s.ToolChoice == abi.ToolChoiceNamed {
		return []string{s.NamedTool}
	}
	return s.Tools
}

func (t *Turn) call(w *writer, tool, schema string) {
	w.raw(`{"type":"tag","begin":`)
	w.quote(t.Call.Begin, tool)
	w.raw(`,"content":{"type":"tags_with_separator","tags":[`)
	for i, name := range properties(schema) {
		if i > 0 {
			w.raw(`,`)
		}
		before, after, _ := strings.Cut(t.ParamBegin, "$")
		w.raw(`{"type":"tag","begin":"`)
		w.escape(before)
		w.raw(name) // as the schema has it, inside a JSON string too
		w.escape(after)
		w.raw(`","content":{"type":"any_text"},"end":`)
		w.quote(t.ParamEnd, "")
		w.raw(`}`)
	}
	w.raw(`],"separator":"","at_least_one":false},"end":`)
	w.list(t.Call.End)
	w.raw(`}`)
}

func (w *writer) message(begin string, end []string) {
	w.raw(`{"type":"tag","begin":`)
	w.quote(begin, "")
	w.raw(`,"content":{"type":"any_text"},"end":`)
	w.list(end)
	w.raw(`}`)
}

// properties gives the names of an object schema's properties, as they stand in
// its JSON. Names with a quotation mark or an angle bracket are left out: they
// could close a parameter's marker.
func properties(schema string) []string {
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
