// Package server is the HTTP side: it reads requests, hands them to the stream
// of their model, and writes chunks as server-sent events or the answer as one
// document. It also serves what operators look at: models, health, metrics.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/config"
	"github.com/turnkey-parsers/turnkey/host/openai"
	"github.com/turnkey-parsers/turnkey/host/registry"
	"github.com/turnkey-parsers/turnkey/host/tracing"
)

// Options is what a Server is made of.
type Options struct {
	Config   *config.Config
	Registry *registry.Registry
	Logger   *slog.Logger     // nil: slog's default
	Version  string           // the program's
	Tracing  *tracing.Tracing // nil: none
}

// Server serves the models of one configuration.
type Server struct {
	cfg       *config.Config
	log       *slog.Logger
	version   string
	models    map[string]*served
	registry  *registry.Registry
	unrequire func()   // lets the registry's modules go
	order     []string // the models' names, as configured
	metrics   *metrics
	tracing   *tracing.Tracing
	started   time.Time

	http     *http.Server
	cancel   context.CancelCauseFunc // ends all requests
	running  atomic.Int64
	draining atomic.Bool
}

// New builds the models: it finds their parsers, compiling the modules that they
// need, and checks that they can work. The error is one line.
func New(ctx context.Context, o Options) (*Server, error) {
	s := &Server{cfg: o.Config, log: o.Logger, version: o.Version, tracing: o.Tracing, models: map[string]*served{}, registry: o.Registry, unrequire: func() {}, started: time.Now()}
	if s.log == nil {
		s.log = slog.Default()
	}
	s.metrics = newMetrics(s)
	if err := s.buildModels(ctx, o.Registry); err != nil {
		s.unrequire()
		return nil, err
	}
	base, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	s.cancel = cancel
	s.http = &http.Server{
		Handler:           s.handler(),
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       s.cfg.Timeouts.Body,
		IdleTimeout:       idleConnection,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	return s, nil
}

const (
	readHeaderTimeout = 15 * time.Second
	idleConnection    = 3 * time.Minute
	shutdownGrace     = time.Second // for requests that are cut off
)

// errStopping ends the requests that run when the time to drain is over.
var errStopping = &backend.Error{Status: http.StatusServiceUnavailable, Code: "stopping", Message: "the server is stopping", Public: true, Retry: openai.RetrySoon()}

// Serve serves until ctx ends, then lets running requests come to their end for
// as long as timeouts.drain allows. It closes l.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	defer s.releaseAll()
	failed := make(chan error, 1)
	go func() { failed <- s.http.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	return s.drainRequests(failed)
}

// releaseAll ends what is left of requests.
func (s *Server) releaseAll() {
	s.cancel(errStopping)
	s.unrequire()
	for _, m := range s.models {
		m.release()
	}
}

func (s *Server) drainRequests(failed <-chan error) error {
	s.draining.Store(true)
	s.log.Info("stopping", "requests", s.running.Load(), "timeouts.drain", s.cfg.Timeouts.Drain)
	ctx, cancel := context.WithTimeout(context.Background(), s.cfg.Timeouts.Drain)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		s.log.Warn("requests are cut off", "requests", s.running.Load())
		err = s.cutRequests()
	}
	if e := <-failed; err == nil && !errors.Is(e, http.ErrServerClosed) {
		err = e
	}
	return err
}

// cutRequests ends the requests that still run, and lets them tell their clients.
func (s *Server) cutRequests() error {
	s.cancel(errStopping)
	ctx, cancel := context.WithTimeout(context.Background(), shutdownGrace)
	defer cancel()
	if s.http.Shutdown(ctx) == nil {
		return nil
	}
	return s.http.Close()
}

func (s *Server) handler() http.Handler {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = s.writeRefusal
	e.Use(requestLog{s}.observe)
	e.POST("/v1/chat/completions", s.serveChat)
	e.GET("/v1/models", s.listModels)
	e.GET("/v1/models/*", s.oneModel)
	e.GET("/healthz", func(c echo.Context) error { return c.String(http.StatusOK, "ok\n") })
	e.GET("/readyz", s.serveReady)
	e.GET("/metrics", echo.WrapHandler(s.metrics.handler()))
	adminAPI{s}.addRoutes(e)
	return s.tracing.Handler(e)
}

func (s *Server) serveReady(c echo.Context) error {
	if s.draining.Load() {
		return c.String(http.StatusServiceUnavailable, "stopping\n")
	}
	return c.String(http.StatusOK, "ready\n")
}

// writeRefusal writes an error that a handler returned, unless an answer has begun.
func (s *Server) writeRefusal(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	e := errorObject(err)
	h := c.Response().Header()
	maps.Copy(h, e.Retry)
	h.Set(echo.HeaderContentType, "application/json")
	c.Response().WriteHeader(e.Status)
	_, _ = c.Response().Write(append(e.Append(nil), '\n'))
}

// errorObject gives the error object for an error of a handler.
func errorObject(err error) *openai.Error {
	var refused *openai.Error
	var routing *echo.HTTPError
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.As(err, &routing):
		return &openai.Error{Status: routing.Code, Message: fmt.Sprint(routing.Message), Code: routingCode(routing.Code)}
	}
	return &openai.Error{Status: http.StatusInternalServerError, Message: "Internal server error"}
}

func routingCode(status int) string {
	switch status {
	case http.StatusNotFound:
		return "no_such_endpoint"
	case http.StatusMethodNotAllowed:
		return "method_not_allowed"
	}
	return ""
}
