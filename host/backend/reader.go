package backend

import (
	"net/http"
	"slices"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/chunk"
	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// Reader turns the chunks of one answer into items: it judges why choices ended,
// counts tokens and hides what the client is not to see of a stop. Every backend
// reads through it.
type Reader struct {
	profile *Profile
	request *Request
	hidden  []string // stop strings that the engine shows although the client didn't ask

	choices map[int]*choiceState
	tokens  int64 // generated so far
	item    chunk.Item
	metrics chunk.Metrics
}

type choiceState struct {
	finished  bool
	held      string // the end of the text, which may be a hidden stop string
	lastToken int64  // the id of the last token that the engine showed; negative: none
}

// NewReader starts reading an answer to r.
func (p *Profile) NewReader(r *Request) *Reader {
	reader := &Reader{profile: p, request: r, choices: map[int]*choiceState{}}
	if r.StopText && !r.Chat.IncludeStopText {
		reader.hidden = r.Chat.Stop
	}
	return reader
}

// Read makes an item of a chunk, which it keeps and changes. The item is valid
// until the next call. A *Error ends the answer.
func (r *Reader) Read(c *openai.Chunk) (chunk.Item, error) {
	if c.Error != nil {
		return chunk.Item{}, ReportedError(c.Error)
	}
	r.item = chunk.Item{Data: c, Stops: r.item.Stops[:0], EOSTokens: r.item.EOSTokens[:0]}
	if r.profile.NVExt && len(c.Choices) == 1 && jsonx.IsNull(c.Choices[0].TokenIDs) {
		c.Choices[0].TokenIDs = jsonx.Get(c.NVExt, chunk.FieldIDs) // where such an engine says them
	}
	for i := range c.Choices {
		if err := r.readChoice(c, &c.Choices[i]); err != nil {
			return chunk.Item{}, err
		}
	}
	r.item.EngineData = r.takeOpaque(c)
	r.countTokens(c)
	return r.item, nil
}

func (r *Reader) readChoice(c *openai.Chunk, choice *openai.Choice) error {
	state := r.choices[choice.Index]
	if state == nil {
		state = &choiceState{lastToken: -1}
		r.choices[choice.Index] = state
	}
	if len(r.request.EOSTokenIDs) > 0 && state.observeTokens(choice.TokenIDs, r.request.EOSTokenIDs) {
		r.item.EOSTokens = append(r.item.EOSTokens, choice.Index)
	}
	stop := ""
	ended := choice.FinishReason != "" && !state.finished
	if ended {
		v := r.profile.Verdict(r.request, c, choice)
		if v.Err != nil {
			return v.Err
		}
		if choice.FinishReason == openai.FinishStop && v.Finish == abi.FinishUnknown {
			v = eosByID(r.request, choice, state.lastToken)
		}
		state.finished = true
		r.item.Stops = append(r.item.Stops, chunk.Stop{Choice: choice.Index, Finish: v.Finish, Reason: v.StopReason})
		if v.Finish == abi.FinishUserStop {
			stop, _ = jsonx.String(v.StopReason)
		}
	}
	if len(r.hidden) > 0 {
		choice.Delta.Content = state.cutHiddenStops(choice.Delta.Content, r.hidden, ended, stop)
	}
	return nil
}

// takeOpaque moves the members that the profile lists as opaque into one object.
func (r *Reader) takeOpaque(c *openai.Chunk) openai.Raw {
	if len(r.profile.Opaque) == 0 {
		return nil
	}
	var list []openai.Member
	take := func(extra []openai.Member) []openai.Member {
		return slices.DeleteFunc(extra, func(m openai.Member) bool {
			if !slices.Contains(r.profile.Opaque, m.Name) {
				return false
			}
			if !jsonx.IsNull(m.Value) {
				list = append(list, m)
			}
			return true
		})
	}
	c.Extra = take(c.Extra)
	for i := range c.Choices {
		c.Choices[i].Extra = take(c.Choices[i].Extra)
	}
	if list == nil {
		return nil
	}
	return jsonx.AppendMembers(nil, list)
}

// countTokens makes the item's metrics, by the best evidence at hand.
func (r *Reader) countTokens(c *openai.Chunk) {
	m := chunk.Metrics{}
	for i := range c.Choices {
		m.ChunkTokens += int64(listLength(c.Choices[i].TokenIDs))
	}
	switch {
	case m.ChunkTokens > 0:
		m.Counted = chunk.CountedIDs
	case c.Usage != nil && c.Usage.CompletionTokens > r.tokens:
		m.ChunkTokens, m.Counted = c.Usage.CompletionTokens-r.tokens, chunk.CountedUsage
	case c.Usage == nil && slices.ContainsFunc(c.Choices, hasText):
		m.ChunkTokens, m.Counted = 1, chunk.CountedChunk
	}
	r.tokens += m.ChunkTokens
	if c.Usage != nil {
		m.InputTokens, m.CachedTokens = c.Usage.PromptTokens, c.Usage.CachedTokens
		r.tokens = max(r.tokens, c.Usage.CompletionTokens)
	}
	if m == (chunk.Metrics{}) {
		return
	}
	m.OutputTokens = r.tokens
	r.metrics = m
	r.item.Metrics = &r.metrics
}

func hasText(c openai.Choice) bool {
	d := &c.Delta
	return d.Content != "" || d.Reasoning != "" || d.Parts != nil || len(d.ToolCalls) > 0
}

// End says how the answer ended, once the engine sends no more. Done says that it
// said so itself; if it just closed the connection in good order, every choice
// must have had its finish reason. What was held back comes as a last item.
func (r *Reader) End(done bool) (last *chunk.Item, err error) {
	switch {
	case !done && !r.complete():
		return nil, &Error{Status: http.StatusBadGateway, Code: CodeIncomplete,
			Message: "the engine's answer ended without a finish reason and without [DONE]"}
	case len(r.choices) == 0:
		return nil, &Error{Status: http.StatusBadGateway, Code: CodeProtocol, Message: "the engine's answer has no choices"}
	}
	c := &openai.Chunk{}
	for index, state := range r.choices {
		if state.held != "" {
			c.Choices = append(c.Choices, openai.Choice{Index: index, Delta: openai.Delta{Content: state.held}})
			state.held = ""
		}
	}
	if c.Choices == nil {
		return nil, nil
	}
	slices.SortFunc(c.Choices, func(a, b openai.Choice) int { return a.Index - b.Index })
	return &chunk.Item{Data: c}, nil
}

func (r *Reader) complete() bool {
	for _, state := range r.choices {
		if !state.finished {
			return false
		}
	}
	return len(r.choices) > 0
}

// observeTokens keeps the last of a list of token ids, and says whether one of them is
// wanted.
func (s *choiceState) observeTokens(ids openai.Raw, wanted []int64) (found bool) {
	for a := jsonx.ArrayOf(ids); ; {
		e, ok := a.Next()
		if !ok {
			return found
		}
		if id, ok := jsonx.Int(e); ok {
			s.lastToken = id
			found = found || slices.Contains(wanted, id)
		}
	}
}

func listLength(list openai.Raw) (n int) {
	for a := jsonx.ArrayOf(list); ; n++ {
		if _, ok := a.Next(); !ok {
			return n
		}
	}
}
