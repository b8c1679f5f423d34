package server

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/turnkey-parsers/turnkey/host/chunk"
	"github.com/turnkey-parsers/turnkey/host/internal/sse"
	"github.com/turnkey-parsers/turnkey/host/openai"
	"github.com/turnkey-parsers/turnkey/host/stream"
)

// buffers holds what frames are written into.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 4096); return &b }}

// silentKeepalive is the keep-alive interval of an answer that holds text back
// for long, where none is configured.
const silentKeepalive = 15 * time.Second

// eventWriter writes one answer as server-sent events. Frames come from the request's
// goroutine; the headers and comments may also come from timers.
type eventWriter struct {
	mu        sync.Mutex
	c         echo.Context
	rc        *http.ResponseController
	patience  time.Duration // for a client that doesn't read
	committed bool
	stopped   bool
	lastWrite time.Time
	err       error // the client is gone
	encoder   openai.Encoder
	buf       *[]byte
}

// writeStream streams the answer. The error is for a status: nothing was
// written yet.
func (s *Server) writeStream(c echo.Context, x *exchange, op *stream.Operator) error {
	w := &eventWriter{c: c, rc: http.NewResponseController(c.Response()), patience: s.cfg.Timeouts.Write, buf: buffers.Get().(*[]byte)}
	w.encoder.ReasoningNames = s.models[x.model].reasoningNames
	defer buffers.Put(w.buf)
	defer w.stopWriting()
	if early := s.cfg.Timeouts.Early; early > 0 {
		defer time.AfterFunc(early, w.sendHeaders).Stop()
	} else {
		w.sendHeaders()
	}
	if every := keepAliveInterval(s.cfg.Timeouts.Keepalive, op); every > 0 {
		stop := make(chan struct{})
		defer close(stop)
		go w.keepAlive(every, stop)
	}
	err := s.writeFrames(w, x, op)
	if err == nil {
		w.writeText(sse.DoneEvent)
		return nil
	}
	if refusal := s.recordFailure(c.Request().Context(), x, err); !w.headersSent() {
		return refusal
	}
	if x.status != openai.StatusClientClosed {
		w.writeFailure(err)
	}
	return nil
}

func keepAliveInterval(configured time.Duration, op *stream.Operator) time.Duration {
	if configured == 0 && op.Silent() {
		return silentKeepalive
	}
	return configured
}

// writeFrames writes the answer's frames. A panic becomes an error, so that the
// stream still ends in good order.
func (s *Server) writeFrames(w *eventWriter, x *exchange, op *stream.Operator) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicError(p)
		}
	}()
	for {
		item, err := op.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if x.first == 0 {
			x.first = time.Since(x.begun)
		}
		x.chunks++
		if err := w.writeItem(item); err != nil {
			x.status = openai.StatusClientClosed
			return err
		}
	}
}

// sendHeaders sends the headers.
func (w *eventWriter) sendHeaders() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return
	}
	w.writeHeaders()
	w.flushWriter()
}

func (w *eventWriter) writeHeaders() {
	if w.committed {
		return
	}
	w.committed = true
	h := w.c.Response().Header()
	h.Set(echo.HeaderContentType, "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	w.c.Response().WriteHeader(http.StatusOK)
	w.lastWrite = time.Now()
}

// headersSent says whether the status is out. From then on only frames can tell of an
// error; if it is not out, nothing more is written.
func (w *eventWriter) headersSent() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.committed {
		w.stopped = true
	}
	return w.committed
}

// stopWriting keeps timers from writing after the handler has returned, and leaves the
// connection as it was.
func (w *eventWriter) stopWriting() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	_ = w.rc.SetWriteDeadline(time.Time{})
}

// writeItem writes one item: its annotations, then its chunk.
func (w *eventWriter) writeItem(it *chunk.Item) error {
	b := (*w.buf)[:0]
	for _, comment := range it.Comments {
		b = sse.AppendField(b, "", comment)
	}
	if it.ID != "" {
		b = sse.AppendField(b, "id", it.ID)
	}
	if it.Event != "" {
		b = sse.AppendField(b, "event", it.Event)
	}
	if it.Data != nil {
		b = w.encoder.AppendChunk(append(b, sse.DataPrefix...), it.Data)
		b = append(b, '\n')
	}
	b = append(b, '\n')
	*w.buf = b
	return w.writeAndFlush(b)
}

func (w *eventWriter) writeText(s string) { _ = w.writeAndFlush(append((*w.buf)[:0], s...)) }

// writeFailure ends the stream with an error object.
func (w *eventWriter) writeFailure(err error) {
	b := stream.FrameOf(err).Append(append((*w.buf)[:0], sse.DataPrefix...))
	_ = w.writeAndFlush(append(b, "\n\n"+sse.DoneEvent...))
}

// writeAndFlush writes and flushes b. It is bounded in time: a client that doesn't read
// holds the engine up, but not for ever.
func (w *eventWriter) writeAndFlush(b []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil || w.stopped {
		return w.err
	}
	w.writeHeaders()
	if w.patience > 0 {
		_ = w.rc.SetWriteDeadline(time.Now().Add(w.patience))
	}
	if _, err := w.c.Response().Write(b); err != nil {
		w.err = fmt.Errorf("writing to the client: %w", err)
		return w.err
	}
	w.flushWriter()
	return w.err
}

func (w *eventWriter) flushWriter() {
	if err := w.rc.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		w.err = fmt.Errorf("writing to the client: %w", err)
	}
	w.lastWrite = time.Now()
}

// keepAlive writes a comment whenever nothing was written for that long.
func (w *eventWriter) keepAlive(every time.Duration, stop <-chan struct{}) {
	timer := time.NewTimer(every)
	defer timer.Stop()
	for {
		select {
		case <-stop:
			return
		case <-timer.C:
			timer.Reset(w.writeKeepAlive(every))
		}
	}
}

// writeKeepAlive writes a comment if one is due, and gives the time until the next is.
func (w *eventWriter) writeKeepAlive(every time.Duration) time.Duration {
	w.mu.Lock()
	silent := time.Since(w.lastWrite)
	idle := w.stopped || w.err != nil || !w.committed
	w.mu.Unlock()
	if idle {
		return every
	}
	if silent < every {
		return every - silent
	}
	_ = w.writeAndFlush([]byte(": keep-alive\n\n"))
	return every
}
