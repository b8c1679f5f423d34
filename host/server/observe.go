package server

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"go.opentelemetry.io/otel/attribute"

	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/openai"
	"github.com/turnkey-parsers/turnkey/host/tracing"
)

// requestLog tells the log, the metrics and the spans what became of each request.
type requestLog struct{ *Server }

// observe names each request, catches panics, and logs and counts what became of
// it. Neither prompts nor answers nor keys are logged.
func (s requestLog) observe(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		x := &exchange{id: requestID(c.Request()), begun: time.Now()}
		c.Set(exchangeKey, x)
		c.Response().Header().Set(echo.HeaderXRequestID, x.id)
		err := callRecovering(next, c)
		if err != nil {
			s.writeRefusal(err, c)
		}
		s.reportRequest(c, x, err)
		return nil
	}
}

// callRecovering makes an error of a panic.
func callRecovering(next echo.HandlerFunc, c echo.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicError(p)
		}
	}()
	return next(c)
}

// panicError makes an error of a panic's value; net/http's own signal goes on.
func panicError(p any) error {
	if p == http.ErrAbortHandler {
		panic(p)
	}
	return fmt.Errorf("panic: %v\n%s", p, debug.Stack())
}

// requestID is the client's own name for the request if it is harmless, else a
// new one.
func requestID(r *http.Request) string {
	id := r.Header.Get(echo.HeaderXRequestID)
	if id == "" || len(id) > 128 {
		return rand.Text()
	}
	for _, b := range []byte(id) {
		if b <= ' ' || b > '~' || b == '"' {
			return rand.Text()
		}
	}
	return id
}

func (s requestLog) reportRequest(c echo.Context, x *exchange, err error) {
	status := c.Response().Status
	if x.status != 0 {
		status = x.status
	}
	took := time.Since(x.begun)
	s.metrics.countRequest(x, status, took)
	level := slog.LevelInfo
	if x.model == "" && status < 500 {
		level = slog.LevelDebug
	}
	attrs := []slog.Attr{slog.String("id", x.id), slog.String("method", c.Request().Method), slog.String("path", c.Path()),
		slog.Int("status", status), slog.Duration("took", took)}
	if x.model != "" {
		attrs = append(attrs, slog.String("completion", x.answer), slog.String("model", x.model), slog.String("route", x.route), slog.String("mode", x.mode),
			slog.Int("chunks", x.chunks), slog.Duration("first", x.first))
	}
	switch {
	case status == openai.StatusClientClosed:
		attrs = append(attrs, slog.Bool("client_cancelled", true))
	case x.err != nil:
		if status >= http.StatusInternalServerError {
			level = slog.LevelError
		}
		attrs = append(attrs, slog.String("error", s.causeText(x.err)))
		if engine := (*backend.Error)(nil); errors.As(x.err, &engine) {
			attrs = append(attrs, slog.String("engine", s.models[x.model].engine))
		}
	case err != nil:
		attrs = append(attrs, slog.String("refused", refusalText(err)))
		if status >= http.StatusInternalServerError {
			level = slog.LevelError
		}
	}
	s.describeSpan(c, x, status)
	s.log.LogAttrs(c.Request().Context(), level, "request", attrs...)
}

// describeSpan tells the request's span, if there is one, what the log is told.
func (s requestLog) describeSpan(c echo.Context, x *exchange, status int) {
	attrs := []attribute.KeyValue{attribute.String("http.route", c.Path()), attribute.Int("turnkey.status", status)}
	if x.model != "" {
		attrs = append(attrs, attribute.String("turnkey.completion", x.answer), attribute.String("turnkey.model", x.model),
			attribute.String("turnkey.route", x.route), attribute.String("turnkey.mode", x.mode), attribute.Int("turnkey.chunks", x.chunks))
	}
	tracing.Describe(c.Request().Context(), c.Request().Method+" "+c.Path(), attrs...)
}

// maxCause bounds what is logged of an engine's words, in bytes.
const maxCause = 500

// causeText tells why an answer failed. The engine's words are the client's where they
// are of its making, and else in the log only if they are wanted there.
func (s requestLog) causeText(err error) string {
	var engine *backend.Error
	if !errors.As(err, &engine) || engine.Said == "" || engine.Public || !s.cfg.Log.EngineErrors {
		return err.Error()
	}
	return err.Error() + ": " + strings.ToValidUTF8(engine.Said[:min(len(engine.Said), maxCause)], "")
}

// refusalText tells why a request was refused without quoting it.
func refusalText(err error) string {
	if e, ok := err.(*openai.Error); ok {
		return strconv.Itoa(e.Status) + " " + e.Code + " " + e.Param
	}
	return err.Error()
}
