package stream

import (
	"context"
	"errors"
	"net/http"

	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/openai"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/host/route"
)

// LimitError says that an answer passed a limit of the host.
type LimitError struct {
	Limit  string // its name in the configuration
	Status int
}

func (e *LimitError) Error() string { return "the answer passed the limit " + e.Limit }

// code is the stable word for clients: an engine's silence is one thing, whichever
// limit found it.
func (e *LimitError) code() string {
	if e.Status == http.StatusGatewayTimeout {
		return backend.CodeTimeout
	}
	return e.Limit
}

var (
	errIdle  = &LimitError{"timeouts.idle", http.StatusGatewayTimeout}
	errTotal = &LimitError{"timeouts.total", http.StatusGatewayTimeout}
	errText  = &LimitError{"limits.text_per_choice", http.StatusInternalServerError}
)

// sanitised is all that a client reads of an error that is not of its making, and
// of which no more is to be said.
const sanitised = "Internal server error"

// toldOfEngine are the words for a client, by the code of an engine's failure. The
// engine's own words are not for it, nor the host's, which are for the operator.
var toldOfEngine = map[string]string{
	backend.CodeUnreachable: "The engine can't be reached",
	backend.CodeTimeout:     "The engine did not answer in time",
	backend.CodeBroken:      "The engine's answer broke off",
	backend.CodeIncomplete:  "The engine's answer ended before it was finished",
	backend.CodeProtocol:    "The engine's answer can't be read",
	backend.CodeOverloaded:  "The engine is overloaded, or not ready yet; try again later",
	backend.CodeAuth:        "The engine refused this server's own key, which only its operator can mend",
}

// ErrorOf gives what a client may see of an error of Start, Next or Complete in
// place of an answer. The error itself is for the log.
func ErrorOf(err error) *openai.Error {
	var (
		engine *backend.Error
		strict *parse.StrictError
		fault  *parse.FaultError
		limit  *LimitError
		busy   *parser.BusyError
		large  *parser.TooLargeError
	)
	e := &openai.Error{Status: http.StatusInternalServerError, Message: sanitised}
	switch {
	case errors.As(err, &strict):
		e.Message, e.Code = "The model's tool call is malformed", "tool_call_malformed"
	case errors.As(err, &busy):
		e.Status, e.Code, e.Message = http.StatusServiceUnavailable, "limits.instances", "All parser instances are taken; try again later"
		e.Retry = openai.RetrySoon()
	case errors.As(err, &large):
		e = route.TooLarge(large)
	case errors.As(err, &fault):
		e.Code = "parser_fault"
	case errors.As(err, &limit):
		e.Status, e.Code, e.Message = limit.Status, limit.code(), "The answer passed the limit "+limit.Limit
	case errors.As(err, &engine):
		e = errorOfEngine(engine)
	case errors.Is(err, context.Canceled):
		e.Status, e.Code, e.Message = openai.StatusClientClosed, backend.CodeCancelled, "Request cancelled"
	case errors.Is(err, context.DeadlineExceeded):
		e.Status, e.Code, e.Message = http.StatusGatewayTimeout, backend.CodeTimeout, toldOfEngine[backend.CodeTimeout]
	}
	return e
}

// errorOfEngine is what a client may see of an engine's failure. One of the client's
// making keeps what the engine named, for the client to act on.
func errorOfEngine(engine *backend.Error) *openai.Error {
	e := &openai.Error{Status: engine.Status, Code: engine.Code, Message: sanitised, Retry: engine.Retry}
	if e.Status == 0 {
		e.Status = http.StatusInternalServerError
	}
	if told := toldOfEngine[engine.Code]; told != "" {
		e.Message = told
		return e
	}
	e.EngineCode = engine.Named.Code
	if engine.Public {
		e.Type, e.Param = engine.Named.Type, engine.Named.Param
	}
	if shown := engine.Shown(); shown != "" {
		e.Message = shown
	}
	return e
}

// FrameOf gives what a client may see of an error of Next within a stream, where
// the status was sent long ago.
func FrameOf(err error) *openai.Error {
	e := ErrorOf(err)
	var engine *backend.Error
	public := errors.As(err, &engine) && engine.Public || e.Status < 500
	if !public && e.Status != http.StatusServiceUnavailable && e.Status != openai.StatusOverloaded {
		e.Status = http.StatusInternalServerError
	}
	return e
}
