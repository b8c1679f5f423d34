// Package openai holds the wire types of the chat completions API: reading a
// request and checking it, reading an engine's chunks, writing chunks,
// completions and errors. Members that are not known here are kept as they came.
package openai

import (
	"net/http"
	"strconv"
)

// Error is an OpenAI error object with the HTTP status that goes with it.
type Error struct {
	Status  int
	Message string
	// Type is the kind of error; "" stands for the one that Status implies.
	Type string
	// Code is a stable word; "" encodes Status in its place.
	Code string
	// EngineCode is the code that an engine gave, a JSON string or number, which
	// goes before Code; nil where it gave none.
	EngineCode Raw
	// Param is the request's member at fault, where there is one.
	Param string
	// Retry are headers that tell the client when to ask again; nil: none.
	Retry http.Header
}

// RetrySoon are the headers of an answer to a request that came at a bad moment.
func RetrySoon() http.Header { return http.Header{"Retry-After": {"1"}} }

func (e *Error) Error() string {
	if e.Param == "" {
		return e.Message
	}
	return e.Param + ": " + e.Message
}

// Quote shows a client's own text in a message: as much of it as is of use.
func Quote(s string) string {
	if len(s) > maxQuoted {
		return strconv.Quote(s[:maxQuoted]) + "…"
	}
	return strconv.Quote(s)
}

// maxQuoted is how much of a text is quoted, in bytes.
const maxQuoted = 100

// Statuses that net/http has no name for.
const (
	// StatusClientClosed is that of a request whose client went away: it is seen in
	// logs and metrics only.
	StatusClientClosed = 499
	// StatusOverloaded is what some engines answer when they have too much to do.
	StatusOverloaded = 529
)

// ErrorType is the error type that goes with an HTTP status.
func ErrorType(status int) string {
	switch {
	case status == http.StatusUnauthorized:
		return "authentication_error"
	case status == http.StatusForbidden:
		return "permission_error"
	case status == http.StatusNotFound:
		return "not_found_error"
	case status == http.StatusTooManyRequests:
		return "rate_limit_error"
	case status == StatusClientClosed:
		return "request_cancelled"
	case status == http.StatusNotImplemented:
		return "not_implemented"
	case status == http.StatusServiceUnavailable, status == StatusOverloaded:
		return "service_unavailable"
	case status == http.StatusBadGateway, status == http.StatusGatewayTimeout:
		return "upstream_error"
	case status >= 400 && status < 500:
		return "invalid_request_error"
	}
	return "internal_server_error"
}
