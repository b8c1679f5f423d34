package httpengine

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/chunk"
	"github.com/turnkey-parsers/turnkey/host/internal/sse"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// stream is one answer. All waiting ends when its context does, for one of the
// reasons below or one of the caller's.
type stream struct {
	backend *Backend
	ctx     context.Context
	cancel  context.CancelCauseFunc
	first   *time.Timer // until the first event; nil without a limit

	body   io.ReadCloser
	events *sse.Reader
	reader *backend.Reader
	chunk  openai.Chunk
	done   bool  // the engine said [DONE]
	ended  error // what every further Next gives
	closed bool
}

var (
	errFirstByte = &backend.Error{Status: http.StatusGatewayTimeout, Code: backend.CodeTimeout,
		Message: "the engine sent nothing within the time for its first byte (timeouts.first_byte)"}
	errClosed = errors.New("the stream was closed")
)

func (b *Backend) newStream(ctx context.Context, r *backend.Request) *stream {
	s := &stream{backend: b, reader: b.cfg.Profile.NewReader(r)}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	if wait := b.cfg.FirstByte; wait > 0 {
		s.first = time.AfterFunc(wait, func() { s.cancel(errFirstByte) })
	}
	return s
}

func (s *stream) startReading(body io.Reader) { s.events = sse.NewReader(body, s.backend.cfg.MaxEvent) }

// Next gives the next item. Comment lines of the engine make none by themselves, since
// they keep its connection alive; those of a chunk are its annotation, as its name and
// its id are. An event with a name and no data is one that the client asked for.
func (s *stream) Next() (chunk.Item, error) {
	if s.ended != nil {
		return chunk.Item{}, s.ended
	}
	item, err := s.nextEvent()
	if err != nil {
		s.ended = err
		s.stopTimer()
	}
	return item, err
}

func (s *stream) nextEvent() (chunk.Item, error) {
	for {
		event, err := s.events.Next()
		if err == io.EOF {
			return s.endOfStream(false)
		}
		if err != nil {
			return s.brokenError(err)
		}
		if !event.HasData && len(event.Name) == 0 {
			continue
		}
		s.stopTimer()
		switch {
		case string(event.Name) == chunk.EventError:
			return chunk.Item{}, reported(event)
		case string(bytes.TrimSpace(event.Data)) == "[DONE]":
			return s.endOfStream(true)
		case !event.HasData && s.backend.cfg.Profile.NVExt:
			return chunk.Item{Event: string(event.Name), Comments: event.Comments}, nil
		case len(bytes.TrimSpace(event.Data)) == 0:
			continue
		}
		if err := s.chunk.Decode(event.Data); err != nil {
			if event.Cut {
				return s.endOfStream(false) // in the middle of a line, of [DONE] or of a chunk
			}
			return chunk.Item{}, &backend.Error{Status: http.StatusBadGateway, Code: backend.CodeProtocol,
				Message: "a chunk of the engine can't be read", Cause: err}
		}
		if s.backend.cfg.Completions {
			for i := range s.chunk.Choices {
				c := &s.chunk.Choices[i]
				c.Delta.Content = c.Text
			}
		}
		item, err := s.reader.Read(&s.chunk)
		item.ID, item.Event, item.Comments = string(event.ID), string(event.Name), event.Comments
		return item, err
	}
}

// brokenError is what there is after the connection broke. An answer whose choices
// all have their finish reasons misses nothing.
func (s *stream) brokenError(err error) (chunk.Item, error) {
	if context.Cause(s.ctx) == nil && !errors.Is(err, sse.ErrTooLong) {
		if item, end := s.endOfStream(false); end == nil || end == io.EOF {
			return item, end
		}
	}
	return chunk.Item{}, s.failure(err, "the engine's answer broke off", backend.CodeBroken)
}

// reported is the error of an event that is named one: its data, or its comments.
func reported(event sse.Event) *backend.Error {
	object := backend.ErrorObject(event.Data)
	if object == nil {
		object = event.Data
	}
	e := backend.ReportedError(object)
	if e.Said == "" {
		e.Said = strings.Join(event.Comments, " -- ")
	}
	return e
}

// endOfStream is what there is after the last chunk.
func (s *stream) endOfStream(done bool) (chunk.Item, error) {
	s.done = done
	last, err := s.reader.End(done)
	if err != nil {
		return chunk.Item{}, err
	}
	s.ended = io.EOF
	s.stopTimer()
	if last != nil {
		return *last, nil
	}
	return chunk.Item{}, io.EOF
}

func (s *stream) stopTimer() {
	if s.first != nil {
		s.first.Stop()
	}
}

// failure is the error for a request or an answer that broke, and why.
func (s *stream) failure(err error, message, code string) error {
	var known *backend.Error
	if cause := context.Cause(s.ctx); cause != nil {
		if errors.As(cause, &known) {
			return known
		}
		return backend.Cancelled(cause)
	}
	e := &backend.Error{Status: http.StatusBadGateway, Code: code, Message: message, Cause: err}
	var net net.Error
	switch {
	case errors.Is(err, sse.ErrTooLong):
		e.Code = backend.CodeProtocol
	case errors.As(err, &net) && net.Timeout():
		e.Status, e.Code, e.Message = http.StatusGatewayTimeout, backend.CodeTimeout, "the engine can't be reached in time (timeouts.connect)"
	}
	return e
}

// drainTime is how long Close waits for the end of an answer that is complete, so
// that its connection can be used again.
const drainTime = 50 * time.Millisecond

// Close ends the answer: the engine sees its request cancelled unless it was done.
func (s *stream) Close() {
	if s.closed {
		return
	}
	s.closed = true
	s.stopTimer()
	if s.body != nil && s.done {
		drain := time.AfterFunc(drainTime, func() { s.cancel(errClosed) })
		_, _ = io.CopyN(io.Discard, s.body, maxErrorBody)
		drain.Stop()
	}
	s.cancel(errClosed)
	if s.body != nil {
		_ = s.body.Close()
	}
}
