package replay

import (
	"context"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/chunk"
	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// stream plays one transcript, to all choices in turn. Its chunks are those of an
// engine: the role, the tokens, the finish reason, the usage.
type stream struct {
	ctx    context.Context
	cancel context.CancelFunc
	reader *backend.Reader
	delay  time.Duration

	frame   openai.Frame
	choices int
	pieces  []string
	finish  string
	stop    openai.Raw // the stop string that was hit, or null
	eos     int64      // the id that ends the answer; negative: none is known
	ids     bool       // token ids are wanted
	usage   openai.Usage
	running bool // usage on every chunk

	at     int // the next chunk
	chunk  openai.Chunk
	single [1]openai.Choice
}

func newStream(ctx context.Context, r *backend.Request, t *Transcript, model string, delay time.Duration) *stream {
	s := &stream{
		reader: profile.NewReader(r), delay: delay,
		frame:   openai.Frame{ID: "chatcmpl-replay", Created: time.Now().Unix(), Model: model},
		choices: max(1, r.Chat.N), finish: t.Finish, stop: openai.Raw("null"), eos: -1, ids: r.TokenIDs,
		running: r.Chat.IncludeUsage && r.Chat.ContinuousUsage,
	}
	s.ctx, s.cancel = context.WithCancel(ctx)
	text := s.cutAtStop(t.Text, r.Chat.Stop, r.Chat.IncludeStopText || r.StopText)
	s.pieces = cutToken(text)
	if most := r.Chat.MaxTokens; most > 0 && most < int64(len(s.pieces)) {
		s.pieces, s.finish, s.stop = s.pieces[:most], openai.FinishLength, openai.Raw("null")
	}
	if len(r.EOSTokenIDs) > 0 && s.finish == openai.FinishStop && string(s.stop) == "null" {
		s.eos = r.EOSTokenIDs[0]
	}
	for _, m := range r.Chat.Messages {
		s.usage.PromptTokens += int64(len(cutToken(m.Text()))) + 4 // and the template's markers
	}
	return s
}

// cutAtStop ends the text at the first stop string of the request, with it if
// that is to be shown.
func (s *stream) cutAtStop(text string, stops []string, shown bool) string {
	first, hit := len(text), ""
	for _, stop := range stops {
		if i := strings.Index(text, stop); stop != "" && i >= 0 && i < first {
			first, hit = i, stop
		}
	}
	if hit == "" {
		return text
	}
	s.finish, s.stop = openai.FinishStop, jsonx.AppendString(nil, hit)
	if shown {
		first += len(hit)
	}
	return text[:first]
}

// Next gives the next chunk. For each choice there is one with the role, one a
// piece and one with the finish reason; the usage comes last.
func (s *stream) Next() (chunk.Item, error) {
	perChoice := len(s.pieces) + 2
	step, choice := s.at/s.choices, s.at%s.choices
	if step > perChoice {
		return s.endOfRecording()
	}
	if err := s.waitDelay(step); err != nil {
		return chunk.Item{}, err
	}
	s.at++
	s.chunk = openai.Chunk{Frame: s.frame}
	if step == perChoice {
		s.at += s.choices // this one is not for each choice
		s.chunk.Usage = s.usageChunk()
		return s.reader.Read(&s.chunk)
	}
	s.single[0] = openai.Choice{Index: choice}
	s.chunk.Choices = s.single[:]
	s.fillQueue(&s.single[0], step)
	if s.running {
		s.chunk.Usage = s.usageChunk()
	}
	return s.reader.Read(&s.chunk)
}

// endOfRecording gives what the reader held back, then the end.
func (s *stream) endOfRecording() (chunk.Item, error) {
	last, err := s.reader.End(true)
	if err != nil {
		return chunk.Item{}, err
	}
	if last != nil {
		last.Data.Frame = s.frame
		return *last, nil
	}
	return chunk.Item{}, io.EOF
}

// fillQueue makes the step's chunk of one choice.
func (s *stream) fillQueue(c *openai.Choice, step int) {
	switch {
	case step == 0:
		c.Delta.Role = "assistant"
	case step <= len(s.pieces):
		piece := s.pieces[step-1]
		c.Delta.Content = piece
		s.countPiece(c, tokenID(piece))
	default:
		c.FinishReason, c.StopReason = s.finish, s.stop
		if s.eos >= 0 {
			s.countPiece(c, s.eos)
		}
	}
}

func (s *stream) countPiece(c *openai.Choice, id int64) {
	s.usage.CompletionTokens++
	if s.ids {
		c.TokenIDs = append(strconv.AppendInt([]byte{'['}, id, 10), ']')
	}
}

func (s *stream) usageChunk() *openai.Usage {
	u := s.usage
	u.TotalTokens = u.PromptTokens + u.CompletionTokens
	return &u
}

// waitDelay passes the time between two tokens.
func (s *stream) waitDelay(step int) error {
	if s.delay > 0 && step > 0 && step <= len(s.pieces) {
		timer := time.NewTimer(s.delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-s.ctx.Done():
		}
	}
	if s.ctx.Err() != nil {
		return backend.Cancelled(context.Cause(s.ctx))
	}
	return nil
}

// Close ends the answer.
func (s *stream) Close() { s.cancel() }
