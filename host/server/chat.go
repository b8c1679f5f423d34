package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/turnkey-parsers/turnkey/host/openai"
	"github.com/turnkey-parsers/turnkey/host/registry"
	"github.com/turnkey-parsers/turnkey/host/route"
	"github.com/turnkey-parsers/turnkey/host/stream"
)

// exchange is one request for an answer and what is known of it, for the log and
// the metrics.
type exchange struct {
	id     string // names the request in logs
	answer string // the completion's id
	model  string // "" until it is known to be served
	route  string
	mode   string // stream or batch; "" until that is known
	asked  bool   // it is a request for an answer
	begun  time.Time
	first  time.Duration // until the first byte of the answer; 0: none yet
	chunks int
	err    error // why it failed; for the log
	status int   // what became of it, where that is not the HTTP status
}

const exchangeKey = "exchange"

func exchangeOf(c echo.Context) *exchange { return c.Get(exchangeKey).(*exchange) }

// serveChat answers POST /v1/chat/completions.
func (s *Server) serveChat(c echo.Context) error {
	x := exchangeOf(c)
	x.asked = true
	if limit := s.cfg.Limits.Requests; s.running.Add(1) > int64(limit) && limit > 0 {
		s.running.Add(-1)
		return &openai.Error{Status: s.cfg.OverloadStatus, Code: "limits.requests", Retry: openai.RetrySoon(), Message: fmt.Sprintf("%d requests are running already; try again later", limit)}
	}
	defer s.running.Add(-1)
	body, err := s.readBody(c, int64(s.cfg.Limits.Body), "limits.body")
	if err != nil {
		return err
	}
	request, err := openai.DecodeRequest(body)
	if err != nil {
		return err
	}
	if err := s.applyNVExtHeaders(c, request); err != nil {
		return err
	}
	m := s.models[request.Model]
	if m == nil {
		return unknownModel(request.Model)
	}
	x.model, x.mode = m.stream.Name, "batch"
	if request.Stream {
		x.mode = "stream"
	}
	gauge := s.metrics.running.WithLabelValues(x.model)
	gauge.Inc()
	defer gauge.Dec()
	model, lease, err := s.leaseModel(c.Request().Context(), m)
	if err != nil {
		return err
	}
	defer lease.Release()
	op, refusal := model.Prepare(c.Request().Context(), request)
	if refusal != nil {
		return refusal
	}
	defer op.Close()
	x.answer, x.route = op.ID(), op.Plan().Route.String()
	setRouteHeaders(c, op.Plan().Route, lease)
	return s.writeAnswer(c, x, op, request.Stream)
}

// applyNVExtHeaders lets headers into the request's nvext, or takes it off where the
// operator has switched it off.
func (s *Server) applyNVExtHeaders(c echo.Context, r *openai.ChatRequest) error {
	if !s.cfg.NVExt {
		r.DropNVExt()
		return nil
	}
	return r.ApplyHeaders(c.Request().Header)
}

func unknownModel(name string) *openai.Error {
	return &openai.Error{Status: http.StatusNotFound, Param: "model", Code: "model_not_found", Message: "the model " + openai.Quote(name) + " is not served here"}
}

// readBody reads the request's body within a limit, 0 for none, of that name.
func (s *Server) readBody(c echo.Context, limit int64, name string) ([]byte, error) {
	in := c.Request().Body
	if limit > 0 {
		if c.Request().ContentLength > limit {
			return nil, bodyTooLarge(name, limit)
		}
		in = http.MaxBytesReader(c.Response(), in, limit)
	}
	body, err := io.ReadAll(in)
	var large *http.MaxBytesError
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &openai.Error{Status: http.StatusRequestTimeout, Code: "timeouts.body", Message: "the request's body did not come in time"}
	case errors.As(err, &large):
		return nil, bodyTooLarge(name, limit)
	case err != nil:
		return nil, &openai.Error{Status: http.StatusBadRequest, Code: "body_unreadable", Message: "the request's body ended too early"}
	}
	// From here on the connection is only watched for the client's leaving.
	_ = http.NewResponseController(c.Response()).SetReadDeadline(time.Time{}) // not every connection has deadlines
	return body, nil
}

func bodyTooLarge(name string, limit int64) *openai.Error {
	return &openai.Error{Status: http.StatusRequestEntityTooLarge, Code: name, Message: fmt.Sprintf("the request's body is larger than the limit of %d bytes", limit)}
}

// writeAnswer starts the engine and writes what it says.
func (s *Server) writeAnswer(c echo.Context, x *exchange, op *stream.Operator, streaming bool) error {
	ctx := c.Request().Context()
	err := op.Start(ctx)
	switch {
	case err != nil:
	case streaming:
		return s.writeStream(c, x, op)
	default:
		err = s.writeDocument(c, x, op)
	}
	return s.recordFailure(ctx, x, err)
}

// recordFailure keeps the error for the log and gives what the client may see of it.
func (s *Server) recordFailure(ctx context.Context, x *exchange, err error) error {
	if err == nil {
		return nil
	}
	shown := stream.ErrorOf(err)
	x.err = err
	switch {
	case x.status != 0: // the client did not read
	case ctx.Err() != nil && context.Cause(ctx) != errStopping:
		x.status = openai.StatusClientClosed
	default:
		x.status = shown.Status
	}
	return shown
}

func (s *Server) writeDocument(c echo.Context, x *exchange, op *stream.Operator) error {
	answer, err := op.Complete()
	if err != nil {
		return err
	}
	x.first = time.Since(x.begun)
	enc := openai.Encoder{ReasoningNames: s.models[x.model].reasoningNames}
	b := buffers.Get().(*[]byte)
	defer buffers.Put(b)
	*b = enc.AppendCompletion((*b)[:0], answer)
	c.Response().Header().Set(echo.HeaderContentType, "application/json")
	c.Response().WriteHeader(http.StatusOK)
	rc := http.NewResponseController(c.Response())
	if patience := s.cfg.Timeouts.Write; patience > 0 {
		_ = rc.SetWriteDeadline(time.Now().Add(patience))
	}
	if _, err := c.Response().Write(*b); err != nil {
		x.status, x.err = openai.StatusClientClosed, err
	}
	_ = rc.SetWriteDeadline(time.Time{})
	return nil
}

// headerDebug on a request asks for headers that tell how it was served.
const headerDebug = "X-Turnkey-Debug"

// setRouteHeaders sets the headers that tell how a request is served, where they were
// asked for.
func setRouteHeaders(c echo.Context, r route.Route, l *registry.Lease) {
	if c.Request().Header.Get(headerDebug) == "" {
		return
	}
	h := c.Response().Header()
	h.Set("X-Turnkey-Route", r.String())
	for _, i := range l.Infos() {
		h.Add("X-Turnkey-Module", i.String())
	}
}
