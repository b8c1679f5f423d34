package conform

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/cases"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/prompt"
)

type tripOutcome uint8

const (
	tripFailed  tripOutcome = iota
	tripLenient             // equal but for white space at the ends of texts, and for what the template leaves out
	tripExact
)

// tripResult is what became of a model's turn that a family parsed.
type tripResult struct {
	outcome           tripOutcome
	family            string
	want, got, reason string
	// rendersAlike: the template renders what was parsed as it renders the message,
	// so that it loses the difference itself.
	rendersAlike bool
}

// roundTrip cuts the last message out of the prompt, parses it, and compares.
func (c *templateCase) roundTrip(ctx context.Context, t *prompt.Template, family string, engines *engineCache) tripResult {
	r := tripResult{family: family}
	message, err := readMessage(c.Messages[len(c.Messages)-1])
	if err != nil {
		r.reason = err.Error()
		return r
	}
	r.want = cases.RenderPieces(message)
	e, err := engines.engine(family)
	if err != nil {
		r.reason = err.Error()
		return r
	}
	turn, err := c.cutTurn(ctx, t)
	if err != nil {
		r.reason = err.Error()
		return r
	}
	got, err := c.parseTurn(e, turn)
	got = joinMessage(got)
	r.got = cases.RenderPieces(got)
	if err != nil {
		r.reason = err.Error()
		return r
	}
	c.compareMessages(ctx, t, &r, turn, message, got)
	return r
}

// compareMessages sets the outcome of a round trip.
func (c *templateCase) compareMessages(ctx context.Context, t *prompt.Template, r *tripResult, turn modelTurn, want, got []cases.Piece) {
	r.reason = cases.DiffPieces(want, got)
	if r.reason == "" {
		r.outcome = tripExact
		return
	}
	got = trimMessage(got)
	if cases.DiffPieces(trimMessage(want), got) == "" {
		r.outcome = tripLenient
		return
	}
	written := withoutLeftOut(want, turn.text)
	r.rendersAlike = c.rendersAlike(ctx, t, got)
	if r.rendersAlike && cases.DiffPieces(trimMessage(written), got) == "" {
		r.outcome = tripLenient
		return
	}
	// The markup of a call, taken for text, is rendered alike whatever it is.
	r.rendersAlike = r.rendersAlike && callsIn(got) >= min(1, callsIn(written))
	r.reason = fmt.Sprintf("%s; written %q", r.reason, turn.text)
	if r.rendersAlike {
		r.reason += "; the template renders both alike"
	}
}

// parseTurn parses a turn, whole and by characters, which must come to the same.
func (c *templateCase) parseTurn(e parser.Engine, turn modelTurn) ([]cases.Piece, error) {
	p := e.Parser()
	text := withoutEnd(turn, append(endTexts(p, len(c.Tools) > 0), c.EOS))
	run := cases.Case{Input: text, Start: p.StartAfter(abi.PromptTail(turn.before)), PromptTail: abi.PromptTail(turn.before)}
	for _, tool := range c.Tools {
		run.Tools = append(run.Tools, json.RawMessage(tool))
	}
	whole, err := Assemble(e, &run, []string{text})
	if err != nil {
		return whole, err
	}
	split, err := Assemble(e, &run, strings.Split(text, ""))
	if err != nil {
		return split, err
	}
	if cases.RenderPieces(withoutIDs(whole)) != cases.RenderPieces(withoutIDs(split)) {
		return split, errors.New("by characters it is another message than whole")
	}
	return whole, nil
}

func callsIn(pieces []cases.Piece) (n int) {
	for _, p := range pieces {
		if p.Kind == cases.KindToolCall {
			n++
		}
	}
	return n
}

func withoutIDs(pieces []cases.Piece) []cases.Piece {
	pieces = slices.Clone(pieces)
	for i := range pieces {
		pieces[i].ID = ""
	}
	return pieces
}

// endTexts are the texts of end tokens that an engine takes off: those that are no
// closer of the grammar.
func endTexts(p *manifest.Parser, tools bool) []string {
	return slices.DeleteFunc(slices.Clone(p.EOS), func(text string) bool {
		return tools && p.Jail != nil && slices.Contains(p.Jail.Close, text)
	})
}

