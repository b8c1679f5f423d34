package stream

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/turnkey-parsers/turnkey/host/chunk"
	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// foldRun reads the stream of chunks to its end and gives their sum.
func foldRun(r *run) (*openai.Completion, error) {
	var f folder
	for {
		it, err := r.nextItem()
		if err == io.EOF {
			return f.completion(r), nil
		}
		if err != nil {
			return nil, err
		}
		if it.Data != nil {
			f.addChunk(it.Data)
		}
	}
}

// folder adds chunks up.
type folder struct {
	choices []*foldedChoice // in index order
	usage   *openai.Usage
	nvext   chunk.Members
	out     openai.Completion
}

// foldedChoice is one choice so far.
type foldedChoice struct {
	index              int
	reasoning, content strings.Builder
	refusal            strings.Builder
	arguments          []*strings.Builder
	calls              []openai.ToolCall
	parts              openai.Raw
	logprobs           logprobs
	delta, extra       []openai.Member
	finish             string
}

func (f *folder) addChunk(c *openai.Chunk) {
	f.nvext.MergeObject(c.NVExt)
	if c.Usage != nil {
		f.usage = c.Usage
	}
	if c.PromptLogprobs != nil {
		f.out.PromptLogprobs = bytes.Clone(c.PromptLogprobs)
	}
	f.out.Extra = mergeMembers(f.out.Extra, c.Extra)
	for i := range c.Choices {
		f.choiceAt(c.Choices[i].Index).addDelta(&c.Choices[i])
	}
}

func (f *folder) choiceAt(index int) *foldedChoice {
	at, ok := slices.BinarySearchFunc(f.choices, index, func(c *foldedChoice, index int) int { return c.index - index })
	if !ok {
		f.choices = slices.Insert(f.choices, at, &foldedChoice{index: index})
	}
	return f.choices[at]
}

func (c *foldedChoice) addDelta(in *openai.Choice) {
	d := &in.Delta
	c.reasoning.WriteString(d.Reasoning)
	c.content.WriteString(d.Content)
	c.refusal.WriteString(d.Refusal)
	if d.Parts != nil {
		c.parts = appendParts(c.parts, d.Parts)
	}
	for i := range d.ToolCalls {
		c.addCall(&d.ToolCalls[i])
	}
	c.logprobs.collect(in.Logprobs)
	c.logprobs.ownMemory()
	c.delta = mergeMembers(c.delta, d.Extra)
	c.extra = mergeMembers(c.extra, in.Extra)
	if in.FinishReason != "" {
		c.finish = in.FinishReason
	}
}

func (c *foldedChoice) addCall(in *openai.ToolCall) {
	for len(c.calls) <= in.Index {
		c.calls = append(c.calls, openai.ToolCall{Index: len(c.calls)})
		c.arguments = append(c.arguments, new(strings.Builder))
	}
	call := &c.calls[in.Index]
	if call.ID == "" {
		call.ID, call.Type, call.Name = in.ID, in.Type, in.Name
	}
	call.Extra = mergeMembers(call.Extra, in.Extra)
	c.arguments[in.Index].WriteString(in.Arguments)
}

// completion is the sum. Calls that were cut are left out.
func (f *folder) completion(r *run) *openai.Completion {
	out := &f.out
	out.Frame = r.maker.Frame
	out.Usage = f.usage
	for _, c := range r.choices {
		if c.align.all != nil {
			f.nvext.Merge(chunk.FieldAlignment, appendSegments(nil, c.align.all))
		}
	}
	if f.nvext.Len() > 0 {
		out.NVExt = jsonx.AppendMembers(nil, f.nvext.List())
	}
	for _, c := range f.choices {
		message := openai.Message{
			Role: "assistant", Reasoning: c.reasoning.String(), Content: c.content.String(),
			Refusal: c.refusal.String(), ToolCalls: c.completeCalls(r.choiceAt(c.index).complete), Extra: c.delta,
		}
		if c.parts != nil {
			message.Content, message.Parts = "", chunk.AppendList(textPart(message.Content), c.parts)
		}
		out.Choices = append(out.Choices, openai.CompletionChoice{
			Index: c.index, Message: message, FinishReason: c.finish, Logprobs: c.logprobs.raw, Extra: c.extra,
		})
	}
	return out
}

// completeCalls gives the calls that are complete.
func (c *foldedChoice) completeCalls(complete []bool) []openai.ToolCall {
	var calls []openai.ToolCall
	cut := openai.IsCut(c.finish)
	for i, call := range c.calls {
		call.Arguments = c.arguments[i].String()
		last := i == len(c.calls)-1
		if !complete[i] || call.ID == "" || call.Name == "" || cut && last && !jsonx.Valid([]byte(call.Arguments)) {
			continue
		}
		call.Index = len(calls)
		calls = append(calls, call)
	}
	return calls
}

// appendParts appends content parts to a list of them, which is the caller's own.
func appendParts(list, add openai.Raw) openai.Raw {
	if list == nil {
		list = openai.Raw("[]")
	}
	return chunk.AppendList(list, add)
}

// textPart is a list with text as its only part, empty where there is none.
func textPart(text string) openai.Raw {
	if text == "" {
		return openai.Raw("[]")
	}
	return append(jsonx.AppendString([]byte(`[{"type":"text","text":`), text), "}]"...)
}

// mergeMembers sets members by name, the later value last, and copies them.
func mergeMembers(list, add []openai.Member) []openai.Member {
	for _, m := range add {
		m.Value = bytes.Clone(m.Value)
		i := slices.IndexFunc(list, func(old openai.Member) bool { return old.Name == m.Name })
		if i < 0 {
			list = append(list, m)
			continue
		}
		list[i].Value = m.Value
	}
	return list
}
