package stream

import (
	"context"
	"errors"
	"net/http"

	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/openai"
	"github.com/turnkey-parsers/turnkey/host/parse"
)

// LimitError says that an answer passed a limit of the host.
type LimitError struct {
	Limit  string // its name in the configuration
	Status int
}

func (e *LimitError) Error() string { return "the answer passed the limit " + e.Limit }

var (
	errIdle  = &LimitError{"timeouts.idle", http.StatusGatewayTimeout}
	errTotal = &LimitError{"timeouts.total", http.StatusGatewayTimeout}
	errText  = &LimitError{"limits.text_per_choice", http.StatusInternalServerError}
)

// sanitised is all that a client reads of an error that is not of its making.
const sanitised = "Internal server error"

// ErrorOf gives what a client may see of an error of Start, Next or Complete in
// place of an answer. The error itself is for the log.
func ErrorOf(err error) *openai.Error {
	var (
		engine *backend.Error
		strict *parse.StrictError
		limit  *LimitError
		busy   *parser.BusyError
	)
	e := &openai.Error{Status: http.StatusInternalServerError, Message: sanitised}
	switch {
	case errors.As(err, &strict):
		e.Message, e.Code = "The model's tool call is malformed", "tool_call_malformed"
	case errors.As(err, &busy):
		e.Status, e.Code, e.Message = http.StatusServiceUnavailable, "limits.instances", "All parser instances are taken; try again later"
	case errors.As(err, &limit):
		e.Status, e.Message = limit.Status, "The answer passed the limit "+limit.Limit
	case errors.As(err, &engine):
		if engine.Status != 0 {
			e.Status = engine.Status
		}
		e.Code = engine.Code
		if shown := engine.Shown(); shown != "" {
			e.Message = shown
		}
	case errors.Is(err, context.Canceled):
		e.Status, e.Message = openai.StatusClientClosed, "Request cancelled"
	case errors.Is(err, context.DeadlineExceeded):
		e.Status = http.StatusGatewayTimeout
	}
	return e
}

// FrameOf gives what a client may see of an error of Next within a stream, where
// the status was sent long ago.
func FrameOf(err error) *openai.Error {
	e := ErrorOf(err)
	if e.Message == sanitised {
		e.Code = ""
	}
	var engine *backend.Error
	public := errors.As(err, &engine) && engine.Public
	switch e.Status {
	case http.StatusServiceUnavailable, openai.StatusOverloaded, openai.StatusClientClosed:
	default:
		if !public {
			e.Status = http.StatusInternalServerError
		}
	}
	return e
}