// withoutEnd takes the end token off a turn, and what the template writes behind it.
func withoutEnd(turn modelTurn, ends []string) string {
	text := strings.TrimRight(turn.text, " \n")
	for _, end := range ends {
		if rest, ok := strings.CutSuffix(text, end); ok && end != "" {
			return rest
		}
	}
	if rest, ok := strings.CutSuffix(turn.text, turn.behind); ok {
		return rest
	}
	return text
}

// modelTurn is what a model is to have written, the prompt in front of it, and what the
// template writes behind a turn.
type modelTurn struct{ before, text, behind string }

// thinkingSwitches are template arguments that a turn may have been asked for with; ""
// leaves the request's own.
var thinkingSwitches = []string{"", "false", "true"}

// cutTurn finds the last message in the prompt: behind the longest prompt that the model
// would have been given, under whichever switch of thinking the turn goes on from. Where
// it goes on from none, as a template renders finished turns otherwise, it begins where
// the text of another message would.
func (c *templateCase) cutTurn(ctx context.Context, t *prompt.Template) (modelTurn, error) {
	full := *c.Want
	before, behind, refused := c.surroundings(ctx, t)
	var asked []string
	for _, thinking := range thinkingSwitches {
		if text := c.promptForTurn(ctx, t, thinking); text != "" {
			asked = append(asked, text)
		}
	}
	at := prompt.TurnStart(full, asked...)
	if !slices.Contains(asked, full[:at]) && before != "" {
		at = max(at, prompt.TurnStart(full, before))
	}
	if at == 0 {
		return modelTurn{}, fmt.Errorf("the turn can't be told from the prompt: %w", refused)
	}
	return modelTurn{full[:at], full[at:], behind}, nil
}

// promptForTurn is the prompt that the last message answers; "" where the template
// refuses.
func (c *templateCase) promptForTurn(ctx context.Context, t *prompt.Template, thinking string) string {
	in := c.input()
	in.Messages = in.Messages[:len(in.Messages)-1]
	in.Args = withArgument(in.Args, "add_generation_prompt", "true")
	if thinking != "" {
		in.Args = withArgument(withArgument(in.Args, "enable_thinking", thinking), "thinking", thinking)
	}
	asked, err := t.Render(ctx, in)
	if err != nil {
		return ""
	}
	return asked
}

// surroundings gives what the template writes before and behind the text of a message
// that has nothing else.
func (c *templateCase) surroundings(ctx context.Context, t *prompt.Template) (before, behind string, err error) {
	const mark = "\u2234turnkey\u2234"
	in := c.input()
	in.Messages = slices.Clone(in.Messages)
	in.Messages[len(in.Messages)-1] = jsonx.Raw(`{"role":"assistant","content":"` + mark + `"}`)
	text, err := t.Render(ctx, in)
	if err != nil {
		return "", "", err
	}
	before, behind, found := strings.Cut(text, mark)
	if !found {
		return "", "", errors.New("the template shows no text of an assistant")
	}
	return before, behind, nil
}

func withArgument(args []jsonx.Member, name, value string) []jsonx.Member {
	args = slices.DeleteFunc(slices.Clone(args), func(m jsonx.Member) bool { return m.Name == name })
	return append(args, jsonx.Member{Name: name, Value: jsonx.Raw(value)})
}

// rendersAlike says whether the template makes the same prompt of the message that was
// parsed as of the one that was written.
func (c *templateCase) rendersAlike(ctx context.Context, t *prompt.Template, got []cases.Piece) bool {
	last := len(c.Messages) - 1
	for _, message := range [][]cases.Piece{got, trimMessage(got)} {
		in := c.input()
		in.Messages = slices.Clone(in.Messages)
		in.Messages[last] = writeMessage(in.Messages[last], message)
		if again, err := t.Render(ctx, in); err == nil && again == *c.Want {
			return true
		}
	}
	return false
}

// thoughtNames are the names under which templates look for a message's thought.
var thoughtNames = []string{"reasoning_content", "reasoning", "thinking"}

// readMessage gives the pieces of an assistant's message: its thought, its text, its
// calls.
func readMessage(raw jsonx.Raw) ([]cases.Piece, error) {
	if role, _ := jsonx.String(jsonx.Get(raw, "role")); role != "assistant" {
		return nil, fmt.Errorf("the last message is of the role %q", role)
	}
	var pieces []cases.Piece
	for _, name := range thoughtNames {
		if thought, ok := jsonx.String(jsonx.Get(raw, name)); ok {
			pieces = append(pieces, cases.Piece{Kind: cases.KindReasoning, Text: thought})
			break
		}
	}
	content, _ := jsonx.String(jsonx.Get(raw, "content"))
	pieces = append(pieces, cases.Piece{Kind: cases.KindText, Text: content})
	for calls := jsonx.ArrayOf(jsonx.Get(raw, "tool_calls")); ; {
		call, ok := calls.Next()
		if !ok {
			return cases.MergePieces(pieces), nil
		}
		function := jsonx.Get(call, "function")
		name, _ := jsonx.String(jsonx.Get(function, "name"))
		arguments := jsonx.Get(function, "arguments")
		if text, ok := jsonx.String(arguments); ok {
			arguments = jsonx.Raw(text)
		}
		pieces = append(pieces, cases.Piece{Kind: cases.KindToolCall, Name: name, Arguments: json.RawMessage(arguments)})
	}
}

// writeMessage is the message with the parsed pieces in place of its own. Ids, the name
// of the thought and the order of members are kept: templates may write them.
func writeMessage(raw jsonx.Raw, pieces []cases.Piece) jsonx.Raw {
	thought := thoughtNames[0]
	for _, name := range thoughtNames {
		if jsonx.Get(raw, name) != nil {
			thought = name
		}
	}
	written := map[string]jsonx.Raw{"content": jsonx.Raw(`""`), thought: nil, "tool_calls": nil}
	calls := jsonx.Raw{'['}
	ids := jsonx.ArrayOf(jsonx.Get(raw, "tool_calls"))
	for _, p := range pieces {
		switch p.Kind {
		case cases.KindReasoning:
			written[thought] = jsonx.AppendString(nil, p.Text)
		case cases.KindText:
			written["content"] = jsonx.AppendString(nil, p.Text)
		default:
			old, _ := ids.Next()
			id, _ := jsonx.String(jsonx.Get(old, "id"))
			if len(calls) > 1 {
				calls = append(calls, ',')
			}
			calls = append(jsonx.AppendString(append(calls, `{"id":`...), cmp.Or(id, p.ID)), `,"type":"function","function":{"name":`...)
			calls = append(jsonx.AppendString(calls, p.Name), `,"arguments":`...)
			calls = append(jsonx.AppendString(calls, string(p.Arguments)), `}}`...)
			written["tool_calls"] = append(slices.Clone(calls), ']')
		}
	}
	members := jsonx.Members(raw)
	for _, name := range []string{"content", thought, "tool_calls"} {
		i := slices.IndexFunc(members, func(m jsonx.Member) bool { return m.Name == name })
		switch {
		case i >= 0 && written[name] == nil:
			members = slices.Delete(members, i, i+1)
		case i >= 0:
			members[i].Value = written[name]
		case written[name] != nil:
			members = append(members, jsonx.Member{Name: name, Value: written[name]})
		}
	}
	return jsonx.AppendMembers(nil, members)
}

// withoutLeftOut takes out of a message what the template does not write at all: a
// thought or a text that is not in the turn, and calls of which it has no name.
func withoutLeftOut(message []cases.Piece, turn string) []cases.Piece {
	return slices.DeleteFunc(slices.Clone(message), func(p cases.Piece) bool {
		return !strings.Contains(turn, strings.TrimSpace(cmp.Or(p.Name, p.Text)))
	})
}

// joinMessage puts the pieces of an answer in a message's order: a message does not say
// in which its thought, its text and its calls came.
func joinMessage(pieces []cases.Piece) []cases.Piece {
	var thought, text cases.Piece
	var calls []cases.Piece
	for _, p := range pieces {
		switch p.Kind {
		case cases.KindReasoning:
			thought.Kind, thought.Text = p.Kind, thought.Text+p.Text
		case cases.KindText:
			text.Kind, text.Text = p.Kind, text.Text+p.Text
		default:
			calls = append(calls, p)
		}
	}
	return cases.MergePieces(append([]cases.Piece{thought, text}, calls...))
}

// trimMessage is the message without white space at the ends of its thought and text.
func trimMessage(pieces []cases.Piece) []cases.Piece {
	pieces = slices.Clone(pieces)
	for i := range pieces {
		pieces[i].Text = strings.TrimSpace(pieces[i].Text)
	}
	return cases.MergePieces(pieces)
}
